/**
 * Coverage: each figure as covered of total, with the gaps and their reasons, and the exclusions.
 */
import { matchesKind } from '../../errors/catalog/kinds.ts';
import type { RecipeContext } from '../inject/recipe-context.ts';
import { recipesFor } from '../inject/recipes.ts';
import { doubtfulTool } from '../inject/model-recipes.ts';
import type { Route } from '../../workflow/plan/route-plan.ts';
import { getsTo, type Place, type PlacedFile } from '../places/atlas.ts';
import { GOES_ON, WENT_ON } from '../resumption-words.ts';
import { kindFor } from '../scenarios/failure-scenarios.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { MoveFact, Notebook } from './notebook.ts';

export interface Figure<M> {
  readonly covered: number;
  readonly total: number;
  readonly missed: readonly M[];
  readonly excluded: readonly (Omit<M, 'why'> & { readonly reason: string })[];
}

export interface RouteMissed {
  readonly node?: string;
  readonly rule: number;
  readonly line: number;
  readonly why: string;
}

export interface MoveMissed {
  readonly node?: string;
  readonly rule?: number;
  readonly line: number;
  readonly what: string;
  readonly why: string;
}

export interface KindMissed {
  readonly node: string;
  readonly kind: string;
  readonly why: string;
}

export interface DoubtMissed {
  readonly node: string;
  readonly why: string;
}

export interface Coverage {
  readonly routes: Figure<RouteMissed>;
  readonly moves: Figure<MoveMissed>;
  readonly kinds: Figure<KindMissed>;
  readonly doubt: Figure<DoubtMissed>;
}

/** An error route, with the place whose table has it; none for the table of a file. */
export interface ErrorRoute {
  readonly route: Route;
  readonly place: Place | undefined;
  readonly file: PlacedFile;
}

/** The end of its scenario's name, if that is not the fact itself. */
const SCENARIO_OF: Readonly<Record<string, string>> = {
  'ran again': '',
  [WENT_ON]: `, ${GOES_ON}`,
};

const NO_MEMBER = 'no failure of a member can get out of it';

export class CoverageReport {
  readonly #context: RecipeContext;
  readonly #notes: Notebook;
  readonly #scenarios: readonly Scenario[];
  readonly #isExcludedKind: (place: Place, kind: string) => boolean;

  constructor(context: RecipeContext, notes: Notebook, scenarios: readonly Scenario[]) {
    this.#context = context;
    this.#notes = notes;
    this.#scenarios = scenarios;
    this.#isExcludedKind = (place, kind) =>
      kind.startsWith('group.') && recipesFor(context, place, kind).length === 0;
  }

  get all(): Coverage {
    return {
      routes: this.routes(),
      moves: this.#moves(),
      kinds: this.#kinds(),
      doubt: this.#doubt(),
    };
  }

  /** Every error route, in the order of the files. */
  errorRoutes(): readonly ErrorRoute[] {
    const { atlas } = this.#context;
    return atlas.files.flatMap((file) => [
      ...atlas.places
        .filter((place) => place.file === file)
        .flatMap((place) =>
          place.node.routes
            .filter(({ onError }) => onError !== undefined)
            .map((route) => ({ route, place, file })),
        ),
      ...file.plan.onError.map((route) => ({ route, place: undefined, file })),
    ]);
  }

