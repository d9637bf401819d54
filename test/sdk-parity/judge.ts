/** The four facts that may not differ between an SDK's error and the answer behind it. */
import { classify } from '../../src/providers/classify/classify.ts';
import { extractFailure, type FailureHints } from '../../src/providers/extract/extract.ts';
import type { Seen } from './players.ts';
import type { Played } from './protocol.ts';

export interface Judgement {
  readonly kind: string;
  readonly category: string;
  readonly retryable: boolean | null;
  readonly retryAfterMs: number | null;
}

/** The same clock for both sides. */
const NOW_MS = Date.parse('2026-11-15T00:00:00Z');

/** The judgement of an unrecognised value. */
const NOTHING: Judgement = { kind: 'none', category: 'none', retryable: null, retryAfterMs: null };

export function judge(failure: unknown, hints: FailureHints = {}): Judgement {
  const extracted = extractFailure(failure, hints);
  if (extracted === undefined) return NOTHING;
  const { kind, category, retryable, retryAfterMs } = classify(extracted, { nowMs: NOW_MS });
  return { kind, category, retryable, retryAfterMs };
}

/** Judges with the facts that an application knows about its own call. */
export function judgeSeen({ failure, delivered }: Seen, entry: Played): Judgement {
  const { provider, api, operation } = entry;
  return judge(failure, { provider, api, operation, delivered });
}
