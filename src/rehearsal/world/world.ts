/**
 * The world around the engine: one clock, one store, effects, and processes that start and die. All
 * of it follows from the seed. It keeps its own record, which the laws compare with the log.
 */
import { hashText } from '../../workflow/plan/stable-hash.ts';
import type { NamedGuard } from '../../effects/run-guards.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import type { Answer } from '../../machine/gates/gate-answer.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { RunStore, StoredCommit } from '../../machine/ports/store-port.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { resultAt } from '../../engine/backend.ts';
import type { RunResult } from '../../engine/backend.ts';
import { LocalBackend } from '../../engine/local/local-backend.ts';
import { witnessed } from '../../engine/run/lost-log.ts';
import type { Execution } from './execution-record.ts';
import { Executions, type EffectSettings } from './executions.ts';
import type { Incident } from './faults.ts';
import { withoutEnd } from './lost-end.ts';
import { randomFrom, type Random, type SeedWord } from './random.ts';
import { newStoredFacts, noteStored, type StoredFacts } from './stored-facts.ts';
import { claimAsRival, CLOCKS_AHEAD_MS, type Rivalry } from './rival.ts';
import { simulatedEffects } from './simulated-effects.ts';
import { simulatedStore, type CommitFault } from './simulated-store.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface WorldOptions extends EffectSettings {
  readonly seed: number;
  /** Whether processes poll for messages to their runs. */
  readonly isShared: boolean;
  readonly guards: readonly NamedGuard[];
  readonly deaths: readonly Death[];
}

/** The death of a process around one commit, counted from 1 over all processes. */
export interface Death {
  readonly commit: number;
  readonly when: 'before' | 'after';
}

/** A process with one backend. Dead, it can neither act nor receive anything. */
export interface SimulatedProcess {
  readonly number: number;
  readonly backend: LocalBackend;
  readonly died: Promise<void>;
  isAlive(): boolean;
  die(): void;
}

interface Machine {
  /** How far its clock is ahead of the store's. */
  readonly aheadMs: number;
  /** Whether it can see that the owner of a claim is alive. */
  readonly seesOwners: boolean;
}

const START_MS = Date.parse('2026-03-01T12:00:00.000Z');

/** A warning of a backend. */
export interface Warning {
  readonly kind: string;
  readonly atMs: number;
}

/** Checkpoints take time to make, so only one world in this many makes them. */
const CHECKPOINT_WORLDS = 4;
const CHECKPOINT_EVENTS = 8;

/** The longest that a slow commit takes. */
const SLOW_MS = 3000;

export class World {
  readonly clock: VirtualClock = new VirtualClock(START_MS);
  readonly #whole: RunStore = openMemoryStore({ now: () => this.clock.now() });
  /** The store with the log that lost its end, until the files are put back. */
  #lost: RunStore | undefined;
  /** By run: the event that was exported last. */
  readonly #exported = new Map<string, RunEvent>();
  readonly rivalries: Rivalry[] = [];
  readonly executions: readonly Execution[];
  readonly #executions: Executions;
  readonly incidents: Incident[] = [];
  readonly warnings: Warning[] = [];
  readonly plan: WorkflowPlan;
  readonly #options: WorldOptions;
  readonly #random: Random;
  readonly #living = new Set<string>();
  readonly #facts = new Map<string, StoredFacts>();
  #processes = 0;
  #commits = 0;
  #faults = 0;
  #reports = 0;
  #latestRun = '';

