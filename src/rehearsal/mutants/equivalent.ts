/** Why a mutant is equivalent: something replaces the route, or nothing depends on it. */
import type { RouteResult, ScenarioResult } from '../report/rehearsal-result.ts';
import { routeWords } from '../report/route-words.ts';
import type { Mutant } from './mutate.ts';

/** Both have the same record, line by line. */
export function whyEquivalent(
  { node, rule, change }: Omit<Mutant, 'plan'>,
  before: readonly ScenarioResult[],
  after: readonly ScenarioResult[],
): string {
  const then = new Map(after.map((scenario) => [scenario.name, scenario]));
  for (const { name, routes } of before) {
    const others = then.get(name)?.routes ?? [];
    const at = routes.findIndex((route, index) => !isSame(route, others[index]));
    const instead = others[at];
    if (at < 0 || instead === undefined) continue;
    const isIt = instead.rule === routes[at]?.rule && instead.bucket === routes[at]?.bucket;
    return isIt
      ? `in "${name}" it leads to ${instead.to ?? 'the end'}, and the run ends the same`
      : `in "${name}" ${ruleWords(instead)} does the same`;
  }
  const bucket = node === undefined ? 'workflow' : 'error';
  const isTaken = before.some(({ routes }) =>
    routes.some(
      (route) =>
        route.rule === rule &&
        route.bucket === bucket &&
        (node === undefined || route.node === node),
    ),
  );
  if (rule !== undefined && !isTaken) return 'no scenario takes the route';
  const slower = before.find(({ name, virtualMs }) => then.get(name)?.virtualMs !== virtualMs);
  if (slower !== undefined) return `only times differ, as in "${slower.name}"`;
  if (change.startsWith('swapped')) return 'no failure gets to both routes, so their order is free';
  if (change.startsWith('widened')) return 'other routes take every other failure before it';
  return 'every scenario takes the same routes to the same end';
}

function isSame(one: RouteResult, other: RouteResult | undefined): boolean {
  return one.rule === other?.rule && one.bucket === other.bucket && one.to === other.to;
}

function ruleWords({ node, rule, bucket }: RouteResult): string {
  return routeWords(bucket === 'workflow' ? undefined : node, rule);
}
