/**
 * Everything around the engine: one clock, one store, the effects, and the processes that come and
 * go. All of it follows from the seed, and it keeps its own books.
 */
import { hashText } from '../../workflow/hash.ts';
import type { EffectContext } from '../../effects/effect.ts';
import type { NamedGuard } from '../../effects/guard.ts';
import type { JsonValue } from '../../errors/json.ts';
import type { ErrorReport, ReportDraft } from '../../errors/report.ts';
import { toReport } from '../../errors/to-report.ts';
import type { EffectRequest } from '../../machine/effect-request.ts';
import type { RunEvent } from '../../machine/events.ts';
import type { RunStore } from '../../machine/store-port.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import type { WorkflowPlan } from '../../workflow/model.ts';
import { standingAt } from '../leg.ts';
import { LocalDriver, type RunResult } from '../local.ts';
import { witnessed } from '../lost-log.ts';
import type { Execution } from './execution.ts';
import { drawFate, exampleOutput, type Fate, type WhenStopped } from './fate.ts';
import type { FaultPlan, Incident } from './faults.ts';
import { withoutEnd } from './lost-end.ts';
import type { Speaker } from './model-fate.ts';
import { randomFrom, type Random, type SeedWord } from './random.ts';
import { newBooks, noteStored, type Books } from './books.ts';
import { claimAsRival, CLOCKS_AHEAD_MS, type Rivalry } from './rival.ts';
import { away, drawServerTrouble } from './server-fate.ts';
import { simulatedEffects, type Begun } from './simulated-effects.ts';
import { simulatedStore, type CommitFault } from './simulated-store.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface WorldOptions {
  readonly plan: WorkflowPlan;
  readonly seed: number;
  readonly faults: FaultPlan;
  /** What effects give when they succeed, by path or by name of the node. */
  readonly outputs: Readonly<Record<string, JsonValue>>;
  /** What effects fail with, one try after the other; null succeeds. */
  readonly fails: Readonly<Record<string, readonly (ReportDraft | null)[]>>;
  /** Effects whose first try does not end by itself, by path, and what they do when told to stop. */
  readonly hangs: Readonly<Record<string, WhenStopped>>;
  /** Whether processes look for what others say to their runs. */
  readonly isShared: boolean;
  /** What models say that have no script. */
  readonly speaker: Speaker | undefined;
  readonly guards: readonly NamedGuard[];
  readonly deaths: readonly Death[];
}

/** A process that dies around one commit, counted from 1 over all processes. */
export interface Death {
  readonly commit: number;
  readonly when: 'before' | 'after';
}

/** One life of a driver. Dead, it can neither act nor hear anything. */
export interface SimulatedProcess {
  readonly number: number;
  readonly driver: LocalDriver;
  readonly died: Promise<void>;
  isAlive(): boolean;
  die(): void;
}

interface Machine {
  /** How far its clock is ahead of that of the store. */
  readonly aheadMs: number;
  /** Whether it can tell of the owner of a claim whether it lives. */
  readonly seesOwners: boolean;
}

const START_MS = Date.parse('2026-03-01T12:00:00.000Z');
/** What a driver said beside its runs. */
export interface Warning {
  readonly kind: string;
  readonly atMs: number;
}

/** In one world of so many, runs are long enough for checkpoints; making them takes time. */
const CHECKPOINT_WORLDS = 4;
const CHECKPOINT_EVENTS = 8;

/** The longest that a slow commit takes. */
const SLOW_MS = 3000;

export class World {
  readonly clock: VirtualClock = new VirtualClock(START_MS);
  readonly #whole: RunStore = openMemoryStore({ now: () => this.clock.now() });
  /** What the log of a run has become that lost its end, until somebody puts it back. */
  #lost: RunStore | undefined;
  /** By run: the event that was exported last. */
  readonly #exported = new Map<string, RunEvent>();
  readonly rivalries: Rivalry[] = [];
  readonly executions: Execution[] = [];
  readonly incidents: Incident[] = [];
  readonly warnings: Warning[] = [];
  /** What is rehearsed; effects fail with kinds that it knows. */
  readonly plan: WorkflowPlan;
  readonly #options: WorldOptions;
  readonly #random: Random;
  readonly #living = new Set<string>();
  readonly #books = new Map<string, Books>();
  /** By name: when servers of tools are there again. */
  readonly #awayUntilMs = new Map<string, number>();
  #processes = 0;
  #commits = 0;
  #faults = 0;
  #reports = 0;
  #latestRun = '';

