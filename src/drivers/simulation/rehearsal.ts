/** One run in a simulated world, leg by leg, and what others do to it meanwhile. */
import type { JsonObject } from '../../errors/json.ts';
import type { ErrorReport } from '../../errors/report.ts';
import type { Answer } from '../../machine/answers.ts';
import type { Change } from '../../machine/drift.ts';
import type { WorkflowPlan } from '../../workflow/model.ts';
import type { PreparedAnswer, RunHandle, RunOptions, RunResult } from '../local.ts';
import { CALM, type FaultPlan } from './faults.ts';
import type { NextLeg } from './operator.ts';
import type { World } from './world.ts';

/** What has become of the file meanwhile, and whether finished nodes may keep their results. */
export type Revision = Pick<Change, 'plan' | 'acceptDrift'>;

/** One stretch of a run, from a start or a resume to its rest. */
export interface Leg {
  readonly by: 'start' | 'resume' | 'cancel';
  readonly answer?: Answer;
  /** Nobody could be asked. */
  readonly hasNobody?: true;
  /** What it was resumed with. */
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
  /** When someone in another process asked for that, through the store. */
  readonly signalledAtMs?: number;
  /** Executions that nobody had told to stop when the leg came to rest, by number. */
  readonly leftRunning: readonly number[];
}

interface GoingOn extends Revision {
  readonly answer?: Answer;
  readonly gates: boolean;
  readonly answers: readonly PreparedAnswer[];
}

/** The driver that is rehearsed with. */
export interface Rehearsed {
  readonly world: World;
  readonly process: number;
  start(plan: WorkflowPlan, input: JsonObject, options?: RunOptions): Promise<RunHandle>;
  resume(run: string, options: GoingOn): Promise<RunHandle>;
  cancel(run: string, by: string): Promise<RunHandle>;
}

export interface RehearsalOptions {
  readonly input?: JsonObject;
  readonly faults?: Partial<FaultPlan>;
  readonly revise?: (leg: number) => Revision | undefined;
  readonly isShared?: boolean;
  readonly prepared?: readonly PreparedAnswer[];
  readonly hasPeople?: (leg: number) => boolean;
}

/** What others did to a leg while it was under way. */
interface Interference {
  cancelledAtMs?: number;
  signalledAtMs?: number;
}

export class Rehearsal {
  readonly #driver: Rehearsed;
  readonly #options: RehearsalOptions;
  readonly #faults: FaultPlan;
  readonly #legs: Leg[] = [];

  constructor(driver: Rehearsed, options: RehearsalOptions) {
    this.#driver = driver;
    this.#options = options;
    this.#faults = { ...CALM, ...options.faults };
  }

  get legs(): readonly Leg[] {
    return this.#legs;
  }

  async leg(next: Exclude<NextLeg, { type: 'end' }>): Promise<Leg> {
    const { world } = this.#driver;
    const answer = next.type === 'resume' ? next.answer : undefined;
    const run = world.latestRun;
    const fromSeq = world.storedSeq(run);
    const startedAtMs = world.clock.now();
    // a process that died before its first commit has left nothing to resume
    const by = run === '' ? 'start' : next.type;
    const change = by === 'resume' ? this.#options.revise?.(this.#legs.length) : undefined;
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
      process: this.#driver.process,
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

  #begin(by: Leg['by'], run: string, how: GoingOn): Promise<RunHandle> {
    const { gates, answers } = how;
    switch (by) {
      case 'start':
        return this.#driver.start(this.#driver.world.plan, this.#options.input ?? {}, {
          gates,
          answers,
        });
      case 'resume':
        return this.#driver.resume(run, how);
      case 'cancel':
        return this.#driver.cancel(run, 'someone');
    }
  }

  /** Someone may stop the driver or cancel the run while it is under way. */
  #interfere(handle: RunHandle, interference: Interference): () => void {
    const { world } = this.#driver;
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
        interference.signalledAtMs = world.clock.now();
        void world.store.send(handle.id, { type: 'cancel', by: 'someone' });
      } else {
        interference.cancelledAtMs = world.clock.now();
        handle.cancel('someone');
      }
    });
  }

  /** Someone on another machine wants the run for himself. */
  #provoke({ id }: RunHandle): () => void {
    const { world, process } = this.#driver;
    const random = world.random('provocation', this.#legs.length);
    if (!random.chance(this.#faults.rivals)) return () => undefined;
    const afterMs = random.chance(0.5) ? random.int(100) : random.int(60_000);
    return world.clock.after(afterMs, () => void world.rival(id, process));
  }

  /** Two in other processes answer the same gate, of which one can be heard. */
  #meddle({ id }: RunHandle, afterMs: number): () => void {
    const { world } = this.#driver;
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