  /** Only an impossible failure would reach it. */
  isExcluded({ route, place, file }: ErrorRoute): boolean {
    const places = place === undefined ? this.#placesOf(file) : [place];
    const kinds = places.flatMap((each) =>
      each.kinds
        .filter((kind) => getsTo(kind, route, each.node.routes, file.plan.onError))
        .map((kind) => this.#isExcludedKind(each, kind)),
    );
    return kinds.length > 0 && kinds.every(Boolean);
  }

  routes(): Figure<RouteMissed> {
    return figureOf(this.errorRoutes(), {
      isExcluded: (each) => this.isExcluded(each),
      isCovered: ({ route }) => this.#notes.routes.has(route),
      about: ruleOf,
      why: (each) => this.#whyMissed(each),
    });
  }

  #moves(): Figure<MoveMissed> {
    const all = [
      ...this.errorRoutes().flatMap((each) =>
        factsOf(each.route).map((fact) => ({
          subject: each.route,
          fact,
          at: ruleOf(each),
          isExcluded: this.isExcluded(each),
          why: (): string =>
            this.#notes.routes.has(each.route) ? this.#whyLess(each, fact) : this.#whyMissed(each),
        })),
      ),
      ...this.#context.atlas.places.flatMap((place) =>
        gateFacts(place).map((fact) => ({
          subject: place,
          fact,
          at: { node: place.name, line: place.node.location.line ?? 0 },
          isExcluded: false,
          why: (): string =>
            this.#whyOf(place) ?? this.#whyEnded(`${place.name}: ${factWords(fact)}`),
        })),
      ),
    ];
    return figureOf(all, {
      isExcluded: ({ isExcluded }) => isExcluded,
      isCovered: ({ subject, fact }) => this.#notes.hasMove(subject, fact),
      about: ({ at, fact }) => ({ ...at, what: factWords(fact) }),
      why: ({ why }) => why(),
    });
  }

  #kinds(): Figure<KindMissed> {
    const all = this.#context.atlas.places.flatMap((place) =>
      place.kinds.map((kind) => ({ place, kind })),
    );
    return figureOf(all, {
      isExcluded: ({ place, kind }) => this.#isExcludedKind(place, kind),
      isCovered: ({ place, kind }) => this.#notes.hasKind(place, kind),
      about: ({ place, kind }) => ({ node: place.name, kind }),
      why: ({ place, kind }) => this.#whyOf(place, kind) ?? 'no scenario injects it',
    });
  }

  #doubt(): Figure<DoubtMissed> {
    const all = this.#context.atlas.places.filter((place) => isDoubtful(this.#context, place));
    return figureOf(all, {
      isExcluded: () => false,
      isCovered: (place) => this.#notes.doubt.has(place),
      about: (place) => ({ node: place.name }),
      why: (place) => this.#whyOf(place, 'effect.outcome_unknown') ?? 'its reply was never lost',
    });
  }

  #placesOf(file: PlacedFile): readonly Place[] {
    return this.#context.atlas.places.filter((place) => place.file === file);
  }

  #whyMissed({ route, place, file }: ErrorRoute): string {
    const places = place === undefined ? this.#placesOf(file) : [place];
    const rehearsed = places.find((each) => kindFor(each, route) !== undefined);
    if (rehearsed === undefined)
      return place === undefined ? 'earlier routes leave nothing to it' : shadowed(place, route);
    const kind = kindFor(rehearsed, route) ?? '';
    return this.#whyOf(rehearsed, kind, route) ?? 'never taken';
  }

  /** Why a taken route did less than it promises. */
  #whyLess({ route, place, file }: ErrorRoute, fact: MoveFact): string {
    const places = place === undefined ? this.#placesOf(file) : [place];
    const names = places.flatMap((each) => {
      const kind = kindFor(each, route);
      return kind === undefined
        ? []
        : [`${each.name}: ${kind}${SCENARIO_OF[fact] ?? `, ${factWords(fact)}`}`];
    });
    return this.#whyEnded(...names);
  }

  /** How the first of these scenarios ended without showing it. */
  #whyEnded(...names: readonly string[]): string {
    const meant = this.#scenarios.find(({ name }) => names.includes(name));
    if (meant === undefined) return 'no scenario of this rehearsal shows it';
    const { judgement, summary } = meant;
    if (summary === undefined) return judgement.why ?? 'nothing leads to it';
    const { result } = summary;
    return result.status === 'failed'
      ? `the run failed with ${result.error.kind} first`
      : `the run was ${result.status} first`;
  }

  /** Why the scenario that was to show it did not. */
  #whyOf(place: Place, kind?: string, route?: Route): string | undefined {
    const about = this.#scenarios.filter(
      (each) => each.place === place && (kind === undefined || each.inject?.kind === kind),
    );
    const unreached = about.filter(({ judgement }) => judgement.verdict === 'unreached');
    const named =
      route === undefined
        ? undefined
        : unreached.find(({ name }) => name.endsWith(`#${route.index}`));
    return (named ?? unreached[0])?.judgement.why;
  }
}