  constructor(options: WorldOptions) {
    this.#options = options;
    this.plan = options.plan;
    this.#random = this.random('world');
  }

  get store(): RunStore {
    return this.#lost ?? this.#whole;
  }

  /** Somebody deletes a part of the files of the store; `leg` tells one time from another. */
  async loseEnd(run: string, leg: number): Promise<void> {
    const seenSeq = this.#exported.get(run)?.seq;
    const random = this.random('lost end', leg);
    if (seenSeq === undefined || !random.chance(this.#options.faults.logLosesEnd)) return;
    const now = (): number => this.clock.now();
    const lost = await withoutEnd(this.#whole, run, { seenSeq, random, now });
    if (lost !== undefined && this.record('log lost its end', run)) this.#lost = lost;
  }

  /** Somebody puts the files back. */
  findEnd(): void {
    this.#lost = undefined;
  }

  /** A process of another machine wants the run that this one has. */
  async rival(run: string, process: number): Promise<void> {
    const atMs = this.clock.now();
    const aheadMs = this.random('rival', run, atMs).pick(CLOCKS_AHEAD_MS);
    if (!this.record('rival', run)) return;
    const rival = this.#spawnRival(aheadMs);
    const came = await claimAsRival(rival.driver, run);
    this.rivalries.push({ atMs, endedAtMs: this.clock.now(), aheadMs, process, ...came });
    rival.die();
  }

  /** A stream of chance of its own. */
  random(...words: readonly SeedWord[]): Random {
    return randomFrom(this.#options.seed, ...words);
  }

  /** The run that was created last. */
  get latestRun(): string {
    return this.#latestRun;
  }

  storedSeq(run: string): number {
    return this.#books.get(run)?.seq ?? 0;
  }

  answered(run: string, gate: string): number {
    return this.#books.get(run)?.answers.get(gate) ?? 0;
  }

  /** The gate that was answered or ran out last. */
  lastGate(run: string): string | undefined {
    return this.#books.get(run)?.lastGate;
  }

  /** A gate that nobody has answered, and something that may be answered there. */
  openGate(run: string): { readonly gate: string; readonly value: JsonValue } | undefined {
    const [first] = this.#books.get(run)?.open ?? [];
    return first === undefined ? undefined : { gate: first[0], value: first[1] };
  }

  /** How the run stands by its log: at rest, or else interrupted. */
  standing(run: string): RunResult {
    return standingAt(this.#books.get(run)?.last);
  }

  /** The report of a failure that comes from outside of any run, with the time of this world. */
  report(thrown: unknown): ErrorReport {
    const at = new Date(this.clock.now()).toISOString();
    return toReport(thrown, { stamp: { id: `err_world_${++this.#reports}`, at } });
  }

  /** Writes down a fault. False when the world has had enough of them. */
  record(what: Incident['what'], run: string): boolean {
    if (this.#faults >= this.#options.faults.most && what !== 'hung' && what !== 'stuck')
      return false;
    this.#faults++;
    this.incidents.push({ what, atMs: this.clock.now(), afterSeq: this.storedSeq(run) });
    return true;
  }

  spawn(): SimulatedProcess {
    return this.#spawn({ aheadMs: 0, seesOwners: true });
  }

  /** Of another machine, where the pids of this one mean nothing. */
  #spawnRival(aheadMs: number): SimulatedProcess {
    return this.#spawn({ aheadMs, seesOwners: false });
  }

  #spawn({ aheadMs, seesOwners }: Machine): SimulatedProcess {
    const number = ++this.#processes;
    const id = `process-${number}`;
    const { promise: died, resolve } = Promise.withResolvers<void>();
    this.#living.add(id);
    const isAlive = (): boolean => this.#living.has(id);
    const die = (): void => {
      if (!isAlive()) return;
      this.#living.delete(id);
      for (const execution of this.executions)
        if (execution.process === number) execution.ending ??= { type: 'died' };
      resolve();
    };
    const { clock } = this;
    const driver = new LocalDriver({
      store: witnessed(simulatedStore(this.#storeWorld(isAlive, die, seesOwners)), (run) =>
        this.#exported.get(run),
      ),
      effects: simulatedEffects({
        clock,
        isAlive,
        guards: this.#options.guards,
        begin: (request, context) => this.#begin(request, context, number),
      }),
      clock: {
        now: () => clock.now() + aheadMs,
        after: (ms, call) => clock.after(ms, () => (isAlive() ? call() : undefined)),
      },
      newId: this.#newIds(id),
      isShared: this.#options.isShared,
      ...(this.#options.seed % CHECKPOINT_WORLDS === 0
        ? { checkpointEvents: CHECKPOINT_EVENTS }
        : {}),
      onEvent: (event) => void this.#exported.set(event.run, event),
      onWarning: ({ kind }) => this.warnings.push({ kind, atMs: clock.now() }),
    });
    return { number, driver, died, isAlive, die };
  }

  /** The first name that a driver asks for is its own; the others are names of runs. */
  #newIds(process: string): () => string {
    let asked = 0;
    const world = hashText(String(this.#options.seed)).slice(0, 8);
    // after a death before the first commit the same run is begun again, by the same name
    return () => (asked++ === 0 ? process : `run-${world}-${this.#books.size + 1}`.slice(0, 13));
  }

  #storeWorld(
    isAlive: () => boolean,
    die: () => void,
    seesOwners: boolean,
  ): Parameters<typeof simulatedStore>[0] {
    const present = (): RunStore => this.store;
    return {
      get store() {
        return present();
      },
      isAlive,
      die,
      isOwnerAlive: (owner) => !seesOwners || this.#living.has(owner),
      drawFault: (run) => this.#drawFault(run),
      slowly: () => this.clock.sleep(1 + this.#random.int(SLOW_MS)),
      stealClaim: (run) => this.#stealClaim(run),
      stored: (run, events) => this.#stored(run, events),
      // an error keeps the report that it was first asked for
      stamp: (thrown) => (this.report(thrown), thrown),
      drawDamage: (commits) => {
        const { logDamaged } = this.#options.faults;
        // the end of a log can be missing without a gap; a store finds that by its own head
        const isDamaged = commits >= 2 && this.#random.chance(logDamaged);
        return isDamaged ? this.#random.int(commits - 1) : undefined;
      },
      // what a rival meets is refused to the rival, and no leg of the run knows of it
      damaged: (run) => seesOwners && this.record('log damaged', run),
    };
  }

  #drawFault(run: string): CommitFault | undefined {
    const { faults, deaths } = this.#options;
    const commit = ++this.#commits;
    const death = deaths.find((each) => each.commit === commit);
    if (death !== undefined) return this.#planned(death, run);
    const chances: readonly (readonly [CommitFault, number, Incident['what']])[] = [
      ['slow', faults.storeSlow, 'store slow'],
      ['refused', faults.storeRefuses, 'store refused'],
      ['forgotten', faults.storeForgets, 'store forgot'],
      ['claim lost', faults.claimLost, 'claim lost'],
      ['dies before', faults.diesBefore, 'died before commit'],
      ['dies after', faults.diesAfter, 'died after commit'],
    ];
    let draw = this.#random.next();
    for (const [fault, chance, what] of chances) {
      if (draw < chance) return this.record(what, run) ? fault : undefined;
      draw -= chance;
    }
    return undefined;
  }

  #planned({ when }: Death, run: string): CommitFault {
    const what = `died ${when} commit` as const;
    this.incidents.push({ what, atMs: this.clock.now(), afterSeq: this.storedSeq(run) });
    return `dies ${when}`;
  }

  async #stealClaim(run: string): Promise<void> {
    if (!this.#books.has(run)) return;
    const owner = { id: 'thief', host: 'elsewhere', pid: 1, processStartedAt: '' };
    const claim = await this.store.claim({ run, owner, leaseMs: 1, isAlive: () => false });
    await this.store.release(claim);
  }

  #stored(run: string, events: readonly object[]): void {
    const books = this.#books.get(run) ?? newBooks();
    this.#books.set(run, books);
    this.#latestRun = run;
    noteStored(books, events);
  }

  #begin(request: EffectRequest, { run, attempt }: EffectContext, process: number): Begun {
    const { ref, path } = request;
    const heard = this.#heard(run, ref.key);
    const before = this.executions.filter(({ effect }) => effect.key === ref.key).length;
    const drawn = this.#drawFate(request, run);
    const fate = this.#hanging(path, drawn);
    const execution: Execution = {
      number: this.executions.length + 1,
      process,
      run,
      effect: ref,
      work: request.work,
      node: request.node.name,
      path,
      attempt,
      isIdempotent: request.isIdempotent,
      afterSeq: this.storedSeq(run),
      startedAtMs: this.clock.now(),
      isAborted: false,
    };
    this.executions.push(execution);
    // what was killed because it hung does not hang for ever
    const isOver = fate.type === 'hangs' && before > heard;
    const toolMs = this.#toolMs(request);
    return { execution, fate: isOver ? succeeding(request, fate) : fate, toolMs };
  }

  /** The first try of what is told to hang; later ones take no time. */
  #hanging(path: string, fate: Fate): Fate {
    const hangs = this.#options.hangs[path];
    if (hangs === undefined) return fate;
    const isFirst = !this.executions.some((execution) => execution.path === path);
    return isFirst ? hanging(fate, hangs) : { ...fate, latencyMs: 0 };
  }

  /** Two files that mean different tools by one name are beyond this world. */
  #toolMs({ work }: EffectRequest): number {
    if (work.type !== 'tool') return Infinity;
    const described = Object.values(this.plan.tools ?? {}).find((tools) =>
      Object.hasOwn(tools, work.tool),
    );
    return described?.[work.tool]?.timeoutMs ?? Infinity;
  }

