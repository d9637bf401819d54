/**
 * Simulates the local backend in a world made from a seed: a clock that advances only when every
 * promise waits, a store and effects that fail, processes that die around any commit. The same seed
 * gives the same history, byte for byte.
 *
 * ```ts
 * const { result, events, executions } = await simulate(plan, {
 *   seed: 7,
 *   input: { ticket: '…' },
 *   faults: { ...STORMY, cancels: 0 },
 *   answers: { approve: 'yes' },
 * });
 * ```
 */
import { ErrandError } from '../errors/thrown/errand-error.ts';
import type { JsonObject, JsonValue } from '../errors/support/safe-json.ts';
import type { NamedGuard } from '../effects/run-guards.ts';
import type { ReportDraft } from '../errors/report/report.ts';
import type { Answer } from '../machine/gates/gate-answer.ts';
import type { RunEvent } from '../machine/state/events.ts';
import type { RunSummary, StoredCommit } from '../machine/ports/store-port.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';
import type { PreparedAnswer, RunHandle, RunOptions, RunResult } from '../engine/backend.ts';
import type { Director } from './world/director.ts';
import type { Execution } from './world/execution-record.ts';
import type { WhenStopped } from './world/fate.ts';
import { CALM, type FaultPlan, type Incident } from './world/faults.ts';
import type { Speaker } from './world/model-fate.ts';
import { Operator, type Answers, type NextLeg } from './world/operator.ts';
import { Rehearsal, type Leg, type Revision } from './world/rehearsal.ts';
import type { Rivalry } from './world/rival.ts';
import { World, type Death, type SimulatedProcess, type Warning } from './world/world.ts';

export type { Leg, Revision } from './world/rehearsal.ts';

export interface SimulationOptions {
  /** Everything follows from it. Default: 1. */
  readonly seed?: number;
  readonly input?: JsonObject;
  /** Faults, and how often they happen. Default: none. */
  readonly faults?: Partial<FaultPlan>;
  /** Results of effects that succeed, by path or by name of the node. Default: a value that fits. */
  readonly outputs?: Readonly<Record<string, JsonValue>>;
  /**
   * Failures of effects, by path or by name of the node: the n-th call gets the n-th entry, the
   * last one repeats, and null succeeds. No other fault happens to such an effect.
   */
  readonly fails?: Readonly<Record<string, readonly (ReportDraft | null)[]>>;
  /** Effects whose first call does not end by itself, by path, and what they do when stopped. */
  readonly hangs?: Readonly<Record<string, WhenStopped>>;
  /**
   * Replies of models that have no script. Default: a value that fits the schema, or the prompt
   * again.
   */
  readonly speaker?: Speaker;
  /**
   * Answers for gates, by path or by name of the node. Default: none, and the run stays paused there.
   */
  readonly answers?: Answers;
  /** Changes to the file before the run is resumed for the n-th time. Default: none. */
  readonly revise?: (leg: number) => Revision | undefined;
  /** How often a run that failed, or was parked for a person, is resumed. Default: 0. */
  readonly resumes?: number;
  /** The chance, at each rest, that a node runs again with all that follows it. Default: 0. */
  readonly rewinds?: number;
  /**
   * Limit of starts and resumes together; a run that parks for ever has to end some time. Default:
   * 50.
   */
  readonly maxLegs?: number;
  /**
   * Whether processes poll for messages to their runs. Costs a timer five times a second of simulated
   * time. Default: false.
   */
  readonly isShared?: boolean;
  /** Guards that are asked before each call of a tool, like those of a host. Default: none. */
  readonly guards?: readonly NamedGuard[];
  /** Answers for gates as they open, by path or name of the node, in every leg. Default: none. */
  readonly prepared?: readonly PreparedAnswer[];
  /** Whether a person can be asked in the n-th leg. Default: always. */
  readonly hasPeople?: (leg: number) => boolean;
  /** Makes the choices that the seed would make. Default: nobody. */
  readonly director?: Director;
  /** Commits around which the process dies, besides those of the faults. Default: none. */
  readonly deaths?: readonly Death[];
}

