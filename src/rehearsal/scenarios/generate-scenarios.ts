/**
 * Makes the scenarios of a workflow from what `errand validate` knows about it, and plays each as it is made:
 * node by node in file order. A node that nothing has entered yet waits until a scenario enters it.
 */
import type { Route } from '../../workflow/plan/route-plan.ts';
import type { Place } from '../places/atlas.ts';
import type { Script } from '../play/play-scenario.ts';
import { judge, type Judgement } from '../verdict/verdict.ts';
import { siteOf } from '../steer/field-table.ts';
import { isOnTheWay, placesBefore } from '../steer/place-graph.ts';
import { steer, type Found, type Goal } from '../steer/steer.ts';
import { guardWords, undeclaredField } from '../steer/obstacles.ts';
import type { ScenarioPlayer } from './scenario-player.ts';
import { failureDrafts, FailureScenarios } from './failure-scenarios.ts';
import { gateDrafts, gateScenarios } from './gate-scenarios.ts';
import type { Performance, Scenario } from './scenario.ts';
import { summaryOf } from './summary.ts';

export interface GenerateOptions {
  readonly kinds: 'all' | 'routed' | 'none';
  readonly doubt: 'all' | 'none';
  /** Every scenario keeps the events before its end; otherwise only surprises do. */
  readonly keepsWays: boolean;
  /** Called with every performance that counts, in the order of play. */
  readonly onPlayed: (performance: Performance, scenario: Scenario) => void;
}

export type Draft = Omit<Scenario, 'judgement' | 'summary' | 'script'>;

/** Rounds in which `calm` may be steered past assertions. */
const CALM_ROUNDS = 6;

export class Playbill {
  readonly player: ScenarioPlayer;
  readonly options: GenerateOptions;
  readonly scenarios: Scenario[] = [];
  /** The script that first entered each place, failures or not. */
  readonly #entered = new Map<Place, Found>();
  readonly #ways = new Map<Place, Found>();
  /** Success routes that were taken, by place and rule, with the position of the scenario. */
  readonly #taken = new Map<string, number>();
  #calm: Found | undefined;

  constructor(player: ScenarioPlayer, options: GenerateOptions) {
    this.player = player;
    this.options = options;
  }

  async make(): Promise<readonly Scenario[]> {
    await this.#playCalm();
    let waiting = [...this.player.atlas.places];
    for (let isMore = true; isMore;) {
      isMore = false;
      const still: Place[] = [];
      for (const place of waiting) {
        const way = await this.#wayTo(place);
        if (way === undefined) still.push(place);
        else {
          await this.#playAt(place, way);
          isMore = true;
        }
      }
      waiting = still;
    }
    for (const place of waiting) this.#leaveOut(place);
    return this.scenarios.toSorted((a, b) => orderOf(a) - orderOf(b));
  }

  get calmScript(): Script {
    return this.#calm?.script ?? this.player.calm;
  }

  /** A way to a place on which nothing fails. */
  async peacefulWay(place: Place): Promise<Found | undefined> {
    const way = await this.#wayTo(place);
    return way?.script.strikes.length === 0 ? way : undefined;
  }

  /** Adds a scenario that was played. */
  add(draft: Draft, found: Found): Scenario {
    const judgement = this.#judge(found.performance);
    const { atlas } = this.player;
    const scenario: Scenario = {
      ...draft,
      script: found.script,
      judgement,
      summary: summaryOf(atlas, found.performance, {
        hasWay: this.options.keepsWays || judgement.verdict === 'surprise',
      }),
    };
    const light = withoutEvents(found);
    this.scenarios.push(scenario);
    const order = draft.place?.order ?? -1;
    for (const place of found.performance.trace.visited)
      if (!this.#entered.has(place)) this.#entered.set(place, light);
    for (const { place, rule, bucket } of found.performance.trace.routes) {
      if (bucket !== 'success') continue;
      const key = `${place.name}#${rule}`;
      this.#taken.set(key, Math.min(order, this.#taken.get(key) ?? Infinity));
    }
    this.options.onPlayed(found.performance, scenario);
    return scenario;
  }

  addUnreached(draft: Draft, script: Script, why: string): void {
    this.scenarios.push({ ...draft, script, judgement: { verdict: 'unreached', why } });
  }

  #judge(performance: Performance): Judgement {
    const { atlas, values } = this.player;
    const judgement = judge(atlas, performance.played, performance.trace);
    if (judgement.verdict !== 'surprise') return judgement;
    const unknown = undeclaredField(atlas, values, performance);
    return unknown === undefined ? judgement : { verdict: 'unreached', why: unknown.why };
  }

