/**
 * Notes the findings of scenarios, performance by performance: routes, moves, kinds, lost replies.
 */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { takes } from '../../workflow/check/routing.ts';
import type { Route } from '../../workflow/plan/route-plan.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { WENT_ON } from '../resumption-words.ts';
import type { Atlas, Place } from '../places/atlas.ts';
import { chosenOption } from '../play/play-trace.ts';
import type { Performance } from '../scenarios/scenario.ts';
import { repeatedUnasked } from './repeated.ts';

/** The promises of a move beside being taken. */
export type MoveFact =
  | 'taken'
  | 'ran again'
  | 'spent'
  | typeof WENT_ON
  | 'expired'
  | `option ${string}`;

export class Notebook {
  readonly #atlas: Atlas;
  readonly routes = new Set<Route>();
  readonly #moves = new Set<string>();
  readonly #kinds = new Set<string>();
  readonly doubt = new Set<Place>();
  /** Routes by which an effect that is not idempotent was executed again, with its place. */
  readonly again = new Map<Route, Place>();
  /** Effects that were executed again without a reason in the log, with the node. */
  readonly repeated: string[] = [];

  constructor(atlas: Atlas) {
    this.#atlas = atlas;
  }

  hasMove(subject: Route | Place, fact: MoveFact): boolean {
    return this.#moves.has(`${this.#idOf(subject)} ${fact}`);
  }

  hasKind(place: Place, kind: string): boolean {
    return this.#kinds.has(`${place.name} ${kind}`);
  }

  note({ played, trace }: Performance): void {
    for (const { place, error } of trace.failures) this.#kinds.add(`${place.name} ${error.kind}`);
    const watch = new MoveWatch((subject, fact) =>
      this.#moves.add(`${this.#idOf(subject)} ${fact}`),
    );
    const twice = executedTwice(played);
    for (const event of played.events) {
      if (!('path' in event)) continue;
      const place = this.#atlas.of(event.path);
      if (place === undefined) continue;
      const route = event.type === 'route:taken' ? routeOf(place, event) : undefined;
      if (route !== undefined) this.routes.add(route);
      if (route?.move.type === 'retry' && twice.has(event.path)) this.again.set(route, place);
      watch.note(place, event, route);
    }
    this.#noteDoubt({ played, trace });
  }

  #noteDoubt({ played }: Performance): void {
    const again = repeatedUnasked(played);
    this.repeated.push(...again);
    for (const { path, ending, isIdempotent, effect } of played.executions) {
      const place = this.#atlas.of(path);
      if (place === undefined || ending?.type !== 'lost' || isIdempotent) continue;
      if (effect.type !== 'model' && !again.includes(path)) this.doubt.add(place);
    }
  }

  readonly #ids = new Map<Route, number>();

  #idOf(subject: Route | Place): string {
    if ('order' in subject) return `place ${subject.order}`;
    const id = this.#ids.get(subject) ?? this.#ids.size;
    this.#ids.set(subject, id);
    return `route ${id}`;
  }
}

/** The paths of effects that are not idempotent and were executed more than once. */
function executedTwice({ executions }: Performance['played']): ReadonlySet<string> {
  const once = new Set<string>();
  const twice = new Set<string>();
  for (const { path, isIdempotent, effect } of executions) {
    if (isIdempotent || effect.type === 'model') continue;
    (once.has(path) ? twice : once).add(path);
  }
  return twice;
}

/** Follows one run, path by path. */
class MoveWatch {
  readonly #found: (subject: Route | Place, fact: MoveFact) => void;
  /** The route that was taken last at each path. */
  readonly #last = new Map<string, Route>();
  /** How often each route was used in the present visit of a path. */
  readonly #uses = new Map<string, Map<Route, number>>();

  constructor(found: (subject: Route | Place, fact: MoveFact) => void) {
    this.#found = found;
  }

  note(place: Place, event: Extract<RunEvent, { path: string }>, route: Route | undefined): void {
    const { path } = event;
    switch (event.type) {
      case 'route:taken':
        if (route !== undefined) this.#taken(path, route);
        break;
      case 'node:started':
        this.#started(path, event.attempt);
        break;
      case 'node:failed':
        this.#failed(place, path, event.error.kind);
        break;
      case 'gate:answered':
        this.#answered(place, path, event.value);
        break;
      case 'gate:expired':
        this.#found(this.#last.get(path) ?? place, 'expired');
        break;
      default:
        break;
    }
  }

  #taken(path: string, route: Route): void {
    this.#found(route, 'taken');
    this.#last.set(path, route);
    const uses = this.#uses.get(path) ?? new Map<Route, number>();
    this.#uses.set(path, uses);
    uses.set(route, (uses.get(route) ?? 0) + 1);
  }

  #started(path: string, attempt: number): void {
    const before = this.#last.get(path);
    if (before?.move.type === 'retry') this.#found(before, 'ran again');
    if (before?.move.type === 'park') this.#found(before, WENT_ON);
    if (attempt === 0) this.#uses.delete(path);
    this.#last.delete(path);
  }

  #failed(place: Place, path: string, kind: string): void {
    for (const [route, used] of this.#uses.get(path) ?? []) {
      const { move } = route;
      const most = move.type === 'retry' || move.type === 'park' ? move.max : undefined;
      if (most !== undefined && used >= most && takes(route, kind)) this.#found(route, 'spent');
    }
    // a retry that may never be made is spent at once
    for (const route of [...place.node.routes, ...place.file.plan.onError])
      if (route.move.type === 'retry' && route.move.max === 0 && takes(route, kind))
        this.#found(route, 'spent');
    this.#last.delete(path);
  }

  #answered(place: Place, path: string, value: JsonValue): void {
    const route = this.#last.get(path);
    const subject = route?.move.type === 'ask' ? route : place;
    this.#found(subject, `option ${optionWord(chosenOption(value))}`);
  }
}

function routeOf(
  { node, file }: Place,
  { bucket, rule }: Extract<RunEvent, { type: 'route:taken' }>,
): Route | undefined {
  if (bucket !== 'error' && bucket !== 'workflow') return undefined;
  const table = bucket === 'error' ? node.routes : file.plan.onError;
  return table.find(({ index }) => index === rule);
}

function optionWord(value: JsonValue): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
