/**
 * Adjusts a disposition by what happened to the work, which decides whether waiting helps. A transient
 * failure is ambiguous after a part of the reply was delivered, or after a request that must not be
 * repeated was sent; and one that counts on half a reply is transient while nobody has seen any of it.
 */
import type { RuntimeKind } from '../../errors/catalog/catalog.ts';
import type { Category, Outcome } from '../../errors/catalog/vocabulary.ts';
import { saysNothingCame } from '../nothing-came.ts';
import type { ProviderFailure } from '../provider-failure.ts';
import type { Evidence } from './evidence.ts';

export interface Disposition {
  readonly kind: RuntimeKind;
  readonly category: Category;
  readonly outcome: Outcome;
}

type AdjustedDisposition = Pick<Disposition, 'category' | 'outcome'>;

/** The server read the request and turned it away, so nothing was created. */
const TURNED_AWAY: ReadonlySet<RuntimeKind> = new Set<RuntimeKind>([
  'provider.rate_limited',
  'provider.conflict',
]);

export function adjustDisposition(
  disposition: Disposition,
  evidence: Evidence,
): AdjustedDisposition {
  const { kind, category, outcome } = disposition;
  const { failure, form, delivered } = evidence;
  const isUnseen = failure.phase === 'streaming' && !delivered && outcome === 'partial';
  // a stream that broke is its caller's to judge: only the caller knows what was shown, if the fault does not say it
  if (category === 'ambiguous' && isUnseen && (kind !== BROKEN || brokeBeforeReply(failure)))
    return { category: 'transient', outcome: 'unknown' };
  if (category !== 'transient') return { category, outcome };
  // a client that hands over the whole stream does not always say that it was one
  if ((failure.phase === 'streaming' || form === 'events') && delivered)
    return { category: 'ambiguous', outcome: 'partial' };
  if (failure.operation === 'submit' && !isHarmless(disposition, failure.status))
    return { category: 'ambiguous', outcome: 'unknown' };
  return { category, outcome };
}

const BROKEN: RuntimeKind = 'provider.stream_interrupted';

/** A request that creates something may have done so before the stream broke. */
function brokeBeforeReply({ transport, operation }: ProviderFailure): boolean {
  return operation !== 'submit' && transport !== undefined && saysNothingCame(transport);
}

function isHarmless({ kind, outcome }: Disposition, status: number | undefined): boolean {
  return outcome === 'not_started' || TURNED_AWAY.has(kind) || status === 408 || status === 429;
}
