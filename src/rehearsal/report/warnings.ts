/**
 * Findings that fail no rehearsal, because the file allows them, but that are seldom meant. Each
 * has its line.
 */
import type { Route } from '../../workflow/plan/route-plan.ts';
import type { Place } from '../places/atlas.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { routeNumber } from './route-words.ts';

export interface RehearsalWarning {
  /** `fails-by-itself`: nothing was injected. `repeats-effect`: an effect that is not idempotent. */
  readonly rule: 'fails-by-itself' | 'repeats-effect';
  /** The first scenario that shows it. */
  readonly scenario?: string;
  readonly node?: string;
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

interface WarningParts {
  /** The file that is rehearsed. */
  readonly file: string;
  readonly scenarios: readonly Scenario[];
  /** Error routes by which an effect that is not idempotent is executed again, with its place. */
  readonly repeats: ReadonlyMap<Route, Place>;
}

export function warningsOf(parts: WarningParts): readonly RehearsalWarning[] {
  const failing = new Map<string, RehearsalWarning>();
  for (const scenario of parts.scenarios) {
    const warning = failureByItself(scenario, parts.file);
    // the same failure ends many scenarios
    const key = `${warning?.file} ${warning?.line} ${warning?.message}`;
    if (warning !== undefined && !failing.has(key)) failing.set(key, warning);
  }
  return [...failing.values(), ...[...parts.repeats].map(repetition)];
}

/** Any failure of `calm`; of other scenarios only a limit, since a `halt` or a `terminate` beside the calm path is meant. */
function failureByItself(
  { name, origin, inject, judgement, summary }: Scenario,
  rehearsedFile: string,
): RehearsalWarning | undefined {
  if (origin === 'written' || inject !== undefined) return undefined;
  if (judgement.verdict !== 'failed as routed' || summary?.result.status !== 'failed')
    return undefined;
  const { kind, message, location } = summary.result.error;
  if (name !== 'calm' && !kind.startsWith('limit.')) return undefined;
  return {
    rule: 'fails-by-itself',
    scenario: name,
    ...(location?.node === undefined ? {} : { node: location.node }),
    file: location?.file ?? rehearsedFile,
    line: location?.line ?? 1,
    message: `fails although nothing goes wrong: ${kind}: ${message}`,
  };
}

function repetition([route, place]: readonly [Route, Place]): RehearsalWarning {
  const owner = place.node.routes.includes(route) ? '' : ' of the workflow';
  return {
    rule: 'repeats-effect',
    node: place.name,
    file: route.file ?? place.file.plan.file,
    line: route.line ?? 1,
    message: `is executed again by ${routeNumber(route.index)}${owner}, and is not idempotent`,
  };
}

/** `calm fails although …`, `pay is executed again …`. */
export function warningText({ scenario, node, message }: RehearsalWarning): string {
  return `${scenario ?? node ?? 'the workflow'} ${message}`;
}
