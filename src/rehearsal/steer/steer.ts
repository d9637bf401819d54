/**
 * Steers a run to a goal: gives other values to the fields that the guards on the way read, those
 * of the nearest guards first, and keeps the ones that bring the run closer.
 */
import type { Place } from '../places/atlas.ts';
import type { Script } from '../play/play-scenario.ts';
import type { ScenarioPlayer } from '../scenarios/scenario-player.ts';
import type { Performance } from '../scenarios/scenario.ts';
import { siteOf, type Assignment, type Field } from './field-table.ts';
import { distancesTo } from './place-graph.ts';

export interface Goal {
  readonly isReached: (performance: Performance) => boolean;
  /** The place that the run has to get to. */
  readonly place: Place;
  /** Guards that matter beside those on the way. */
  readonly guards?: readonly string[];
}

export interface Found {
  readonly script: Script;
  readonly performance: Performance;
}

/** Plays that one goal may take. */
const MOST_PLAYS = 64;
const MOST_COMBINATIONS = 32;

/** Undefined: no known value leads there. `began` is the script's own performance. */
export async function steer(
  player: ScenarioPlayer,
  began: Found,
  goal: Goal,
): Promise<Found | undefined> {
  if (goal.isReached(began.performance)) return began;
  const distances = distancesTo(player.atlas, goal.place);
  const tried = new Set<string>([keyOf(began.script.assignment)]);
  let best = began;
  let left = MOST_PLAYS;
  for (let isCloser = true; isCloser && left > 0;) {
    isCloser = false;
    for (const assignment of candidates(player, best, goal, distances)) {
      const key = keyOf(assignment);
      if (tried.has(key)) continue;
      tried.add(key);
      if (left-- <= 0) return undefined;
      const script = { ...best.script, assignment };
      const performance = await player.perform(script);
      if (goal.isReached(performance)) return { script, performance };
      if (distanceOf(performance, distances) >= distanceOf(best.performance, distances)) continue;
      best = { script, performance };
      isCloser = true;
      break;
    }
  }
  return undefined;
}

/** The remaining steps from the nearest visited place that did not fail by itself. */
function distanceOf({ trace }: Performance, distances: ReadonlyMap<Place, number>): number {
  const own = new Set(trace.failures.filter(({ isStruck }) => !isStruck).map(({ place }) => place));
  let least = Infinity;
  for (const place of trace.visited) {
    const steps = distances.get(place);
    if (steps !== undefined) least = Math.min(least, steps + (own.has(place) ? 0.5 : 0));
  }
  return least;
}

function* candidates(
  player: ScenarioPlayer,
  { script, performance }: Found,
  goal: Goal,
  distances: ReadonlyMap<Place, number>,
): Iterable<Assignment> {
  const nearest = [...performance.trace.visited]
    .filter((place) => distances.has(place))
    .sort((a, b) => (distances.get(a) ?? 0) - (distances.get(b) ?? 0));
  const { fields } = player.values;
  const groups = nearest.map((place) =>
    fieldsInTheWay(player, place, place === goal.place ? goal : undefined),
  );
  const seen = new Set<string>();
  for (const group of groups) {
    const fresh = group.filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    yield* combinations(fresh, script.assignment);
  }
  // the visited places may depend on anything that a guard reads
  yield* combinations(fields.all.filter(({ id }) => !seen.has(id)).slice(0, 8), script.assignment);
}

function fieldsInTheWay(
  { values }: ScenarioPlayer,
  place: Place,
  goal: Goal | undefined,
): readonly Field[] {
  const site = siteOf(place);
  const sources = [
    ...(goal?.guards ?? []),
    ...place.node.routes.flatMap(({ when, onError }) =>
      when === undefined || onError !== undefined ? [] : [when],
    ),
    ...place.node.assert.map(({ that }) => that),
  ];
  const found = sources.flatMap((source) => values.fields.readBy(source, site));
  // a gate on the way may lead to another node
  const gates = place.node.type === 'human_gate' ? values.fields.of(place) : [];
  return [...new Set([...found, ...gates])];
}

/** One field changed, then several. */
function* combinations(fields: readonly Field[], from: Assignment): Iterable<Assignment> {
  for (const { id, values } of fields)
    for (let index = 0; index < values.length; index++) yield new Map([...from, [id, index]]);
  if (fields.length < 2) return;
  const total = fields.reduce((product, { values }) => product * values.length, 1);
  for (let number = 0; number < Math.min(total, MOST_COMBINATIONS); number++) {
    const chosen = new Map(from);
    let rest = number;
    for (const { id, values } of fields) {
      chosen.set(id, rest % values.length);
      rest = Math.floor(rest / values.length);
    }
    yield chosen;
  }
}

function keyOf(assignment: Assignment): string {
  return [...assignment]
    .filter(([, index]) => index > 0)
    .map(([id, index]) => `${id}=${index}`)
    .sort()
    .join('&');
}