/** How one figure counts its subjects. */
interface Counting<T, About> {
  readonly isExcluded: (subject: T) => boolean;
  readonly isCovered: (subject: T) => boolean;
  /** How a missed or an excluded subject is named. */
  readonly about: (subject: T) => About;
  readonly why: (missed: T) => string;
}

interface CountedFigure<About> {
  readonly covered: number;
  readonly total: number;
  readonly missed: readonly (About & { readonly why: string })[];
  readonly excluded: readonly (About & { readonly reason: string })[];
}

function figureOf<T, About extends object>(
  all: readonly T[],
  { isExcluded, isCovered, about, why }: Counting<T, About>,
): CountedFigure<About> {
  const excluded = all.filter(isExcluded);
  const counted = all.filter((each) => !excluded.includes(each));
  const missed = counted.filter((each) => !isCovered(each));
  return {
    covered: counted.length - missed.length,
    total: counted.length,
    missed: missed.map((each) => ({ ...about(each), why: why(each) })),
    excluded: excluded.map((each) => ({ ...about(each), reason: NO_MEMBER })),
  };
}

function shadowed({ node, kinds }: Place, route: Route): string {
  const isNamed = kinds.some(
    (kind) =>
      route.onError === true || (route.onError ?? []).some((pattern) => matchesKind(kind, pattern)),
  );
  return isNamed
    ? 'earlier routes leave nothing to it'
    : `${node.name} cannot fail with what it names, or earlier routes leave nothing to it`;
}

function ruleOf({ route, place }: ErrorRoute): { node?: string; rule: number; line: number } {
  const at = { rule: route.index, line: route.line ?? 0 };
  return place === undefined ? at : { node: place.name, ...at };
}

/** The promises of a move. */
function factsOf({ move }: Route): readonly MoveFact[] {
  switch (move.type) {
    case 'to':
    case 'halt':
    case 'propagate':
      return ['taken'];
    case 'retry':
      return ['ran again', 'spent'];
    case 'park':
      return move.max === undefined ? [WENT_ON] : [WENT_ON, 'spent'];
    case 'ask': {
      const options = move.options.map((option): MoveFact => `option ${option}`);
      return move.timeoutMs === undefined ? options : [...options, 'expired'];
    }
  }
}

function gateFacts({ node }: Place): readonly MoveFact[] {
  if (node.type !== 'human_gate') return [];
  const options = node.options.map(({ value }): MoveFact => `option ${String(value)}`);
  return node.expiresMs === undefined ? options : [...options, 'expired'];
}

function factWords(fact: MoveFact): string {
  return fact.startsWith('option ') ? fact.slice('option '.length) : fact;
}

/** A node whose effect must not be repeated unasked, or an agent that may call such a tool. */
function isDoubtful(context: RecipeContext, place: Place): boolean {
  const { node, file } = place;
  if (node.type === 'agent') return doubtfulTool(context, place) !== undefined;
  if (node.type !== 'script' && node.type !== 'call' && node.type !== 'tool') return false;
  if (node.isIdempotent) return false;
  if (node.type === 'script') return true;
  const name = node.type === 'call' ? node.function : node.tool;
  const key = file.caller === undefined ? '' : file.plan.file;
  const isDeclared = context.atlas.plan.tools?.[key]?.[name]?.isIdempotent === true;
  return node.isNeverRepeated === true || !isDeclared;
}