  #drawFate(request: EffectRequest, run: string): Fate {
    const { faults, outputs, fails, speaker } = this.#options;
    const { path, node, ref } = request;
    const random = this.random('fate', ref.key, this.#heard(run, ref.key));
    const given = outputs[path] ?? outputs[node.name];
    const output = given ?? exampleOutput(request, random);
    const said: Speaker | undefined =
      given === undefined ? speaker : () => ({ type: 'answer', answer: given, delayMs: 0 });
    const drawn = drawFate(request, { plan: this.plan, faults, output, speaker: said }, random);
    const fate = this.#atServer(request, drawn, random);
    const told = fails[path] ?? fails[node.name];
    if (told === undefined) return fate;
    const failure = told[Math.min(this.#heard(run, path), told.length - 1)] ?? null;
    if (failure !== null) return { ...fate, type: 'fails', failure };
    const { work } = request;
    const answer =
      work.type === 'model' ? (work.call.simulated ?? said?.(work.call, random)) : undefined;
    return succeeding(request, fate, answer);
  }

  /** What its server makes of a call, where it has one. */
  #atServer(request: EffectRequest, fate: Fate, random: Random): Fate {
    const server = request.server?.name;
    const { serverFails } = this.#options.faults;
    if (server === undefined || serverFails === 0) return fate;
    const nowMs = this.clock.now();
    if (nowMs < (this.#awayUntilMs.get(server) ?? 0)) return { ...fate, ...away(request) };
    if (!random.chance(serverFails)) return fate;
    const { fate: met, awayMs = 0 } = drawServerTrouble(request, random);
    this.#awayUntilMs.set(server, nowMs + awayMs);
    return { ...fate, ...met };
  }

  #heard(run: string, name: string): number {
    return this.#books.get(run)?.results.get(name) ?? 0;
  }
}

/** The same, but nothing goes wrong. */
function succeeding(
  { work }: EffectRequest,
  fate: Fate,
  answer = work.type === 'model' ? work.call.simulated : undefined,
): Fate {
  return work.type === 'model'
    ? { ...fate, type: 'speaks', answer }
    : { ...fate, type: 'succeeds' };
}

/** The same, but it does not end before it is told to. */
function hanging(fate: Fate, whenStopped: WhenStopped): Fate {
  switch (whenStopped) {
    case 'finishes':
      return { ...fate, latencyMs: LONG_MS, isStubborn: true };
    case 'gives up':
      return { ...fate, type: 'hangs', stopMs: 0, isDeaf: false };
    case 'ignores it':
      return { ...fate, type: 'hangs', isDeaf: true };
  }
}

/** Longer than anything that runs beside it, and shorter than anybody's patience. */
const LONG_MS = 600_000;