export interface Simulation {
  readonly run: string;
  /** By the log: `interrupted` only when the legs were used up. */
  readonly result: RunResult;
  readonly commits: readonly StoredCommit[];
  readonly events: readonly RunEvent[];
  /** Every effect that was really executed, by the world's own record. */
  readonly executions: readonly Execution[];
  readonly incidents: readonly Incident[];
  readonly warnings: readonly Warning[];
  /** Attempts of other machines to claim a run that a process owned. */
  readonly rivalries: readonly Rivalry[];
  readonly legs: readonly Leg[];
}

/** The longest time without a stored event, and for one effect; no inline wait is as long. */
const PATIENCE_MS = 15 * 60_000;

/** A backend with the API of the local one, which survives the deaths of its processes. */
export class SimulatedBackend {
  readonly world: World;
  #process: SimulatedProcess;

  constructor(plan: WorkflowPlan, options: SimulationOptions = {}) {
    const { seed = 1, outputs = {}, fails = {}, isShared = false } = options;
    const faults = { ...CALM, ...options.faults };
    const { speaker, guards = [], deaths = [], hangs = {}, director } = options;
    const settings = { outputs, fails, hangs, speaker, guards, director };
    this.world = new World({ plan, seed, faults, isShared, deaths, ...settings });
    this.#process = this.world.spawn();
  }

  /** The number of the process that runs now, from 1. */
  get process(): number {
    return this.#process.number;
  }

  async start(plan: WorkflowPlan, input: JsonObject, options: RunOptions = {}): Promise<RunHandle> {
    const process = this.#living();
    const starting = process.backend.start(plan, input, options);
    return this.#handle(process, starting, () => this.world.latestRun);
  }

  async resume(
    run: string,
    { from, ...options }: RunOptions & Revision & { readonly answer?: Answer } = {},
  ): Promise<RunHandle> {
    const process = this.#living();
    const how = { ...options, ...(from === undefined ? {} : { from }) };
    return this.#handle(process, process.backend.resume(run, how), () => run);
  }

  /** Answers a gate; undefined when another process receives the answer. */
  async answer(run: string, answer: Answer): Promise<RunHandle | undefined> {
    const process = this.#living();
    const answering = process.backend.answer(run, answer);
    await this.#passUntil(Promise.race([answering, process.died]), process, run);
    if (!process.isAlive() || (await answering) === undefined) return undefined;
    return this.#handle(
      process,
      answering.then((handle) => handle ?? notHere(run)),
      () => run,
    );
  }

  /** Cancels a run that no process executes at present. */
  async cancel(run: string, by: string): Promise<RunHandle> {
    const process = this.#living();
    const cancelling = process.backend.cancel(run, by).then((handle) => handle ?? notHere(run));
    return this.#handle(process, cancelling, () => run);
  }

  list(): Promise<readonly RunSummary[]> {
    return this.world.store.list();
  }

  close(): Promise<void> {
    return this.#process.backend.close();
  }

  /** Kills the process at once; the next start or resume has a new one. */
  kill(): void {
    this.#process.die();
  }

  #living(): SimulatedProcess {
    if (!this.#process.isAlive()) this.#process = this.world.spawn();
    return this.#process;
  }

  /** The process makes progress only while time passes, and it may die on the way. */
  async #handle(
    process: SimulatedProcess,
    begun: Promise<RunHandle>,
    idOf: () => string,
  ): Promise<RunHandle> {
    const dead = process.died.then(() => undefined);
    const first = Promise.race([begun, dead]);
    await this.#passUntil(first, process, idOf());
    const handle = await first;
    const id = handle?.id ?? idOf();
    const ended = handle?.result() ?? new Promise<RunResult>(() => undefined);
    const result = Promise.race([
      ended,
      process.died.then((): RunResult => ({ status: 'interrupted' })),
    ]);
    return {
      id,
      result: async () => {
        await this.#passUntil(result, process, id);
        return result;
      },
      // events come as they are stored while time passes, that is, while a result is awaited
      events: () => handle?.events() ?? nothing(),
      cancel: (by) => handle?.cancel(by),
      stop: () => handle?.stop(),
    };
  }

  /** Lets time pass; kills the process when nothing happens any more. */
  async #passUntil(
    promise: Promise<unknown>,
    process: SimulatedProcess,
    run: string,
  ): Promise<void> {
    for (;;) {
      const before = this.world.storedSeq(run);
      const sinceMs = this.world.clock.now();
      const waited = await this.world.clock.passUntil(promise, PATIENCE_MS);
      if (waited === 'settled') return;
      // other nodes may run for ever beside a hanging effect
      const hangs = this.world.executions.some(
        ({ process: number, ending, startedAtMs }) =>
          number === process.number && ending === undefined && startedAtMs <= sinceMs,
      );
      if (this.world.storedSeq(run) > before && !hangs) continue;
      this.#killStuck(process, run);
    }
  }

  #killStuck(process: SimulatedProcess, run: string): void {
    const isWaiting = this.world.executions.some(
      ({ process: number, ending }) =>
        number === process.number && (ending === undefined || ending.type === 'threw'),
    );
    this.world.record(isWaiting ? 'hung' : 'stuck', run);
    process.die();
  }
}

