/**
 * Circuit breakers: one for each target that can break. Failures are counted in the store over all
 * processes that use it, with one write each; a success writes nothing. An open breaker is recorded
 * as a failure of the effect that it guards, so a replay needs no breaker.
 */
import type { EffectResult } from '../../effects/effect-port.ts';
import { isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { identityOf } from '../../workflow/plan/stable-hash.ts';
import {
  askBreaker,
  breakerBefore,
  breakerFailed,
  breakerSucceeded,
  CLOSED,
  countsForBreaker,
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

/** A guarded thing: the name that people see, and the key that its breaker is stored under. */
interface Guarded {
  readonly target: string;
  readonly key: string;
}

interface CountedFailure {
  readonly kind: string;
  readonly beganMs: number;
  readonly nowMs: number;
}

const NO_CHANGES: readonly BreakerChange[] = [];

function unguarded(result: EffectResult): GuardedResult {
  return { result, changes: NO_CHANGES };
}

export class Breakers {
  readonly #store: RunStore;
  readonly #clock: EffectClock;
  readonly #known = new Map<string, BreakerState>();
  readonly #succeededMs = new Map<string, number>();
  readonly #onWarning: (error: ErrorReport) => void;
  #loaded: Promise<void> | undefined;

  constructor(store: RunStore, clock: EffectClock, onWarning: (error: ErrorReport) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onWarning = onWarning;
  }

  /** Runs the effect, unless its target is known to be broken. */
  guard(request: EffectRequest, run: () => Promise<EffectResult>): Promise<GuardedResult> {
    const guarded = guardedBy(request);
    return guarded === undefined ? run().then(unguarded) : this.#guard(guarded, run);
  }

  async #guard(guarded: Guarded, run: () => Promise<EffectResult>): Promise<GuardedResult> {
    const { target, key } = guarded;
    await (this.#loaded ??= this.#quietly(() => this.#load()));
    const changes: BreakerChange[] = [];
    const beganMs = this.#clock.now();
    const permission = askBreaker(this.#stateOf(key), beganMs);
    if (!permission.allowed)
      return { result: refused(target, permission.untilMs - beganMs), changes };
    await this.#set(guarded, permission.next, changes);
    const result = await run();
    const nowMs = this.#clock.now();
    if (result.ok) {
      this.#succeededMs.set(key, nowMs);
      await this.#set(guarded, breakerSucceeded(this.#stateOf(key)), changes);
    } else {
      const { kind } = result.failure;
      if (countsForBreaker(kind)) await this.#count(guarded, { kind, beganMs, nowMs }, changes);
      else await this.#set(guarded, breakerFailed(this.#stateOf(key), kind, nowMs), changes);
    }
    return { result, changes };
  }

  #stateOf(key: string): BreakerState {
    return this.#known.get(key) ?? CLOSED;
  }

  /** Adds a failure to those of all processes. */
  async #count(
    { target, key }: Guarded,
    { kind, beganMs, nowMs }: CountedFailure,
    changes: BreakerChange[],
  ): Promise<void> {
    const call = { beganMs, succeededMs: this.#succeededMs.get(key) };
    let before = this.#stateOf(key);
    let next = breakerFailed(breakerBefore(before, call), kind, nowMs);
    await this.#quietly(async () => {
      await this.#store.changeBreaker(key, (stored) => {
        before = readState(stored) ?? CLOSED;
        next = breakerFailed(breakerBefore(before, call), kind, nowMs);
        return { ...next };
      });
    });
    this.#known.set(key, next);
    if (next.state !== before.state) changes.push({ target, from: before.state, to: next.state });
  }

  /** Stores only a change of the state: that the breaker half opens, or closes. */
  async #set(
    { target, key }: Guarded,
    next: BreakerState,
    changes: BreakerChange[],
  ): Promise<void> {
    const before = this.#stateOf(key);
    if (next === before) return;
    this.#known.set(key, next);
    if (next.state === before.state) return;
    changes.push({ target, from: before.state, to: next.state });
    await this.#quietly(async () => {
      await this.#store.changeBreaker(key, () => (next.state === 'closed' ? null : { ...next }));
    });
  }

  /** The commits of the runs show a failing store; a breaker is no reason to fail a run. */
  async #quietly(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      this.#onWarning(toReport(thrown));
    }
  }

  async #load(): Promise<void> {
    for (const [key, value] of await this.#store.breakers()) {
      const state = readState(value);
      if (state !== undefined && !this.#known.has(key)) this.#known.set(key, state);
    }
  }
}

/** A model at its provider, a tool of a server, or a node whose file asks for it. */
function guardedBy({ ref, work, node, workflow, server }: EffectRequest): Guarded | undefined {
  if (work.type === 'model') {
    const { target } = ref;
    const { name, baseUrl } = work.provider ?? {};
    const hasAddress = baseUrl !== undefined && target.startsWith(`${name}/`);
    return { target, key: hasAddress ? `${target} at ${identityOf(baseUrl)}` : target };
  }
  if ('hasBreaker' in node && node.hasBreaker === true) {
    const target = `node ${workflow}/${node.name}`;
    return { target, key: target };
  }
  if (work.type !== 'tool' || !work.tool.includes('/')) return undefined;
  const target = work.tool;
  return { target, key: server === undefined ? target : toolKey(target, server) };
}

/**
 * A file gives a server any name, so the name does not identify it. Its address does, or its
 * command with all settings that decide what it connects to; hashed, because they may contain keys.
 */
function toolKey(target: string, { name, settings }: NonNullable<EffectRequest['server']>): string {
  const { type, url, command, args, env, workingDir } = settings;
  const identity = type === 'stdio' ? [command, args, env, workingDir ?? ''] : [url];
  return `mcp ${identityOf(identity)}${target.slice(name.length)}`;
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

/** A probe that was running when its process ended will never report its result. */
function readState(value: JsonValue): BreakerState | undefined {
  if (!isPlainObject(value)) return undefined;
  const { state, untilMs, successes, failures, latestMs } = value;
  if (state === 'closed' && typeof failures === 'number' && typeof latestMs === 'number')
    return { state, failures, latestMs };
  if (state === 'open' && typeof untilMs === 'number') return { state, untilMs };
  if (state === 'half_open' && typeof successes === 'number')
    return { state, successes, isProbing: false };
  return undefined;
}
