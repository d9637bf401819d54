/**
 * Model chain: decides which model is called next. Each entry has its own attempts and its own pause;
 * the next healthy one is called at once, and the run waits only when there is none. Pure: the state
 * is data, and the caller passes the time.
 */
import type { ErrorReport } from '../../errors/report/report.ts';
import { matchesKind } from '../../errors/catalog/kinds.ts';
import { providerNamed } from '../../providers/known-providers.ts';
import type { ModelEntry } from '../../workflow/plan/node-plan.ts';
import { BREAKER_OPEN_MS } from './breaker.ts';
import { defaultSchedule } from '../../workflow/plan/attempt-bound.ts';
import { decideRetry } from './retry.ts';

export interface ChainEntry {
  readonly model: string;
  readonly on: ModelEntry['on'];
  attempts: number;
  pausedUntilMs: number;
  isSpent: boolean;
  /** `due`: the next request uses a fresh API key; `done`: that was tried. */
  refresh: 'none' | 'due' | 'done';
  /** Skipped for now, because an earlier entry names the failure's kind and this one does not. */
  isBarred: boolean;
}

export type Choice =
  | { readonly type: 'ask'; readonly model: string }
  | { readonly type: 'wait'; readonly untilMs: number }
  | { readonly type: 'spent' };

export interface FailureContext {
  readonly nowMs: number;
  /** The engine's own breaker refused the call, so it was not made. */
  readonly isTurnedAway?: boolean;
  /** A route names the kind and retries it, so the default schedule is off. */
  readonly isTakenOver: boolean;
  /** Attempts that one entry has in all, until it replies. */
  readonly maxAttempts: number;
  /** The words that make the jitter the same on a replay. */
  readonly words: readonly (string | number)[];
}

export function newChain(models: readonly ModelEntry[]): ChainEntry[] {
  return models.map(({ model, on }) => ({
    model,
    on,
    attempts: 0,
    pausedUntilMs: 0,
    isSpent: false,
    refresh: 'none',
    isBarred: false,
  }));
}

/** `cooldownUntilMs`: until when failures of other calls of the run pause a model. */
export function chooseModel(
  chain: readonly ChainEntry[],
  nowMs: number,
  cooldownUntilMs: (model: string) => number,
): Choice {
  const left = chain.filter(isOpen);
  if (left.length === 0) return { type: 'spent' };
  let untilMs = Infinity;
  for (const entry of left) {
    const readyMs = Math.max(entry.pausedUntilMs, cooldownUntilMs(entry.model));
    if (readyMs <= nowMs) return { type: 'ask', model: entry.model };
    untilMs = Math.min(untilMs, readyMs);
  }
  // Infinity while another call probes the model
  return { type: 'wait', untilMs };
}

/** Updates the chain after a failure; false when no entry may be called any more. */
export function noteFailure(
  chain: readonly ChainEntry[],
  model: string,
  error: ErrorReport,
  context: FailureContext,
): boolean {
  const index = chain.findIndex((entry) => entry.model === model && !entry.isSpent);
  const entry = chain[index];
  if (entry === undefined) return false;
  if (context.isTurnedAway === true) {
    entry.pausedUntilMs = context.nowMs + (error.provider?.retryAfterMs ?? BREAKER_OPEN_MS);
    return true;
  }
  const isFresh = entry.refresh !== 'none';
  if (entry.refresh === 'due') entry.refresh = 'done';
  if (isStaleKey(error) && !isFresh && entry.attempts + 1 < context.maxAttempts) {
    entry.attempts++;
    entry.refresh = 'due';
    return true;
  }
  for (const other of chain) other.isBarred = false;
  if (isTransient(error)) {
    noteTransient(entry, error, context);
    return chain.some(isOpen);
  }
  if (error.kind === 'provider.quota_exhausted') {
    for (const other of chain)
      if (providerOf(other.model) === providerOf(model)) other.isSpent = true;
    return chain.some(isOpen);
  }
  return skipToEntryFor(chain, index, error.kind);
}

/** The API key was refused, and its source can provide another. */
function isStaleKey({ kind, details }: ErrorReport): boolean {
  return kind === 'provider.auth' && details?.[REFRESHABLE] === true;
}

/** Detail that the effect sets when a refused API key can be refreshed. */
export const REFRESHABLE = 'refreshable';

/** Clears the failures of the chain, because a model has replied. */
export function noteReply(chain: readonly ChainEntry[]): void {
  for (const entry of chain)
    Object.assign(entry, {
      attempts: 0,
      pausedUntilMs: 0,
      refresh: 'none',
      isBarred: false,
    } satisfies Partial<ChainEntry>);
}

function isOpen({ isSpent, isBarred }: ChainEntry): boolean {
  return !isSpent && !isBarred;
}

/** A fatal failure of this entry: only a later entry that names the kind may be called. */
function skipToEntryFor(chain: readonly ChainEntry[], index: number, kind: string): boolean {
  const next = chain.findIndex(
    (entry, at) => at > index && !entry.isSpent && namesKind(entry, kind),
  );
  for (const [at, entry] of chain.entries()) {
    if (next < 0 || at < next) entry.isSpent = true;
    else entry.isBarred = !namesKind(entry, kind);
  }
  return next >= 0;
}

function noteTransient(entry: ChainEntry, error: ErrorReport, context: FailureContext): void {
  entry.attempts++;
  const decision = decideRetry(error, defaultSchedule(error), {
    words: [...context.words, entry.model],
    number: entry.attempts,
  });
  if (context.isTakenOver || decision.action === 'stop') entry.isSpent = true;
  else entry.pausedUntilMs = context.nowMs + decision.delayMs;
}

export function isTransient({ retryable, category }: ErrorReport): boolean {
  return retryable === true && category === 'transient';
}

function namesKind({ on }: ChainEntry, kind: string): boolean {
  if (on === undefined) return false;
  return on === 'any' || on.some((pattern) => matchesKind(kind, pattern));
}

/** Each simulated name is a provider of its own; all spellings of a provider's name are one. */
export function providerOf(model: string): string {
  const [provider = model, ...rest] = model.split('/');
  return provider === 'sim' ? `sim/${rest.join('/')}` : providerNamed(provider).name;
}
