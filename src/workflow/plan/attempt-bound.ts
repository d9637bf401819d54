/** The bound on attempts to get one reply from one model, which `validate` prints and the machine enforces. */
import { CATALOG, catalogRow, type RuntimeKind } from '../../errors/catalog/catalog.ts';
import type { RetrySchedule } from '../../errors/catalog/row.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { FilePlan } from './plan.ts';
import { SIMULATED_PROVIDER } from './model-names.ts';
import type { NodePlan } from './node-plan.ts';

/** Kinds that a schedule inside the node retries, unless a route names them. */
export const TRANSIENT_KINDS: readonly RuntimeKind[] = (
  Object.entries(CATALOG) as [RuntimeKind, (typeof CATALOG)[RuntimeKind]][]
)
  .filter(([, row]) => row.class === 'provider_transient')
  .map(([kind]) => kind);

/**
 * Kinds that are retried only if a rule recognises a passing failure: a model wrote a tool call
 * that its provider could not read, or a stream failed before any output came.
 */
const SOMETIMES_TRANSIENT: readonly string[] = ['provider.unknown', 'provider.stream_interrupted'];

/** Their schedule: that of a server error. */
const SOMETIMES_RETRIED: RetrySchedule = { attempts: 3, waitsMs: [1000, 2000] };

/** The schedule of a failure; null when it is not retried by default. */
export function defaultSchedule({
  kind,
  category,
}: Pick<ErrorReport, 'kind' | 'category'>): RetrySchedule | null {
  const own = catalogRow(kind)?.schedule ?? null;
  if (own !== null || category !== 'transient') return own;
  return SOMETIMES_TRANSIENT.includes(kind) ? SOMETIMES_RETRIED : null;
}

/** One attempt with the rejected key, one with a fresh key. */
const WITH_FRESH_KEY = 2;

/** Whether a route of the node or of the workflow names the kind itself; patterns do not count. */
export function isTakenOver(plan: FilePlan, node: NodePlan, kind: string): boolean {
  return [...node.routes, ...plan.onError].some(
    ({ onError }) => onError !== undefined && onError !== true && onError.includes(kind),
  );
}

/** All attempts of one entry of the node's chain, up to its reply. */
export function attemptsPerEntry(plan: FilePlan, node: NodePlan, model: string): number {
  const retried = [...TRANSIENT_KINDS, ...SOMETIMES_TRANSIENT]
    .filter((kind) => !isTakenOver(plan, node, kind))
    .map(attemptsOf);
  const isRestarted =
    node.type === 'agent' &&
    node.onPartial === 'restart' &&
    !isTakenOver(plan, node, 'provider.stream_interrupted');
  const isSimulated = model.startsWith(`${SIMULATED_PROVIDER}/`);
  return Math.max(
    isSimulated ? 1 : WITH_FRESH_KEY,
    ...(isRestarted ? [attemptsOf(RESTARTED_AS)] : []),
    ...retried,
  );
}

/** A broken stream that may be restarted is retried as the failure that broke it. */
export const RESTARTED_AS = 'provider.network';

function attemptsOf(kind: string): number {
  return defaultSchedule({ kind, category: 'transient' })?.attempts ?? 1;
}
