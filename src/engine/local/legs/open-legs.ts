/** The legs that this process executes: opens each with its loop, log and lease, and cleans up after its end. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EffectClock } from '../../../effects/clock.ts';
import type { Redactor } from '../../../errors/redaction/redact.ts';
import type { ErrorReport } from '../../../errors/report/report.ts';
import { isKind } from '../../../errors/thrown/errand-error.ts';
import type { InternalRecord } from '../../../errors/thrown/internal-record.ts';
import { toReport } from '../../../errors/thrown/to-report.ts';
import { startedFacts } from '../../../history/trace-facts.ts';
import type {
  Claim,
  RunStore,
  StoredMessage,
  StoredCommit,
} from '../../../machine/ports/store-port.ts';
import type { RunState } from '../../../machine/state/state.ts';
import { unavailable } from '../../../stores/store-failure.ts';
import { INLINE_CEILING_MS } from '../../../workflow/plan/plan-limits.ts';
import type { LegOrigin, LegWorkflow, RunOptions } from '../../backend.ts';
import { Breakers } from '../../run/breakers.ts';
import type { EffectRunner } from '../../run/effect-runner.ts';
import { endLeftRunning } from '../../run/end-left-running.ts';
import { LogWriter, retryStoreOutage } from '../../run/log-writer.ts';
import { readThroughOutages } from '../read-through-outages.ts';
import { keepCheckpoint, worthSaving, type Worth } from '../../run/checkpoints/keep-checkpoint.ts';
import type { Recovered } from '../../run/recover.ts';
import { RunLoop, type LegEnd } from '../../run/run-loop.ts';
import { SharedTimer } from '../../run/shared-timer.ts';
import type { LegTelemetry } from '../../run/telemetry-port.ts';
import type { Claims } from '../run-claims.ts';
import { LeaseKeeper } from '../lease-keeper.ts';
import type { LocalOptions } from '../local-options.ts';
import { LocalRunHandle, type HandleBackend } from '../run-handle.ts';

export interface OpenLegsParts {
  readonly options: LocalOptions;
  readonly clock: EffectClock;
  readonly redactor: Redactor;
  readonly claims: Claims;
  readonly cancel: (run: string, by?: string) => void;
  readonly onWarning: (error: ErrorReport) => void;
}

export interface OpenedLeg {
  readonly leg: LocalRunHandle;
  readonly loop: RunLoop;
}

interface NewLeg {
  readonly recovered: Pick<Recovered, 'state' | 'checkpointSeq'>;
  readonly claim: Claim;
  readonly options: RunOptions & LegOrigin & Pick<LegWorkflow, 'effects'>;
  /** Number of the leg's first event. */
  readonly firstSeq: number;
  readonly telemetry?: LegTelemetry | undefined;
}

interface EndedLeg extends Pick<Recovered, 'state' | 'checkpointSeq'> {
  readonly end: LegEnd;
}

function ignoreProgress(): void {
  // nobody listens
}

type ProgressListener = NonNullable<RunOptions['onProgress']>;

function bothListeners(
  ofLeg: ProgressListener | undefined,
  ofAll: ProgressListener | undefined,
): ProgressListener {
  if (ofLeg === undefined || ofAll === undefined) return ofLeg ?? ofAll ?? ignoreProgress;
  return (progress) => {
    ofAll(progress);
    ofLeg(progress);
  };
}

