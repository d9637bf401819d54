/**
 * Circuit breakers: one for each target, shared by every run of the process and kept in the store, so
 * that a restart does not forget it. An open breaker is recorded as a failure of the effect that it
 * guards, so a replay needs none.
 */
import type { EffectResult } from '../../effects/effect.ts';
import { isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import {
  askBreaker,
  breakerFailed,
  breakerSucceeded,
  CLOSED,
  type BreakerState,
} from '../../machine/policy/breaker.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { RunStore } from '../../machine/ports/store-port.ts';
import type { EffectClock } from '../../effects/clock.ts';

export interface BreakerChange {
  readonly target: string;
  readonly from: BreakerState['state'];
  readonly to: BreakerState['state'];
}

export interface GuardedResult {
  readonly result: EffectResult;
  readonly changes: readonly BreakerChange[];
}

export class Breakers {
  readonly #store: RunStore;
  readonly #clock: EffectClock;
  readonly #known = new Map<string, BreakerState>();
  readonly #onWarning: (error: ErrorReport) => void;
  #loaded: Promise<void> | undefined;

  constructor(store: RunStore, clock: EffectClock, onWarning: (error: ErrorReport) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onWarning = onWarning;
  }

  /** Runs the effect, unless its target is known to be broken. */
  async guard(request: EffectRequest, run: () => Promise<EffectResult>): Promise<GuardedResult> {
    const target = targetOf(request);
    if (target === undefined) return { result: await run(), changes: [] };
    await (this.#loaded ??= this.#quietly(() => this.#load()));
    const changes: BreakerChange[] = [];
    const permission = askBreaker(this.#stateOf(target), this.#clock.now());
    if (!permission.allowed)
      return { result: refused(target, permission.untilMs - this.#clock.now()), changes };
    await this.#set(target, permission.next, changes);
    const result = await run();
    const before = this.#stateOf(target);
    const next = result.ok
      ? breakerSucceeded(before)
      : breakerFailed(before, result.failure.kind, this.#clock.now());
    await this.#set(target, next, changes);
    return { result, changes };
  }

  #stateOf(target: string): BreakerState {
    return this.#known.get(target) ?? CLOSED;
  }

  async #set(target: string, next: BreakerState, changes: BreakerChange[]): Promise<void> {
    const before = this.#stateOf(target);
    if (next === before) return;
    this.#known.set(target, next);
    if (next.state === before.state) return;
    changes.push({ target, from: before.state, to: next.state });
    // the next process starts from here; counts below the threshold are this one's own
    await this.#quietly(() =>
      this.#store.setBreaker(target, next.state === 'closed' ? null : { ...next }),
    );
  }

  /** A store that fails shows in the commits of the runs; a breaker is no reason to fail one. */
  async #quietly(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      this.#onWarning(toReport(thrown));
    }
  }

  async #load(): Promise<void> {
    for (const [target, value] of await this.#store.breakers()) {
      const state = readState(value);
      if (state !== undefined && !this.#known.has(target)) this.#known.set(target, state);
    }
  }
}

/** A model at its provider, a tool of a server, or a node whose file asks for it. */
function targetOf({ ref, work, node, workflow }: EffectRequest): string | undefined {
  if (work.type === 'model') return ref.target;
  if ('hasBreaker' in node && node.hasBreaker === true) return `node ${workflow}/${node.name}`;
  return work.type === 'tool' && work.tool.includes('/') ? work.tool : undefined;
}

function refused(target: string, waitMs: number): EffectResult {
  return {
    ok: false,
    keptBack: 'breaker',
    failure: {
      kind: 'breaker.open',
      message: `${target} failed too often, so Errand does not call it for a while`,
      outcome: 'not_started',
      provider: { retryAfterMs: Math.max(1, Math.ceil(waitMs)) },
      details: { target },
    },
  };
}

/** A probe that was running when its process ended will never report. */
function readState(value: JsonValue): BreakerState | undefined {
  if (!isPlainObject(value)) return undefined;
  const { state, untilMs, successes } = value;
  if (state === 'open' && typeof untilMs === 'number') return { state, untilMs };
  if (state === 'half_open' && typeof successes === 'number')
    return { state, successes, isProbing: false };
  return undefined;
}