function notHere(run: string): never {
  throw new ErrandError({
    kind: 'run.already_active',
    message: `The run ${run} is executed by another process`,
  });
}

/** A process that died before it began has no events. */
async function* nothing(): AsyncGenerator<RunEvent> {
  // nothing was stored
}

/**
 * Plays a workflow to its end in a simulated world: starts it, answers its gates, and resumes it after each
 * fault. No effect is executed: each one succeeds with a value that fits, unless the options say otherwise.
 * @example
 * ```ts
 * import { workflow } from 'errand';
 * import { simulate } from 'errand/testing';
 *
 * const pay = workflow({
 *   name: 'pay',
 *   entryPoint: 'charge',
 *   nodes: [{ name: 'charge', type: 'script', command: './charge.sh', idempotent: true }],
 * });
 * const busy = { kind: 'internal.script_error', message: 'The bank is busy' };
 * const { result, executions } = await simulate(pay.plan, { fails: { charge: [busy, null] }, resumes: 1 });
 * console.log(result.status, executions.length); // completed 2
 * ```
 */
export async function simulate(
  plan: WorkflowPlan,
  options: SimulationOptions = {},
): Promise<Simulation> {
  const backend = new SimulatedBackend(plan, options);
  const { world } = backend;
  const operator = new Operator({
    answers: options.answers ?? {},
    resumes: options.resumes ?? 0,
    random: (...words) => world.random(...words),
    cancels: options.faults?.cancels ?? 0,
    misanswers: options.faults?.misanswers ?? 0,
    rewinds: options.rewinds ?? 0,
    started: () => world.started(world.latestRun),
    lastGate: () => world.lastGate(world.latestRun),
    now: () => world.clock.now(),
    answered: (gate) => world.answered(world.latestRun, gate),
  });
  const rehearsal = new Rehearsal(backend, options);
  let next: NextLeg = { type: 'resume', afterMs: 0 };
  for (let count = 0; next.type !== 'end' && count < (options.maxLegs ?? 50); count++) {
    await world.clock.passUntil(world.clock.sleep(next.afterMs));
    await rehearsal.leg(next);
    // events may be stored that the leg has not yet passed on
    next = operator.next(world.resultOf(world.latestRun));
  }
  return finish(backend, rehearsal.legs);
}

async function finish(backend: SimulatedBackend, legs: readonly Leg[]): Promise<Simulation> {
  const { world } = backend;
  const commits: StoredCommit[] = [];
  if (world.latestRun === '')
    throw new ErrandError({ kind: 'internal.invariant', message: 'The run was never stored' });
  for await (const commit of world.store.read(world.latestRun)) commits.push(commit);
  backend.kill();
  return {
    run: world.latestRun,
    result: world.resultOf(world.latestRun),
    commits,
    // written by the engine, and stored as JSON
    events: commits.flatMap(({ events }) => events as unknown as readonly RunEvent[]),
    executions: world.executions,
    incidents: world.incidents,
    warnings: world.warnings,
    rivalries: world.rivalries,
    legs,
  };
}