export class OpenLegs {
  readonly #parts: OpenLegsParts;
  readonly #store: RunStore;
  readonly #timer: SharedTimer;
  readonly #breakers: Breakers;
  readonly #leases: LeaseKeeper | undefined;
  readonly #legs = new Map<string, LocalRunHandle>();
  /** Runs that somebody stopped here on purpose, until their leg has ended. */
  readonly #stopped = new Set<string>();
  /** Legs until their claim is released. */
  readonly #holders = new Set<LocalRunHandle>();
  /** How many claims are being asked for that have no leg yet. */
  #openings = 0;
  #opened: PromiseWithResolvers<void> | undefined;
  #isDraining = false;
  #isClosing = false;
  // made once: there may be thousands of runs
  readonly #onInternal = (record: InternalRecord): void => this.#parts.options.onInternal?.(record);
  readonly #ofHandles: HandleBackend = {
    read: (run, fromSeq) => this.#readPatiently(run, fromSeq),
    cancel: (run, by) => this.#parts.cancel(run, by),
    noteStop: (claim) => void this.#noteStop(claim),
  };

  constructor(parts: OpenLegsParts) {
    const { options, clock, onWarning } = parts;
    this.#parts = parts;
    this.#store = options.store;
    this.#timer = new SharedTimer(clock);
    this.#breakers = new Breakers(options.store, clock, onWarning);
    this.#leases =
      options.isShared === false ? undefined : new LeaseKeeper(options.store, clock, onWarning);
  }

  get(run: string): LocalRunHandle | undefined {
    return this.#legs.get(run);
  }

  /** The log of a run. A run that is executed here survives outages, so reads of its log do too. */
  read(run: string, fromSeq = 1): AsyncIterable<StoredCommit> {
    return this.#legs.has(run) ? this.#readPatiently(run, fromSeq) : this.#store.read(run, fromSeq);
  }

  #readPatiently(run: string, fromSeq: number): AsyncIterable<StoredCommit> {
    const patience = { clock: this.#parts.clock, onOutage: this.patience() };
    return readThroughOutages((from) => this.#store.read(run, from), fromSeq, patience);
  }

  /**
   * The leg that takes messages. Undefined also for a leg that failed and stores nothing more, as
   * when its store is away.
   */
  async accepting(run: string): Promise<LocalRunHandle | undefined> {
    const leg = this.#legs.get(run);
    if (leg?.loop?.hasFailed !== true) return leg;
    await Promise.allSettled([leg.result()]);
    return undefined;
  }

  all(): readonly LocalRunHandle[] {
    return [...this.#legs.values()];
  }

  /**
   * Ends every leg, also those opened later, as soon as its effects under way have ended; stops the
   * rest when `isOver` settles. Fulfilled when no leg holds a claim and, unless the time is over,
   * none is being asked for.
   */
  async drain(isOver: Promise<unknown>): Promise<void> {
    this.#isDraining = true;
    for (const { loop } of this.all()) loop?.drain();
    let isLate = false;
    const stop = (): void => {
      isLate = true;
      for (const { loop } of this.all()) loop?.stop();
    };
    // the time is over even where it cannot be measured
    const late = isOver.then(stop, stop);
    const awaited = new Set<LocalRunHandle>();
    for (;;) {
      const legs = [...this.#holders].filter((leg) => !awaited.has(leg));
      const isOpening = this.#openings > 0 && !isLate;
      if (legs.length === 0 && !isOpening) return;
      await Promise.allSettled(legs.map((leg) => leg.result()));
      for (const leg of legs) awaited.add(leg);
      if (isOpening) await Promise.race([this.#noOpenings(), late]);
    }
  }

  /** Fulfilled once every claim that is asked for now has its leg or was refused. */
  async #noOpenings(): Promise<void> {
    if (this.#openings === 0) return;
    await (this.#opened ??= Promise.withResolvers()).promise;
  }

  /** Stops every leg; fulfilled once none holds a claim any more, so that the store may be closed. */
  async close(): Promise<void> {
    this.#isClosing = true;
    // not on purpose: another process may resume them
    for (const { loop } of this.all()) loop?.stop();
    // an opening adds a leg
    while (this.#openings > 0 || this.#holders.size > 0) {
      const legs = [...this.#holders];
      const opened = this.#noOpenings();
      const results = await Promise.allSettled(legs.map((leg) => leg.result()));
      for (const leg of legs) this.#holders.delete(leg);
      // a leg that ended in a defect must not keep the store open
      for (const result of results)
        if (result.status === 'rejected') this.#parts.onWarning(toReport(result.reason));
      await opened;
    }
  }

  /**
   * How a write before the leg meets an outage: no write waits for the store while this process
   * closes.
   */
  patience(asked?: 'halt' | 'wait'): () => 'halt' | 'wait' {
    return () => (this.#isClosing ? 'halt' : (asked ?? this.#parts.options.onOutage ?? 'halt'));
  }

  /** Claims a run and makes a leg for the claim; releases it when that throws. A close waits for it. */
  async openFor<H>(
    acquire: () => Promise<Claim>,
    makeLeg: (claim: Claim) => Promise<H>,
  ): Promise<H> {
    if (this.#isClosing) throw unavailable('closed');
    this.#openings++;
    try {
      const claim = await acquire();
      try {
        return await makeLeg(claim);
      } catch (refusal) {
        await this.#warnIfStoreFails(() => this.#parts.claims.release(claim));
        throw refusal;
      }
    } finally {
      this.#openings--;
      if (this.#openings === 0) {
        this.#opened?.resolve();
        this.#opened = undefined;
      }
    }
  }

  open({ recovered, claim, options, firstSeq, telemetry }: NewLeg): OpenedLeg {
    const { state, checkpointSeq } = recovered;
    const { clock, redactor, onWarning, options: backend } = this.#parts;
    const { onOutage = 'halt' } = backend;
    const effects = options.effects ?? backend.effects;
    const log = new LogWriter({
      state,
      claim,
      store: this.#store,
      clock,
      telemetry,
      // a run that is being stopped does not wait for a store that may never be back
      onOutage: () => (loop.isStopping ? 'halt' : onOutage),
    });
    const loop: RunLoop = new RunLoop({
      state,
      log,
      effects,
      breakers: this.#breakers,
      stillOwned: () => this.#leases?.confirm(state.run, log),
      clock,
      timer: this.#timer,
      nextTurn,
      redactor,
      ...(effects.leftRunning === undefined ? {} : { leftRunning: effects.leftRunning }),
      inlineMs: options.wait === true ? Infinity : INLINE_CEILING_MS,
      storedThrough: firstSeq - 1,
      telemetry,
      trace: options.trace ?? undefined,
      onEvent: (event) => {
        telemetry?.note(event, startedFacts(state, event));
        leg.notify(event);
      },
      onProgress: bothListeners(options.onProgress, backend.onProgress),
      onInternal: this.#onInternal,
      onWarning,
    });
    const leg = new LocalRunHandle({
      loop,
      options,
      firstSeq,
      epoch: claim.epoch,
      backend: this.#ofHandles,
      onEnd: (end) => {
        telemetry?.end();
        const { status } = state;
        const left = status === 'cancelled' ? this.#endLeftRunning(state, effects) : undefined;
        return this.#endLeg(leg, claim, { end, state, checkpointSeq }, left);
      },
      onEvent: backend.onEvent,
    });
    this.#legs.set(state.run, leg);
    this.#holders.add(leg);
    if (this.#isDraining) loop.drain();
    if (this.#isClosing) loop.stop();
    this.#leases?.add(leg, claim, this.#parts.claims.askedAtMs(claim));
    return { leg, loop };
  }

  /**
   * Messages sent to the run before the leg that is about to open; later ones are delivered to the
   * leg. Repeats the read during an outage: the run is stored already, perhaps with a requested
   * effect, so it must not be given up.
   */
  async messagesTo(run: string): Promise<readonly StoredMessage[]> {
    if (this.#leases === undefined) return [];
    const patience = { clock: this.#parts.clock, onOutage: this.patience() };
    return retryStoreOutage(() => this.#store.messages(run), patience);
  }

  async #endLeftRunning(state: RunState, effects: EffectRunner): Promise<void> {
    const warning = await endLeftRunning(state, effects);
    if (warning !== undefined) this.#parts.onWarning(warning);
  }

  /**
   * Cleans up after a leg, and releases its claim. Usually the release is all, and no waiting
   * function keeps the state, so thousands of legs may end at once.
   */
  #endLeg(
    leg: LocalRunHandle,
    claim: Claim,
    ended: EndedLeg,
    left: Promise<void> | undefined,
  ): Promise<void> {
    const isReported = ended.end.type === 'store';
    const kept =
      left === undefined
        ? this.#beforeRelease(claim, ended)
        : left.then(() => this.#beforeRelease(claim, ended));
    return kept === undefined
      ? this.#release(leg, claim, isReported)
      : kept.then(() => this.#release(leg, claim, isReported));
  }

  #beforeRelease(claim: Claim, { end, ...ended }: EndedLeg): Promise<void> | undefined {
    this.#leases?.remove(claim.run);
    this.#legs.delete(claim.run);
    const isStopped = this.#stopped.delete(claim.run) && end.type === 'stopped';
    const isWhole = end.type !== 'store' && end.type !== 'defect';
    const worth = isWhole ? worthSaving(ended, this.#parts.options) : 'nothing';
    return isStopped || worth !== 'nothing' ? this.#keep(claim, isStopped, worth) : undefined;
  }

  async #keep(claim: Claim, isStopped: boolean, worth: Worth): Promise<void> {
    // again: events that were stored since the stop came after the first note
    if (isStopped) await this.#warnIfStoreFails(() => this.#store.noteStop(claim));
    if (worth !== 'nothing')
      await this.#warnIfStoreFails(() => keepCheckpoint(this.#store, claim, worth));
  }

  async #release(leg: LocalRunHandle, claim: Claim, isReported: boolean): Promise<void> {
    // a claim that is not released ends with this process or with its lease
    await this.#warnIfStoreFails(() => this.#parts.claims.release(claim), isReported);
    this.#holders.delete(leg);
  }

  /** At once, because the process may be killed before its effects have ended. */
  async #noteStop(claim: Claim): Promise<void> {
    if (this.#stopped.has(claim.run)) return;
    // a leg that has ended cannot be stopped, and the next one of its run may be open here
    if (this.#legs.get(claim.run)?.epoch === claim.epoch) this.#stopped.add(claim.run);
    await this.#warnIfStoreFails(() => this.#store.noteStop(claim));
  }

  /**
   * For writes that an ended leg can do without. `isReported`: the leg's result already reports the
   * outage.
   */
  async #warnIfStoreFails(write: () => Promise<void>, isReported = false): Promise<void> {
    try {
      await write();
    } catch (thrown) {
      if (!isKind(thrown, 'store.*')) throw thrown;
      if (!isReported) this.#parts.onWarning(toReport(thrown));
    }
  }
}
