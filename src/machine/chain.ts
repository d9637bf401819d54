/**
 * Which model is asked next. Each entry of a chain has its own attempts and its own rest; the next
 * healthy one is asked at once, and the run waits only when none is. Pure: the state is data, and
 * time comes from whoever asks.
 */
import type { ErrorReport } from '../errors/report.ts';
import { matchesKind } from '../errors/kinds.ts';
import { isTurnedAway } from './failure.ts';
import { providerNamed } from '../providers/names.ts';
import type { ModelEntry } from '../workflow/node-model.ts';
import { REST_MS } from './breaker.ts';
import { decideRetry, defaultSchedule } from './retry.ts';

export interface ChainEntry {
  readonly model: string;
  readonly on: ModelEntry['on'];
  attempts: number;
  restUntilMs: number;
  isSpent: boolean;
  /** `due`: the next request to it is made with a fresh key; `done`: that was tried. */
  refresh: 'none' | 'due' | 'done';
  /** An earlier entry is to be asked first, because it names the failure and this one does not. */
  isBarred: boolean;
}

export type Choice =
  | { readonly type: 'ask'; readonly model: string }
  | { readonly type: 'wait'; readonly untilMs: number }
  | { readonly type: 'spent' };

export interface FailureContext {
  readonly nowMs: number;
  /** A route that names the kind retries it; the default schedule is off. */
  readonly isTakenOver: boolean;
  /** Attempts that one entry has in all, until it answers. */
  readonly maxAttempts: number;
  /** The words that make the jitter the same on a replay. */
  readonly words: readonly (string | number)[];
}

export function newChain(models: readonly ModelEntry[]): ChainEntry[] {
  return models.map(({ model, on }) => ({
    model,
    on,
    attempts: 0,
    restUntilMs: 0,
    isSpent: false,
    refresh: 'none',
    isBarred: false,
  }));
}

/** `restOf` says how long others of the run have put the entry's model to rest. */
export function choose(
  chain: readonly ChainEntry[],
  nowMs: number,
  restOf: (model: string) => number,
): Choice {
  const left = chain.filter(isOpen);
  if (left.length === 0) return { type: 'spent' };
  let untilMs = Infinity;
  for (const entry of left) {
    const readyMs = Math.max(entry.restUntilMs, restOf(entry.model));
    if (readyMs <= nowMs) return { type: 'ask', model: entry.model };
    untilMs = Math.min(untilMs, readyMs);
  }
  // without end while another call finds out whether the model is well again
  return { type: 'wait', untilMs };
}

/** What a failure means to the chain; false when nothing in it may be asked any more. */
export function noteFailure(
  chain: readonly ChainEntry[],
  model: string,
  error: ErrorReport,
  context: FailureContext,
): boolean {
  const index = chain.findIndex((entry) => entry.model === model && !entry.isSpent);
  const entry = chain[index];
  if (entry === undefined) return false;
  if (isTurnedAway(error)) {
    entry.restUntilMs = context.nowMs + (error.provider?.retryAfterMs ?? REST_MS);
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
  return goOnWhereAllowed(chain, index, error.kind);
}

/** The key was refused, and whoever gave it can make another. */
function isStaleKey({ kind, details }: ErrorReport): boolean {
  return kind === 'provider.auth' && details?.[REFRESHABLE] === true;
}

/** What the effect says in the details of a refused key. */
export const REFRESHABLE = 'refreshable';

/** The model has answered: what it failed with before is forgotten. */
export function noteAnswer(chain: readonly ChainEntry[]): void {
  for (const entry of chain)
    Object.assign(entry, {
      attempts: 0,
      restUntilMs: 0,
      refresh: 'none',
      isBarred: false,
    } satisfies Partial<ChainEntry>);
}

function isOpen({ isSpent, isBarred }: ChainEntry): boolean {
  return !isSpent && !isBarred;
}

/** Fatal for this entry: only a later one that names the kind may be asked, however well others are. */
function goOnWhereAllowed(chain: readonly ChainEntry[], index: number, kind: string): boolean {
  const next = chain.findIndex((entry, at) => at > index && !entry.isSpent && names(entry, kind));
  for (const [at, entry] of chain.entries()) {
    if (next < 0 || at < next) entry.isSpent = true;
    else entry.isBarred = !names(entry, kind);
  }
  return next >= 0;
}

function noteTransient(entry: ChainEntry, error: ErrorReport, context: FailureContext): void {
  entry.attempts++;
  const decision = decideRetry(error, defaultSchedule(error.kind), {
    words: [...context.words, entry.model],
    number: entry.attempts,
  });
  if (context.isTakenOver || decision.action === 'stop') entry.isSpent = true;
  else entry.restUntilMs = context.nowMs + decision.delayMs;
}

export function isTransient({ retryable, category }: ErrorReport): boolean {
  return retryable === true && category === 'transient';
}

function names({ on }: ChainEntry, kind: string): boolean {
  if (on === undefined) return false;
  return on === 'any' || on.some((pattern) => matchesKind(kind, pattern));
}

/** Each simulated name counts as a provider of its own, and all spellings of a name as one. */
export function providerOf(model: string): string {
  const [provider = model, ...rest] = model.split('/');
  return provider === 'sim' ? `sim/${rest.join('/')}` : providerNamed(provider).name;
}
