/**
 * What happened to the work decides whether waiting is a remedy. A transient failure after a part
 * of the answer was delivered, or after a request that must not be repeated was sent, is ambiguous.
 */
import type { RuntimeKind } from '../../errors/catalog.ts';
import type { Category, Outcome } from '../../errors/vocabulary.ts';
import type { Evidence } from './evidence.ts';

export interface Verdict {
  readonly kind: RuntimeKind;
  readonly category: Category;
  readonly outcome: Outcome;
}

type AfterTheFact = Pick<Verdict, 'category' | 'outcome'>;

/** The server looked at the request and turned it away, so nothing was created. */
const TURNED_AWAY: ReadonlySet<RuntimeKind> = new Set<RuntimeKind>([
  'provider.rate_limited',
  'provider.conflict',
]);

export function afterTheFact(verdict: Verdict, evidence: Evidence): AfterTheFact {
  const { category, outcome } = verdict;
  if (category !== 'transient') return { category, outcome };
  const { failure, delivered } = evidence;
  if (failure.phase === 'streaming' && delivered)
    return { category: 'ambiguous', outcome: 'partial' };
  if (failure.operation === 'submit' && !isHarmless(verdict, failure.status))
    return { category: 'ambiguous', outcome: 'unknown' };
  return { category, outcome };
}

function isHarmless({ kind, outcome }: Verdict, status: number | undefined): boolean {
  return outcome === 'not_started' || TURNED_AWAY.has(kind) || status === 408;
}
