/** Rehearses one run in a simulated world, leg by leg, with the interference of others. */
import type { JsonObject } from '../../errors/support/safe-json.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { Answer } from '../../machine/gates/gate-answer.ts';
import type { Change } from '../../machine/policy/drift.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { PreparedAnswer, RunHandle, RunOptions, RunResult } from '../../engine/backend.ts';
import { CALM, type FaultPlan } from './faults.ts';
import type { NextLeg } from './operator.ts';
import type { World } from './world.ts';

/** Changes that a person makes as a run is resumed: the file, inputs, the node to run again from, or how long it waits. */
export type Revision = Pick<Change, 'plan' | 'acceptDrift' | 'from' | 'input'> & {
  readonly now?: boolean;
};

/** One leg of a run, from a start or a resume to its end. */
export interface Leg {
  readonly by: 'start' | 'resume' | 'cancel';
  readonly answer?: Answer;
  /** No person could be asked. */
  readonly hasNobody?: true;
  /** The options of the resume. */
  readonly change?: Revision;
  /** `refused`: nothing was run. */
  readonly result: RunResult | { readonly status: 'refused'; readonly error: ErrorReport };
  readonly process: number;
  /** Events that were stored before it, and after it. */
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** When someone cancelled the run. */
  readonly cancelledAtMs?: number;
  /** When another process requested it, through the store. */
  readonly messagedAtMs?: number;
  /** Executions, by number, that were running and not aborted when the leg ended. */
  readonly leftRunning: readonly number[];
}

interface ResumeWith extends Revision {
  readonly answer?: Answer;
  readonly gates: boolean;
  readonly answers: readonly PreparedAnswer[];
}

/** The backend under rehearsal. */
export interface Rehearsed {
  readonly world: World;
  readonly process: number;
  start(plan: WorkflowPlan, input: JsonObject, options?: RunOptions): Promise<RunHandle>;
  resume(run: string, options: ResumeWith): Promise<RunHandle>;
  cancel(run: string, by: string): Promise<RunHandle>;
}

export interface RehearsalOptions {
  readonly input?: JsonObject;
  readonly faults?: Partial<FaultPlan>;
  readonly revise?: (leg: number) => Revision | undefined;
  readonly isShared?: boolean;
  readonly prepared?: readonly PreparedAnswer[];
  readonly hasPeople?: (leg: number) => boolean;
  /** Called with each event of a leg after it is stored. */
  readonly onEvent?: (event: RunEvent, handle: RunHandle) => void;
}

/** Interventions in a leg while it ran. */
interface Interference {
  cancelledAtMs?: number;
  messagedAtMs?: number;
}

export class Rehearsal {
  readonly #backend: Rehearsed;
  readonly #options: RehearsalOptions;
  readonly #faults: FaultPlan;
  readonly #legs: Leg[] = [];

  constructor(backend: Rehearsed, options: RehearsalOptions) {
    this.#backend = backend;
    this.#options = options;
    this.#faults = { ...CALM, ...options.faults };
  }

  get legs(): readonly Leg[] {
    return this.#legs;
  }