  async #playCalm(): Promise<void> {
    let found: Found = {
      script: this.player.calm,
      performance: await this.player.perform(this.player.calm),
    };
    for (let round = 0; round < CALM_ROUNDS; round++) {
      const obstacle = ownFailure(found.performance);
      if (obstacle === undefined) break;
      const goal: Goal = {
        place: obstacle.place,
        isReached: ({ trace }) =>
          !trace.failures.some(({ place, isStruck }) => place === obstacle.place && !isStruck) &&
          trace.completed.has(obstacle.place),
      };
      const better = await steer(this.player, found, goal);
      if (better === undefined) break;
      found = better;
    }
    this.#calm = found;
    const left = ownFailure(found.performance);
    const isUnmet =
      left !== undefined && left.place.node.assert.some(({ raise }) => raise === left.error.kind);
    const scenario = this.add({ name: 'calm', origin: 'generated' }, found);
    if (!isUnmet || scenario.judgement.verdict !== 'surprise' || left === undefined) return;
    const that = left.place.node.assert.find(({ raise }) => raise === left.error.kind)?.that ?? '';
    const why = guardWords(this.player, that, {
      file: left.place.file,
      routesOf: left.place,
    });
    this.scenarios[this.scenarios.indexOf(scenario)] = {
      ...scenario,
      judgement: { verdict: 'unreached', why: why.replace('The guard', 'The assertion') },
    };
  }

  /** How a place is reached: calmly, by steering, else through the first scenario that entered it. */
  async #wayTo(place: Place): Promise<Found | undefined> {
    const known = this.#ways.get(place);
    if (known !== undefined) return known;
    const found = await this.#findWay(place);
    if (found !== undefined) this.#ways.set(place, withoutEvents(found));
    return found;
  }

  async #findWay(place: Place): Promise<Found | undefined> {
    const calm = this.#calm;
    if (calm === undefined) return undefined;
    if (calm.performance.trace.visited.has(place)) return calm;
    const entered = this.#entered.get(place);
    const isPeaceful = entered?.script.strikes.length === 0;
    if (entered !== undefined && isPeaceful) return entered;
    if (isOnTheWay(this.player.atlas, place) && !this.#hopeless.has(place)) {
      const goal: Goal = { place, isReached: ({ trace }) => trace.visited.has(place) };
      const steered = await steer(this.player, calm, goal);
      if (steered !== undefined) return steered;
      this.#hopeless.add(place);
    }
    return entered;
  }

  /** Places that no value leads to without a failure. */
  readonly #hopeless = new Set<Place>();

  async #playAt(place: Place, way: Found): Promise<void> {
    for (const route of place.node.routes) {
      const { index, onError } = route;
      if (onError !== undefined || this.#isTakenBefore(place, index)) continue;
      const draft: Draft = { name: `calm: ${place.name} #${index}`, origin: 'generated', place };
      const goal: Goal = {
        place,
        isReached: ({ trace }) =>
          trace.routes.some(
            (route) => route.place === place && route.bucket === 'success' && route.rule === index,
          ),
      };
      const found = await steer(this.player, way, goal);
      if (found !== undefined) this.add(draft, found);
      else this.addUnreached(draft, way.script, this.#whyNot(place, route, way));
    }
    await gateScenarios(this, place, way);
    await new FailureScenarios(this, place, way).play();
  }

  #whyNot(
    place: Place,
    { when, index }: Pick<Route, 'when' | 'index'>,
    { performance: { trace } }: Found,
  ): string {
    const own = trace.failures.find((each) => each.place === place && !each.isStruck);
    if (own !== undefined && !trace.completed.has(place))
      return `${place.name} fails by itself: ${own.error.kind}: ${own.error.message}`;
    const site = { file: place.file, routesOf: place };
    if (when !== undefined) return guardWords(this.player, when, site);
    const before = place.node.routes.find(
      (route) => route.index < index && route.onError === undefined && route.when !== undefined,
    );
    if (before?.when === undefined) return 'An earlier route takes every result';
    return guardWords(this.player, before.when, site, { isWanted: false });
  }

  #isTakenBefore(place: Place, rule: number): boolean {
    return (this.#taken.get(`${place.name}#${rule}`) ?? Infinity) < place.order;
  }

  /** Nothing leads to the place: lists each of its scenarios, with the obstacle. */
  #leaveOut(place: Place): void {
    const why = this.whyUnreached(place);
    const { script } = this.#calm ?? { script: this.player.calm };
    for (const { index, onError } of place.node.routes)
      if (onError === undefined)
        this.addUnreached(
          { name: `calm: ${place.name} #${index}`, origin: 'generated', place },
          script,
          why,
        );
    const add = (draft: Draft): void => this.addUnreached(draft, script, why);
    for (const draft of gateDrafts(place)) add(draft);
    if (this.options.kinds !== 'none')
      for (const draft of failureDrafts(this.player.context, place, this.options)) add(draft);
  }

  /** The guards between the nearest places that are reached and this one. */
  #obstacle(target: Place): string | undefined {
    const seen = new Set([target]);
    for (const place of seen)
      for (const { from, route } of placesBefore(this.player.atlas, place)) {
        const way = this.#ways.get(from) ?? this.#entered.get(from);
        if (way === undefined) seen.add(from);
        else if (route?.when !== undefined)
          return guardWords(this.player, route.when, siteOf(from));
        else if (route !== undefined && route.onError === undefined)
          return this.#whyNot(from, route, way);
      }
    return undefined;
  }

  whyUnreached(place: Place): string {
    const { atlas, values } = this.player;
    const obstacle = this.#obstacle(place);
    if (obstacle !== undefined) return obstacle;
    const calm = this.#calm?.performance;
    const unknown = calm === undefined ? undefined : undeclaredField(atlas, values, calm);
    if (unknown !== undefined) return unknown.why;
    const { result } = calm?.played ?? {};
    if (result?.status === 'failed')
      return `Nothing leads to ${place.name}: calm ends with ${result.error.kind}: ${result.error.message}`;
    return `Nothing leads to ${place.name}`;
  }
}

/** The way to a place is kept to the end; what steers from there reads its trace. */
function withoutEvents({ script, performance: { played, trace } }: Found): Found {
  return { script, performance: { played: { ...played, events: [], executions: [] }, trace } };
}

/** A failure that nothing injected: an assertion, or no route that matches. */
function ownFailure({ trace }: Performance): Performance['trace']['failures'][number] | undefined {
  return trace.failures.find(
    ({ isStruck, place, error }) =>
      !isStruck &&
      (error.kind === 'route.no_match' ||
        place.node.assert.some(({ raise }) => raise === error.kind)),
  );
}

function orderOf({ place }: Scenario): number {
  return place?.order ?? -1;
}
