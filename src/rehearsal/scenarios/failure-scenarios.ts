/** The scenarios of a node's failures: each of its kinds, then the promises of its error routes. */
import { handlingOf, takes, type Step } from '../../workflow/check/routing.ts';
import type { Route } from '../../workflow/plan/route-plan.ts';
import { recipesFor } from '../inject/recipes.ts';
import { EVERY, FIRST, type Recipe, type Tries } from '../inject/strike.ts';
import { GOES_ON } from '../resumption-words.ts';
import { getsTo, type Place } from '../places/atlas.ts';
import { NEVER } from '../play/scripted-person.ts';
import type { Script } from '../play/play-scenario.ts';
import { guardWords } from '../steer/obstacles.ts';
import { steer, type Found, type Goal } from '../steer/steer.ts';
import type { RecipeContext } from '../inject/recipe-context.ts';
import type { Draft, GenerateOptions, Playbill } from './generate-scenarios.ts';
import type { Performance } from './scenario.ts';

/** An error route, its table, and the kind with which it is rehearsed. */
export interface RehearsedRoute extends Step {
  readonly kind: string;
}

export class FailureScenarios {
  readonly #bill: Playbill;
  readonly #place: Place;
  readonly #way: Found;
  readonly #recipes = new Map<string, Recipe>();
  readonly #taken = new Set<Route>();
  readonly #made = new Set<string>();

  constructor(bill: Playbill, place: Place, way: Found) {
    this.#bill = bill;
    this.#place = place;
    this.#way = way;
  }

