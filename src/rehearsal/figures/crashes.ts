/**
 * Kills the process before and after commits of each scenario, resumes the run at once, and
 * compares: it has to end the same way, without executing anything twice that must not be repeated.
 */
import { isArray, isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { WorldOptions } from '../perform-all.ts';
import type { TakenRoute } from '../play/play-trace.ts';
import type { ScenarioPlayer } from '../scenarios/scenario-player.ts';
import type { Performance, Scenario, Summary } from '../scenarios/scenario.ts';
import { wayOf } from '../scenarios/summary.ts';
import { randomFrom } from '../world/random.ts';
import type { Figure } from './coverage.ts';
import { repeatedUnasked } from './repeated.ts';

export type Crashes = 'all' | 'none' | { readonly sample: number };

export interface CrashMissed {
  readonly scenario: string;
  readonly commit: number;
  readonly when: 'before' | 'after';
  readonly why: string;
}

export interface CrashFigure extends Figure<CrashMissed> {
  /** All points that there are. */
  readonly points: number;
}

export interface CrashResult {
  readonly figure: CrashFigure;
  /** Effects that were executed twice: a promise of ours is broken. */
  readonly repeated: readonly string[];
  /** The events of the first crash that changed a scenario, by the name of the scenario. */
  readonly ways: ReadonlyMap<string, readonly string[]>;
}

const UNKNOWN = 'effect.outcome_unknown';

interface Point {
  readonly scenario: Scenario;
  readonly summary: Summary;
  readonly commit: number;
  readonly when: 'before' | 'after';
}

export const DEFAULT_CRASHES: Crashes = { sample: 200 };

interface CrashOptions {
  readonly crashes: Crashes;
  readonly seed: number;
  readonly onProgress?: WorldOptions['onProgress'];
}

export async function rehearseCrashes(
  player: ScenarioPlayer,
  scenarios: readonly Scenario[],
  { crashes, seed, onProgress }: CrashOptions,
): Promise<CrashResult> {
  const points = crashes === 'none' ? [] : pointsOf(scenarios);
  const chosen = typeof crashes === 'object' ? sampled(points, crashes.sample, seed) : points;
  const missed: CrashMissed[] = [];
  const repeated: string[] = [];
  const ways = new Map<string, readonly string[]>();
  for (const [index, point] of chosen.entries()) {
    onProgress?.(`crash point ${index + 1} of ${chosen.length}`);
    const { scenario, commit, when } = point;
    const deaths = [...(scenario.script.deaths ?? []), { commit, when }];
    const performance = await player.perform({ ...scenario.script, deaths });
    const twice = repeatedUnasked(performance.played);
    const why =
      twice.length > 0
        ? `${twice.join(', ')} was executed twice`
        : differenceOf(point.summary, performance);
    if (why !== undefined) {
      missed.push({ scenario: scenario.name, commit, when, why });
      if (!ways.has(scenario.name)) ways.set(scenario.name, wayOf(performance.played));
    }
    if (twice.length > 0) repeated.push(...twice);
  }
  const covered = chosen.length - missed.length;
  const figure = { covered, total: chosen.length, missed, excluded: [], points: points.length };
  return { figure, repeated, ways };
}

function pointsOf(scenarios: readonly Scenario[]): readonly Point[] {
  return scenarios.flatMap((scenario) => {
    const { summary, judgement } = scenario;
    if (summary === undefined || judgement.verdict === 'unreached') return [];
    return Array.from({ length: summary.commits }, (_, at) => at + 1).flatMap((commit) =>
      (['before', 'after'] as const).map((when) => ({ scenario, summary, commit, when })),
    );
  });
}

/** So many of them, in their order. */
function sampled(points: readonly Point[], count: number, seed: number): readonly Point[] {
  if (points.length <= count) return points;
  const random = randomFrom(seed, 'crashes');
  const left = points.map((_, index) => index);
  const chosen: number[] = [];
  while (chosen.length < count) {
    const at = random.int(left.length);
    const last = left.pop() ?? 0;
    chosen.push(at < left.length ? (left[at] ?? 0) : last);
    if (at < left.length) left[at] = last;
  }
  return chosen.sort((a, b) => a - b).flatMap((index) => points[index] ?? []);
}

/** Undefined: it ended the same. */
function differenceOf(before: Summary, { played, trace }: Performance): string | undefined {
  const { result } = played;
  const routes = trace.routes.filter(({ bucket }) => bucket !== 'success');
  const isInDoubt = played.events.some(
    (event) => event.type === 'effect:failed' && event.error.kind === UNKNOWN,
  );
  // effects under way are in doubt, and take their own route
  if (isInDoubt) return undefined;
  // a park until someone resumes ends with any resume
  if (before.routes.some(isOpenPark)) return undefined;
  if (result.status !== before.result.status)
    return `it is ${result.status} instead of ${before.result.status}`;
  const kind = kindOf(result);
  if (kind !== kindOf(before.result))
    return `it ended with ${kind} instead of ${kindOf(before.result)}`;
  const taken = routeWords(routes);
  if (taken !== routeWords(before.routes))
    return `its error routes were ${taken} instead of ${routeWords(before.routes)}`;
  const output = result.status === 'completed' ? result.output : null;
  return JSON.stringify(comparable(output)) === JSON.stringify(comparable(before.output ?? null))
    ? undefined
    : 'its output is another one';
}

function isOpenPark({ move, bucket, place, rule }: TakenRoute): boolean {
  if (move !== 'park') return false;
  const table = bucket === 'error' ? place.node.routes : place.file.plan.onError;
  const route = table.find(({ index }) => index === rule);
  return route?.move.type === 'park' && route.move.forMs === undefined;
}

function kindOf(result: Summary['result']): string {
  return result.status === 'failed' ? result.error.kind : 'no failure';
}

function routeWords(routes: readonly TakenRoute[]): string {
  return (
    routes.map(({ place, kind, move }) => `${place.name} ${kind ?? ''} ${move}`).join('; ') ||
    'none'
  );
}

/** Without the parts that differ between two equal runs: id, attempts and times of reports. */
function comparable(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map((item) => comparable(item));
  if (!isPlainObject(value)) return value;
  const isReport = 'kind' in value && 'category' in value && 'id' in value;
  const entries = Object.entries(value).filter(([key]) => !isReport || !OF_ONE_RUN.has(key));
  return Object.fromEntries(entries.map(([key, item]) => [key, comparable(item)]));
}

const OF_ONE_RUN: ReadonlySet<string> = new Set(['id', 'at', 'attempt', 'attempts']);
