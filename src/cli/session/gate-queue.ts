/**
 * The queue of open gates: which one the person at the terminal is asked about next, while the leg runs or
 * after it has paused. A question is withdrawn when its gate is answered by another process, expires, or
 * ends with the group or child that contains it.
 */
import type { RunResult } from '../../engine/backend.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { openGate, type Opened } from './gate-prompt.ts';

/** A leg that waits only for its gate pauses within this time, and the person is asked then. */
const GRACE_MS = 200;

/** Reason to withdraw the question of a paused leg: a resume has to record the expiry. */
export const EXPIRED = 'expired';

/** Reason to withdraw the question of a paused leg: another process has resumed the run. */
export const CONTINUED = 'continued';

interface OpenQuestion {
  readonly gate: string;
  readonly controller: AbortController;
  readonly timer: NodeJS.Timeout | undefined;
}

export class GateQueue {
  readonly #open = new Map<string, Opened>();
  /** Gates whose leg has had its time to pause. */
  readonly #due = new Set<string>();
  readonly #timesOpened = new Map<string, number>();
  readonly #prepared: readonly string[];
  #asked: OpenQuestion | undefined;
  #result: RunResult | undefined;
  #wake = Promise.withResolvers<void>();

  /** `prepared`: the gates and nodes of `--answer`, once for each answer. */
  constructor(prepared: readonly string[]) {
    this.#prepared = prepared;
  }

  /** Reads the events before this leg: gates may still be open. */
  begin(past: readonly RunEvent[]): void {
    for (const event of past) {
      if (event.type === 'gate:opened') this.#open.set(event.gate, event);
      else this.#closeBy(event);
    }
    for (const opened of this.#open.values())
      if (this.#isPrepared(opened)) this.#open.delete(opened.gate);
  }

  /** Reads an event of this leg. */
  note(event: RunEvent): void {
    if (event.type !== 'gate:opened') this.#closeBy(event);
    else if (!this.#isPrepared(event)) this.#open.set(event.gate, event);
    this.#wake.resolve();
  }

  /** The leg has ended; withdraws the question unless the run waits for it. */
  end(result: RunResult): void {
    this.#result = result;
    const waiting = result.status === 'paused' ? result.waiting.all : [];
    const { gate } = this.#asked ?? {};
    if (!waiting.some((wait) => wait.gate === gate)) this.#asked?.controller.abort();
    this.#wake.resolve();
  }

  get hasEnded(): boolean {
    return this.#result !== undefined;
  }

  /** Returns undefined when the leg has ended and has no question. */
  async next(events: () => Promise<readonly RunEvent[]>): Promise<Opened | undefined> {
    for (;;) {
      if (this.#result?.status === 'paused') return openGate(this.#result.waiting, await events());
      if (this.#result !== undefined) return undefined;
      const [first] = this.#open.values();
      if (first !== undefined && this.#due.has(first.gate)) return first;
      if (first !== undefined) this.#giveGrace(first.gate);
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
    }
  }

  /** Returns a signal that aborts when the question is withdrawn. */
  asking({ gate, deadline }: Opened): AbortSignal {
    const controller = new AbortController();
    // while the leg runs, the run itself expires the gate
    const expire = (): void => (this.hasEnded ? controller.abort(EXPIRED) : undefined);
    const timer =
      deadline === undefined ? undefined : setTimeout(expire, Math.max(0, leftMs(deadline)));
    this.#asked = { gate, controller, timer };
    return controller.signal;
  }

  /** Withdraws the present question. */
  withdraw(reason: string): void {
    this.#asked?.controller.abort(reason);
  }

  /** The gate was answered, or its answer was refused. */
  done(gate: string): void {
    this.#open.delete(gate);
    clearTimeout(this.#asked?.timer);
    this.#asked = undefined;
  }

  #giveGrace(gate: string): void {
    setTimeout(() => {
      this.#due.add(gate);
      this.#wake.resolve();
    }, GRACE_MS).unref();
  }

  #closeBy(event: RunEvent): void {
    for (const [gate, { path }] of this.#open) {
      if (!closes(event, gate, path)) continue;
      this.#open.delete(gate);
      if (this.#asked?.gate === gate) this.#asked.controller.abort();
    }
  }

  #isPrepared({ gate, node }: Opened): boolean {
    const times = this.#timesOpened.get(gate) ?? 0;
    this.#timesOpened.set(gate, times + 1);
    return this.#prepared.filter((name) => name === gate || name === node).length > times;
  }
}

/** At most 24 days, the longest timer of Node. */
function leftMs(deadline: string): number {
  return Math.min(Date.parse(deadline) - Date.now(), 2 ** 31 - 1);
}

function closes(event: RunEvent, gate: string, path: string): boolean {
  switch (event.type) {
    case 'gate:answered':
    case 'gate:expired':
      return event.gate === gate;
    case 'run:resumed':
      // nodes that run again ask again
      return event.from !== undefined;
    case 'node:completed':
    case 'node:failed':
    case 'node:skipped':
      return path === event.path || ['/', '['].some((sign) => path.startsWith(event.path + sign));
    default:
      return false;
  }
}
