/**
 * Which gate a person at the terminal is asked about next: one that is open while the leg still goes
 * on, or one that the leg has come to rest at. A question is taken back when its gate is answered
 * elsewhere, expires, or ends with what it stands in.
 */
import type { RunResult } from '../drivers/local.ts';
import type { RunEvent } from '../machine/events.ts';
import { openGate, type Opened } from './gate-prompt.ts';

/** A leg that waits for nothing but its gate comes to rest within this time, and is asked then. */
const GRACE_MS = 200;

/** Why a question of a leg at rest was taken back: the run has to go on to take that in. */
export const EXPIRED = 'expired';

/** Why a question of a leg at rest was taken back: another process has continued the run. */
export const CONTINUED = 'continued';

interface Asked {
  readonly gate: string;
  readonly controller: AbortController;
  readonly timer: NodeJS.Timeout | undefined;
}

export class GateDesk {
  readonly #open = new Map<string, Opened>();
  /** Gates of a leg that had its time to come to rest. */
  readonly #due = new Set<string>();
  readonly #timesOpened = new Map<string, number>();
  readonly #prepared: readonly string[];
  #asked: Asked | undefined;
  #rest: RunResult | undefined;
  #wake = Promise.withResolvers<void>();

  /** The gates and nodes for which an answer was given beforehand, once for each time. */
  constructor(prepared: readonly string[]) {
    this.#prepared = prepared;
  }

  /** What happened before this leg: gates may be open since then. */
  begin(past: readonly RunEvent[]): void {
    for (const event of past) {
      if (event.type === 'gate:opened') this.#open.set(event.gate, event);
      else this.#closeBy(event);
    }
    for (const opened of this.#open.values())
      if (this.#isPrepared(opened)) this.#open.delete(opened.gate);
  }

  /** An event of this leg. */
  note(event: RunEvent): void {
    if (event.type !== 'gate:opened') this.#closeBy(event);
    else if (!this.#isPrepared(event)) this.#open.set(event.gate, event);
    this.#wake.resolve();
  }

  /** The leg has come to rest; only a question that it waits for stands. */
  end(result: RunResult): void {
    this.#rest = result;
    const waiting = result.status === 'paused' ? result.waiting.all : [];
    const { gate } = this.#asked ?? {};
    if (!waiting.some((wait) => wait.gate === gate)) this.#asked?.controller.abort();
    this.#wake.resolve();
  }

  get isAtRest(): boolean {
    return this.#rest !== undefined;
  }

  /** Undefined when the leg is at rest and nobody has to be asked. */
  async next(events: () => Promise<readonly RunEvent[]>): Promise<Opened | undefined> {
    for (;;) {
      if (this.#rest?.status === 'paused') return openGate(this.#rest.waiting, await events());
      if (this.#rest !== undefined) return undefined;
      const [first] = this.#open.values();
      if (first !== undefined && this.#due.has(first.gate)) return first;
      if (first !== undefined) this.#giveGrace(first.gate);
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
    }
  }

  /** Aborted when the answer is not wanted any more. */
  asking({ gate, deadline }: Opened): AbortSignal {
    const controller = new AbortController();
    // while the leg goes on it is the run that says when a gate has expired
    const expire = (): void => (this.isAtRest ? controller.abort(EXPIRED) : undefined);
    const timer =
      deadline === undefined ? undefined : setTimeout(expire, Math.max(0, leftMs(deadline)));
    this.#asked = { gate, controller, timer };
    return controller.signal;
  }

  /** Whoever is being asked is let go. */
  takeBack(reason: string): void {
    this.#asked?.controller.abort(reason);
  }

  /** It was answered, or cannot be. */
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

/** In time for a timer, whose longest is 24 days. */
function leftMs(deadline: string): number {
  return Math.min(Date.parse(deadline) - Date.now(), 2 ** 31 - 1);
}

function closes(event: RunEvent, gate: string, path: string): boolean {
  switch (event.type) {
    case 'gate:answered':
    case 'gate:expired':
      return event.gate === gate;
    case 'run:resumed':
      // what is run again asks again
      return event.from !== undefined;
    case 'node:completed':
    case 'node:failed':
    case 'node:skipped':
      return path === event.path || ['/', '['].some((sign) => path.startsWith(event.path + sign));
    default:
      return false;
  }
}
