/** Notes that a rehearsal shows beside its figures: the slowest scenario and the strangest, and lines. */
import { durationWords } from '../../errors/render/report-words.ts';
import { oneLine } from '../../errors/support/printable.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { Rehearsed } from '../../rehearsal/rehearse-plan.ts';
import type { Scenario } from '../../rehearsal/scenarios/scenario.ts';

/** `file:line` of a failure; empty where it has no line. */
export function placeOf({ location }: ErrorReport, file: string): string {
  return location?.line === undefined ? '' : `${location.file ?? file}:${location.line}`;
}

/** `file:line` of the node that a scenario is about; empty where there is none. */
export function placeWritten({ place }: Scenario): string {
  const line = place?.node.location.line;
  return place === undefined || line === undefined ? '' : `${place.file.plan.file}:${line}`;
}

export function noteLines({ scenarios }: Rehearsed): readonly string[] {
  return extremes(scenarios).map(([name, text]) => oneLine(`  ${name.padEnd(9)}  ${text}`));
}

type Note = readonly [name: string, text: string];

/** The scenario that takes longest in virtual time, and the one with most different error routes. */
function extremes(scenarios: readonly Scenario[]): readonly Note[] {
  const slowest = mostOf(scenarios, ({ summary }) => summary?.virtualMs ?? 0);
  const strangest = mostOf(scenarios, (scenario) => differentRoutes(scenario).length);
  const way = strangest === undefined ? [] : differentRoutes(strangest);
  return [
    ...(slowest === undefined
      ? []
      : [note('slowest', slowest, `after ${durationWords(slowest.summary?.virtualMs ?? 0)}`)]),
    ...(strangest === undefined || way.length < STRANGE_ROUTES
      ? []
      : [note('strangest', strangest, `${way.length} error routes: ${way.join(', ')}`)]),
  ];
}

function differentRoutes({ summary }: Scenario): readonly string[] {
  const routes = (summary?.routes ?? []).map(
    ({ place, kind, move }) => `${place.name} ${kind ?? ''} ${move}`,
  );
  return [...new Set(routes)];
}

/** Most scenarios are about a single error route. */
const STRANGE_ROUTES = 2;

function note(name: string, scenario: Scenario, text: string): Note {
  return [name, `${scenario.name}: ${text}`];
}

/** The first scenario with the highest value; undefined if none has any. */
function mostOf(
  scenarios: readonly Scenario[],
  measure: (scenario: Scenario) => number,
): Scenario | undefined {
  let best: Scenario | undefined;
  for (const scenario of scenarios)
    if (measure(scenario) > (best === undefined ? 0 : measure(best))) best = scenario;
  return best;
}
