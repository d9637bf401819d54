/** The deeds of a played scenario, read from its events: places visited, failures, routes. */
import { isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { MoveType } from '../../workflow/plan/route-plan.ts';
import type { Atlas, Place } from '../places/atlas.ts';
import type { Played } from './play-scenario.ts';

export interface TakenRoute {
  readonly place: Place;
  readonly path: string;
  readonly rule: number;
  readonly bucket: 'success' | 'error' | 'workflow';
  readonly kind: string | undefined;
  readonly move: MoveType;
  readonly to: string | undefined;
  /** Number of its event. */
  readonly seq: number;
}

export interface NodeFailure {
  readonly place: Place;
  readonly path: string;
  readonly error: ErrorReport;
  /** Whether a strike of the scenario made it. */
  readonly isStruck: boolean;
  readonly seq: number;
}

export interface Trace {
  readonly visited: ReadonlySet<Place>;
  readonly routes: readonly TakenRoute[];
  readonly failures: readonly NodeFailure[];
  readonly completed: ReadonlyMap<Place, JsonValue>;
  /** Injected failures that happened, by the id of their report. */
  readonly injected: ReadonlySet<string>;
}

export function traceOf(atlas: Atlas, played: Played): Trace {
  const visited = new Set<Place>();
  const routes: TakenRoute[] = [];
  const failures: NodeFailure[] = [];
  const completed = new Map<Place, JsonValue>();
  const injected = new Set<string>();
  const starts = new Map<string, number>();
  const failing = new Map<string, string>();
  const isStruck = strikesOf(atlas, played);
  for (const event of played.events) {
    if (!('path' in event)) continue;
    const place = atlas.of(event.path);
    if (place === undefined) continue;
    switch (event.type) {
      case 'node:started':
        visited.add(place);
        starts.set(event.path, (starts.get(event.path) ?? 0) + 1);
        break;
      case 'node:completed':
        if (!completed.has(place)) completed.set(place, event.output);
        break;
      case 'node:failed': {
        const struck = isStruck(place, event, starts.get(event.path) ?? 1);
        if (struck) injected.add(event.error.id);
        failing.set(event.path, event.error.kind);
        const { path, error, seq } = event;
        failures.push({ place, path, error, isStruck: struck, seq });
        break;
      }
      case 'route:taken': {
        const { path, rule, bucket, move, to, seq } = event;
        if (bucket === 'default' || rule === undefined) break;
        const kind = bucket === 'success' ? undefined : (event.kind ?? failing.get(path));
        routes.push({ place, path, rule, bucket, kind, move, to, seq });
        break;
      }
      default:
        break;
    }
  }
  return { visited, routes, failures, completed, injected };
}

type Failed = Extract<RunEvent, { type: 'node:failed' }>;

/** Whether a strike that landed made the failure: at its place, or further out. */
function strikesOf(
  atlas: Atlas,
  { landed }: Played,
): (place: Place, event: Failed, ordinal: number) => boolean {
  return (place, { path, error }, ordinal) =>
    landed.some(({ kind, place: struck, within, path: at, ordinal: of }) => {
      const isHere = at === path && of === ordinal;
      if (isHere) return kind === undefined || kind === error.kind;
      const isAround = within.some((outer) => outer.place === place);
      return isAround && at.startsWith(path) && atlas.of(at) === struck;
    });
}

/** The failure that ended it, and its sources: through halts, groups and calls. */
export function isInjected(error: ErrorReport, injected: ReadonlySet<string>): boolean {
  for (let at: ErrorReport | undefined = error; at !== undefined; at = at.cause) {
    if (injected.has(at.id)) return true;
    if (at.kind !== 'halt.intentional' && !at.kind.startsWith('group.')) return false;
  }
  return false;
}

/** `edit` and `selected` are objects around what was chosen. */
export function chosenOption(value: JsonValue): JsonValue {
  if (!isPlainObject(value)) return value;
  if ('edit' in value) return 'edit';
  // of a list of questions
  if ('answers' in value) return 'answer';
  // true: an answer is JSON
  return 'selected' in value ? value['selected'] : value;
}