  async leg(next: Exclude<NextLeg, { type: 'end' }>): Promise<Leg> {
    const { world } = this.#backend;
    const answer = next.type === 'resume' ? next.answer : undefined;
    const run = world.latestRun;
    const fromSeq = world.storedSeq(run);
    const startedAtMs = world.clock.now();
    // a process that died before its first commit has left no run to resume
    const by = run === '' ? 'start' : next.type;
    const change = by === 'resume' ? this.#change(next) : undefined;
    const gates = this.#options.hasPeople?.(this.#legs.length) ?? true;
    const { prepared: answers = [] } = this.#options;
    const interference: Interference = {};
    let result: Leg['result'];
    if (by !== 'start') await world.loseEnd(run, this.#legs.length);
    try {
      const how = { ...change, ...(answer && { answer }), gates, answers };
      const handle = await this.#begin(by, run, how);
      const leaveAlone = this.#interfere(handle, interference);
      const callOff = this.#provoke(handle);
      const { onEvent } = this.#options;
      if (onEvent !== undefined) void follow(handle, onEvent);
      result = await handle.result();
      leaveAlone();
      callOff();
    } catch (thrown) {
      result = { status: 'refused', error: world.report(thrown) };
    }
    world.findEnd();
    const leg: Leg = {
      by,
      ...(answer === undefined ? {} : { answer }),
      ...(change === undefined ? {} : { change }),
      ...(gates ? {} : { hasNobody: true }),
      ...interference,
      result,
      process: this.#backend.process,
      fromSeq,
      toSeq: world.storedSeq(world.latestRun),
      startedAtMs,
      endedAtMs: world.clock.now(),
      leftRunning: world.executions
        .filter(({ ending, isAborted }) => ending === undefined && !isAborted)
        .map(({ number }) => number),
    };
    this.#legs.push(leg);
    return leg;
  }

  #change(next: Exclude<NextLeg, { type: 'end' }>): Revision | undefined {
    const revision = this.#options.revise?.(this.#legs.length);
    const from = next.type === 'resume' ? next.from : undefined;
    return from === undefined ? revision : { ...revision, from };
  }

  #begin(by: Leg['by'], run: string, how: ResumeWith): Promise<RunHandle> {
    const { gates, answers } = how;
    switch (by) {
      case 'start':
        return this.#backend.start(this.#backend.world.plan, this.#options.input ?? {}, {
          gates,
          answers,
        });
      case 'resume':
        return this.#backend.resume(run, how);
      case 'cancel':
        return this.#backend.cancel(run, 'someone');
    }
  }

  /** Perhaps stops the backend or cancels the run while it runs. */
  #interfere(handle: RunHandle, interference: Interference): () => void {
    const { world } = this.#backend;
    const random = world.random('interference', this.#legs.length);
    const afterMs = random.chance(0.5) ? random.int(100) : random.int(60_000);
    if (random.chance(this.#faults.stops)) {
      return world.clock.after(afterMs, () => {
        if (world.record('stopped', handle.id)) handle.stop();
      });
    }
    if (!random.chance(this.#faults.cancels)) return this.#meddle(handle, afterMs);
    return world.clock.after(afterMs, () => {
      if (!world.record('cancelled', handle.id)) return;
      if (this.#options.isShared === true) {
        interference.messagedAtMs = world.clock.now();
        void world.store.send(handle.id, { type: 'cancel', by: 'someone' });
      } else {
        interference.cancelledAtMs = world.clock.now();
        handle.cancel('someone');
      }
    });
  }

  /** Lets a process on another machine try to claim the run. */
  #provoke({ id }: RunHandle): () => void {
    const { world, process } = this.#backend;
    const random = world.random('provocation', this.#legs.length);
    if (!random.chance(this.#faults.rivals)) return () => undefined;
    const afterMs = random.chance(0.5) ? random.int(100) : random.int(60_000);
    return world.clock.after(afterMs, () => void world.rival(id, process));
  }

  /** Lets two other processes answer the same gate; one of them is accepted. */
  #meddle({ id }: RunHandle, afterMs: number): () => void {
    const { world } = this.#backend;
    const random = world.random('meddling', this.#legs.length);
    if (this.#options.isShared !== true || !random.chance(4 * this.#faults.misanswers))
      return () => undefined;
    return world.clock.after(afterMs, () => {
      const open = world.openGate(id);
      if (open === undefined) return;
      for (const by of ['one', 'another'])
        void world.store.send(id, { type: 'answer', by, ...open });
    });
  }
}

async function follow(
  handle: RunHandle,
  onEvent: NonNullable<RehearsalOptions['onEvent']>,
): Promise<void> {
  for await (const event of handle.events()) onEvent(event, handle);
}
