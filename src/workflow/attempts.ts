/** How often one model may be asked for one answer: the bound that is printed, and that the machine keeps. */
import { CATALOG, catalogRow, type RuntimeKind } from '../errors/catalog.ts';
import type { FilePlan } from './model.ts';
import { SIMULATED_PROVIDER } from './models.ts';
import type { NodePlan } from './node-model.ts';

/** What a schedule inside the node retries, unless a route takes it over. */
export const TRANSIENT_KINDS: readonly RuntimeKind[] = (
  Object.entries(CATALOG) as [RuntimeKind, (typeof CATALOG)[RuntimeKind]][]
)
  .filter(([, row]) => row.class === 'provider_transient')
  .map(([kind]) => kind);

/** With a key that was refused, and once more with a fresh one. */
const WITH_FRESH_KEY = 2;

/** A route that names the kind itself, in the node's table or the workflow's; patterns do not. */
export function isTakenOver(plan: FilePlan, node: NodePlan, kind: string): boolean {
  return [...node.routes, ...plan.onError].some(
    ({ onError }) => onError !== undefined && onError !== true && onError.includes(kind),
  );
}

/** Attempts in all of one entry of the node's chain, until it has answered. */
export function attemptsPerEntry(plan: FilePlan, node: NodePlan, model: string): number {
  const retried = TRANSIENT_KINDS.filter((kind) => !isTakenOver(plan, node, kind)).map(attemptsOf);
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

/** A stream that broke and may be begun anew is retried as what broke it. */
export const RESTARTED_AS = 'provider.network';

function attemptsOf(kind: RuntimeKind): number {
  return catalogRow(kind)?.schedule?.attempts ?? 1;
}