  async play(): Promise<void> {
    if (this.#bill.options.kinds === 'none') return;
    for (const kind of rehearsedKinds(this.#bill.options, this.#place)) await this.#kind(kind);
    const routes = rehearsedRoutes(this.#bill.player.atlas.places, this.#place);
    for (const route of routes) await this.#spent(route);
    for (const route of routes) await this.#asked(route);
    for (const route of routes) await this.#parked(route);
    for (const route of routes) await this.#untaken(route);
  }

  #handling(kind: string): ReturnType<typeof handlingOf> {
    return handlingOf(kind, this.#place.node.routes, this.#place.file.plan.onError);
  }

  async #kind(kind: string): Promise<void> {
    const draft = this.#draft(kind);
    const recipes = recipesFor(this.#bill.player.context, this.#place, kind);
    // a failure that no member can cause is excluded, not rehearsed
    if (recipes.length === 0) return;
    this.#made.add(kind);
    for (const recipe of recipes) {
      const found = await this.#perform(this.#struck(recipe, FIRST));
      if (!hasFailed(found.performance, this.#place, kind)) continue;
      this.#recipes.set(kind, recipe);
      this.#add(draft, found);
      return;
    }
    this.#leaveOut(draft);
  }

  #leaveOut(draft: Draft): void {
    const why = `${this.#place.name} cannot be made to fail with ${draft.inject?.kind ?? ''} on the way that leads there`;
    this.#bill.addUnreached(draft, this.#way.script, why);
  }

  async #spent({ route, kind }: RehearsedRoute): Promise<void> {
    if (!this.#made.has(kind) || !isBounded(route)) return;
    const recipe = this.#recipes.get(kind);
    if (recipe === undefined) return this.#leaveOut(this.#draft(kind, 'spent'));
    const before = this.#stepsBefore(route, kind);
    const tries = triesPast([...before, { route }]);
    const script = withPeople(this.#struck(recipe, tries), { resumed: [this.#place.name] });
    this.#add(this.#draft(kind, 'spent'), await this.#perform(script));
  }

  #stepsBefore(route: Route, kind: string): readonly Step[] {
    const { steps } = this.#handling(kind);
    return steps.slice(
      0,
      steps.findIndex((step) => step.route === route),
    );
  }

  /**
   * Fails until routing reaches this route: the repetitions before it are used up, and nobody
   * answers.
   */
  #struckUntil(route: Route, recipe: Recipe, kind: string): Script {
    const before = this.#stepsBefore(route, kind);
    const { name } = this.#place;
    return withPeople(this.#struck(recipe, triesPast(before)), {
      ...(before.some((step) => step.route.move.type === 'park') ? { resumed: [name] } : {}),
      ...(before.some((step) => step.route.move.type === 'ask')
        ? { answers: { [name]: NEVER } }
        : {}),
    });
  }

  async #asked({ route, kind }: RehearsedRoute): Promise<void> {
    const recipe = this.#recipes.get(kind);
    if (!this.#made.has(kind)) return;
    for (const name of answerNames(route)) {
      if (recipe === undefined) this.#leaveOut(this.#draft(kind, name));
      else {
        const began = this.#struckUntil(route, recipe, kind);
        const answer = name === EXPIRED ? NEVER : name;
        const script = withPeople(began, { answers: { [this.#place.name]: answer } });
        this.#add(this.#draft(kind, name), await this.#perform(script));
      }
    }
  }

  async #parked({ route, kind }: RehearsedRoute): Promise<void> {
    if (route.move.type !== 'park' || !this.#made.has(kind)) return;
    const recipe = this.#recipes.get(kind);
    if (recipe === undefined) return this.#leaveOut(this.#draft(kind, GOES_ON));
    const began = this.#struckUntil(route, recipe, kind);
    const script = withPeople(began, { resumed: [this.#place.name] });
    this.#add(this.#draft(kind, GOES_ON), await this.#perform(script));
  }

  /** Steered to its guard, with everything before it spent, or with nobody to ask. */
  async #untaken({ route, table, kind }: RehearsedRoute): Promise<void> {
    if (this.#taken.has(route) || !this.#made.has(kind)) return;
    const recipe = this.#recipes.get(kind);
    const draft = this.#draft(kind, `#${route.index}`);
    const { player } = this.#bill;
    if (recipe !== undefined) {
      const goal = this.#goalOf(route, table, kind);
      for (const isAlone of [false, true])
        for (const tries of [FIRST, EVERY]) {
          const script = withPeople(this.#struck(recipe, tries), { resumed: [this.#place.name] });
          const began = await this.#perform(isAlone ? { ...script, isAlone } : script);
          const found = await steer(player, began, goal);
          if (found === undefined) continue;
          this.#add(draft, found);
          return;
        }
    }
    this.#bill.addUnreached(draft, this.#way.script, this.#whyUntaken(route, kind));
  }

  #whyUntaken(route: Route, kind: string): string {
    const { player } = this.#bill;
    const site = { file: this.#place.file, routesOf: this.#place };
    if (route.when !== undefined) return guardWords(player, route.when, site, { kind });
    const before = this.#stepsBefore(route, kind).find((step) => step.route.when !== undefined);
    return before?.route.when === undefined
      ? 'Earlier routes leave nothing to it'
      : guardWords(player, before.route.when, site, { kind, isWanted: false });
  }

  #goalOf(route: Route, table: Step['table'], kind: string): Goal {
    const bucket = table === 'node' ? 'error' : 'workflow';
    const guards = this.#handling(kind).steps.flatMap((step) => step.route.when ?? []);
    return {
      place: this.#place,
      guards,
      isReached: ({ trace }) =>
        trace.routes.some(
          (taken) =>
            taken.place === this.#place && taken.bucket === bucket && taken.rule === route.index,
        ),
    };
  }

  #struck(recipe: Recipe, tries: Tries): Script {
    const { script } = this.#way;
    return { ...script, strikes: [...recipe(tries), ...script.strikes] };
  }

  async #perform(script: Script): Promise<Found> {
    return { script, performance: await this.#bill.player.perform(script) };
  }

  #add(draft: Draft, found: Found): void {
    this.#bill.add(draft, found);
    const { node, file } = this.#place;
    for (const { place, bucket, rule } of found.performance.trace.routes) {
      if (place !== this.#place || bucket === 'success') continue;
      const table = bucket === 'error' ? node.routes : file.plan.onError;
      const route = table.find(({ index }) => index === rule);
      if (route !== undefined) this.#taken.add(route);
    }
  }

  #draft(kind: string, more?: string): Draft {
    return draftOf(this.#place, kind, more);
  }
}

/** The same scenarios for an unreachable node. */
export function failureDrafts(
  context: RecipeContext,
  place: Place,
  options: WhichKinds,
): readonly Draft[] {
  const { atlas } = context;
  const kinds = rehearsedKinds(options, place).filter(
    (kind) => recipesFor(context, place, kind).length > 0,
  );
  const routes = rehearsedRoutes(atlas.places, place).filter(({ kind }) => kinds.includes(kind));
  return [
    ...kinds.map((kind) => draftOf(place, kind)),
    ...routes.flatMap(({ route, kind }) =>
      isBounded(route) ? [draftOf(place, kind, 'spent')] : [],
    ),
    ...routes.flatMap(({ route, kind }) =>
      answerNames(route).map((name) => draftOf(place, kind, name)),
    ),
    ...routes.flatMap(({ route, kind }) =>
      route.move.type === 'park' ? [draftOf(place, kind, GOES_ON)] : [],
    ),
  ];
}

function draftOf(place: Place, kind: string, more?: string): Draft {
  const name = `${place.name}: ${kind}${more === undefined ? '' : `, ${more}`}`;
  return { name, origin: 'generated', place, inject: { at: place.name, kind } };
}

/** The kinds of a node that the options let be injected. */
type WhichKinds = Pick<GenerateOptions, 'kinds' | 'doubt'>;

function rehearsedKinds({ kinds, doubt }: WhichKinds, place: Place): readonly string[] {
  const { node, file } = place;
  return place.kinds.filter(
    (kind) =>
      (kinds !== 'routed' || handlingOf(kind, node.routes, file.plan.onError).steps.length > 0) &&
      (doubt !== 'none' || kind !== 'effect.outcome_unknown'),
  );
}

function isBounded({ move }: Route): boolean {
  return move.type === 'retry' || (move.type === 'park' && move.max !== undefined);
}

/** The first try, and one for each repetition by these routes. */
function triesPast(steps: readonly Pick<Step, 'route'>[]): Tries {
  const repeated = steps.reduce(
    (sum, { route: { move } }) => sum + ('max' in move ? (move.max ?? 0) : 0),
    0,
  );
  return { from: 1, to: 1 + repeated };
}

const EXPIRED = 'expired';

/** The scenarios of an `ask`, by what is answered. */
function answerNames({ move }: Route): readonly string[] {
  if (move.type !== 'ask') return [];
  return move.timeoutMs === undefined ? move.options : [...move.options, EXPIRED];
}

function hasFailed({ trace }: Performance, place: Place, kind: string): boolean {
  return trace.failures.some(
    (failure) => failure.place === place && failure.error.kind === kind && failure.isStruck,
  );
}

function withPeople(script: Script, more: Partial<Script['people']>): Script {
  const { answers, resumed } = script.people;
  return {
    ...script,
    people: {
      ...script.people,
      answers: { ...answers, ...more.answers },
      resumed: [...resumed, ...(more.resumed ?? [])],
    },
  };
}

/**
 * The error routes that are rehearsed at a place: its own, and those of its file that it reaches
 * first.
 */
function rehearsedRoutes(places: readonly Place[], place: Place): readonly RehearsedRoute[] {
  const { node, file } = place;
  const own = node.routes.map((route): Step => ({ route, table: 'node' }));
  const shared = file.plan.onError
    .filter((route) => firstToGetTo(places, place, route) === place)
    .map((route): Step => ({ route, table: 'workflow' }));
  return [...own, ...shared].flatMap((step) => {
    const kind = kindFor(place, step.route);
    return step.route.onError === undefined || kind === undefined ? [] : [{ ...step, kind }];
  });
}

function firstToGetTo(places: readonly Place[], { file }: Place, route: Route): Place | undefined {
  return places.find(
    (place) =>
      place.file === file &&
      place.kinds.some((kind) => getsTo(kind, route, place.node.routes, file.plan.onError)),
  );
}

/** The first kind for which the route comes first, else the first that reaches it. */
export function kindFor({ kinds, node, file }: Place, route: Route): string | undefined {
  const stepsOf = (kind: string): readonly Step[] =>
    handlingOf(kind, node.routes, file.plan.onError).steps;
  const possible = kinds.filter((kind) => takes(route, kind));
  return (
    possible.find((kind) => stepsOf(kind)[0]?.route === route) ??
    possible.find((kind) => stepsOf(kind).some((step) => step.route === route))
  );
}
