/** Compares the results of a scenario with the expectations of its plan. */
import { isArray, isPlainObject } from '../../errors/support/safe-json.ts';
import { parseDuration } from '../../workflow/plan/duration.ts';
import type { Expectation } from '../../workflow/rehearsal-plan/plan-schema.ts';
import type { Atlas } from '../places/atlas.ts';
import type { Difference, Summary } from '../scenarios/scenario.ts';
import { placeNamed } from './check-plan.ts';

export function differencesOf(
  atlas: Atlas,
  expected: Expectation,
  summary: Summary,
): readonly Difference[] {
  const { result } = summary;
  const found: Difference[] = [];
  const compare = (field: string, want: unknown, got: unknown, isSame: boolean): void => {
    if (want !== undefined && !isSame) found.push({ field, expected: want, got: got ?? null });
  };
  const error = result.status === 'failed' ? result.error : undefined;
  const { status, routes, waiting, waited } = expected;
  compare('status', status, result.status, result.status === status);
  compare('error', expected.error, error && shortly(error), isPart(expected.error, error));
  compare('output', expected.output, summary.output, isPart(expected.output, summary.output));
  const at = placeOfEnd(atlas, summary);
  compare('at', expected.at, at[0], at.includes(expected.at ?? ''));
  const taken = summary.routes.map(
    ({ place, kind, move }) => `${place.name} ${kind ?? ''} ${move}`,
  );
  compare('routes', routes, taken, JSON.stringify(routes) === JSON.stringify(taken));
  const reason = result.status === 'paused' ? result.waiting.reason : undefined;
  compare('waiting', waiting, reason, waiting === reason);
  for (const [node, count] of Object.entries(expected.effects ?? {})) {
    const name = placeNamed(atlas, node)?.name ?? node;
    const made = summary.executions[name] ?? 0;
    compare(`effects.${node}`, count, made, count === made);
  }
  const requests = expected.model_requests;
  compare('model_requests', requests, summary.modelRequests, requests === summary.modelRequests);
  const cost = summary.costUsdMicros / 1_000_000;
  const most = expected.cost_usd_at_most;
  compare('cost_usd_at_most', most, cost, most !== undefined && cost <= most);
  const isInTime = waited !== undefined && parseDuration(waited) === summary.virtualMs;
  compare('waited', waited, `${summary.virtualMs / 1000}s`, isInTime);
  return found;
}

function shortly({ kind, message }: { readonly kind: string; readonly message: string }): object {
  return { kind, message };
}

/** Names and paths of where it failed or waits. */
function placeOfEnd(atlas: Atlas, { result }: Summary): readonly string[] {
  const path = pathOfEnd(result);
  const place = atlas.of(path);
  return place === undefined ? [path] : [place.name, path, place.node.name];
}

function pathOfEnd(result: Summary['result']): string {
  if (result.status === 'failed') return result.error.location?.path ?? '';
  return result.status === 'paused' ? (result.waiting.path ?? '') : '';
}

/** Whether all that is expected is there; lists have to be equal in length. */
function isPart(expected: unknown, got: unknown): boolean {
  if (isArray(expected))
    return (
      isArray(got) &&
      got.length === expected.length &&
      expected.every((item, index) => isPart(item, got[index]))
    );
  if (isPlainObject(expected))
    return (
      isPlainObject(got) &&
      Object.entries(expected).every(([key, value]) => isPart(value, got[key]))
    );
  return expected === got;
}