  constructor(options: WorldOptions) {
    this.#options = options;
    this.plan = options.plan;
    this.#random = this.random('world');
    this.#executions = new Executions({
      settings: options,
      now: () => this.clock.now(),
      random: (...words) => this.random(...words),
      storedSeq: (run) => this.storedSeq(run),
      storedResults: (run, name) => this.#facts.get(run)?.results.get(name) ?? 0,
    });
    this.executions = this.#executions.all;
  }

  get store(): RunStore {
    return this.#lost ?? this.#whole;
  }

  /** Perhaps deletes a part of the store's files; `leg` gives each call its own draw. */
  async loseEnd(run: string, leg: number): Promise<void> {
    const seenSeq = this.#exported.get(run)?.seq;
    const random = this.random('lost end', leg);
    if (seenSeq === undefined || !random.chance(this.#options.faults.logLosesEnd)) return;
    const now = (): number => this.clock.now();
    const lost = await withoutEnd(this.#whole, run, { seenSeq, random, now });
    if (lost !== undefined && this.record('log lost its end', run)) this.#lost = lost;
  }

  /** Puts the files back. */
  findEnd(): void {
    this.#lost = undefined;
  }

  /** Lets a process of another machine claim the run that `process` owns. */
  async rival(run: string, process: number): Promise<void> {
    const atMs = this.clock.now();
    const aheadMs = this.random('rival', run, atMs).pick(CLOCKS_AHEAD_MS);
    if (!this.record('rival', run)) return;
    const rival = this.#spawnRival(aheadMs);
    const came = await claimAsRival(rival.backend, run);
    this.rivalries.push({ atMs, endedAtMs: this.clock.now(), aheadMs, process, ...came });
    rival.die();
  }

  /** A random stream of its own. */
  random(...words: readonly SeedWord[]): Random {
    return randomFrom(this.#options.seed, ...words);
  }

  /** The run that was created last. */
  get latestRun(): string {
    return this.#latestRun;
  }

  /** Commits that were tried, by all processes. */
  get commits(): number {
    return this.#commits;
  }

  storedSeq(run: string): number {
    return this.#facts.get(run)?.seq ?? 0;
  }

  answered(run: string, gate: string): number {
    return this.#facts.get(run)?.answers.get(gate) ?? 0;
  }

  /** The gate that was answered or expired last. */
  lastGate(run: string): string | undefined {
    return this.#facts.get(run)?.lastGate;
  }

  /** Paths of the nodes that were started, in that order. */
  started(run: string): readonly string[] {
    return [...(this.#facts.get(run)?.started ?? [])];
  }

  /** An open gate, and a value that it accepts. */
  openGate(run: string): Omit<Answer, 'by'> | undefined {
    const [first] = this.#facts.get(run)?.open ?? [];
    return first === undefined ? undefined : { gate: first[0], ...first[1] };
  }

  /** The result by the run's log; `interrupted` when its latest leg has not ended. */
  resultOf(run: string): RunResult {
    return resultAt(this.#facts.get(run)?.last);
  }

  /** Makes the report of a failure outside any run, with the time of this world. */
  report(thrown: unknown): ErrorReport {
    const at = new Date(this.clock.now()).toISOString();
    return toReport(thrown, { stamp: { id: `err_world_${++this.#reports}`, at } });
  }

  /** Records a fault. Returns false when the world may have no more faults. */
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

  /** Starts a process of another machine, where the pids of this one mean nothing. */
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
    const backend = new LocalBackend({
      store: witnessed(simulatedStore(this.#storeWorld(isAlive, die, seesOwners)), (run) =>
        this.#exported.get(run),
      ),
      effects: simulatedEffects({
        clock,
        isAlive,
        guards: this.#options.guards,
        begin: (request, context) => this.#executions.begin(request, context, number),
        isCorrected: ({ ref }) =>
          this.#options.director === undefined && this.random('corrected', ref.key).chance(0.5),
      }),
      clock: {
        now: () => clock.now() + aheadMs,
        after: (ms, call) => clock.after(ms, () => (isAlive() ? call() : undefined)),
      },
      newId: this.#newIds(id),
      isShared: this.#options.isShared,
      ...(this.#options.director === undefined ? {} : { interference: this.#options.director }),
      ...(this.#options.director === undefined && this.#options.seed % CHECKPOINT_WORLDS === 0
        ? { checkpointEvents: CHECKPOINT_EVENTS }
        : {}),
      onEvent: (event) => void this.#exported.set(event.run, event),
      onWarning: ({ kind }) => this.warnings.push({ kind, atMs: clock.now() }),
    });
    return { number, backend, died, isAlive, die };
  }

  /** The first id that a backend requests is its own; later ones are ids of runs. */
  #newIds(process: string): () => string {
    let requested = 0;
    const world = hashText(String(this.#options.seed)).slice(0, 8);
    // after a death before the first commit the same run is started again, under the same id
    return () =>
      requested++ === 0 ? process : `run-${world}-${this.#facts.size + 1}`.slice(0, 13);
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
      ...(this.#options.director === undefined ? {} : { known: this.#known }),
      isOwnerAlive: (owner) => !seesOwners || this.#living.has(owner),
      drawFault: (run, events) => this.#drawFault(run, events),
      slowly: () => this.clock.sleep(1 + this.#random.int(SLOW_MS)),
      stealClaim: (run) => this.#stealClaim(run),
      stored: (run, events) => this.#stored(run, events),
      // an error keeps the first report that is made of it
      stamp: (thrown) => (this.report(thrown), thrown),
      drawDamage: (commits) => {
        const { logDamaged } = this.#options.faults;
        // not the last commit: its loss leaves no gap, and a store finds it by its head
        const isDamaged = commits >= 2 && this.#random.chance(logDamaged);
        return isDamaged ? this.#random.int(commits - 1) : undefined;
      },
      // damage that a rival reads is reported to the rival alone, not to a leg of the run
      damaged: (run) => seesOwners && this.record('log damaged', run),
    };
  }

  #drawFault(run: string, events: readonly object[]): CommitFault | undefined {
    const { faults, deaths } = this.#options;
    const commit = ++this.#commits;
    const death = deaths.find((each) => each.commit === commit);
    if (death !== undefined) return this.#planned(death, run);
    if (this.#options.director !== undefined)
      return this.#options.director.commitFault?.({
        number: commit,
        sinceMs: this.clock.now() - START_MS,
        events,
      });
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
    if (!this.#facts.has(run)) return;
    const owner = { id: 'thief', host: 'far', pid: 1, processStartedAt: '' };
    const claim = await this.store.claim({ run, owner, leaseMs: 1, isAlive: () => false });
    await this.store.release(claim);
  }

  /** The log of the one run of a world with a director, as far as it was read. */
  readonly #known: StoredCommit[] = [];
  /** The stored events of the run; kept only where a director needs them. */
  readonly events: RunEvent[] = [];

  #stored(run: string, events: readonly object[]): void {
    const facts = this.#facts.get(run) ?? newStoredFacts();
    this.#facts.set(run, facts);
    this.#latestRun = run;
    // the engine made them; a commit that was repeated was stored once
    if (this.#options.director !== undefined)
      this.events.push(...(events as readonly RunEvent[]).filter(({ seq }) => seq > facts.seq));
    noteStored(facts, events);
  }
}
