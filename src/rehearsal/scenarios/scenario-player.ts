/** Plays scenarios: plays a script and reports its results. */
import type { Atlas, Place } from '../places/atlas.ts';
import { play, type Script, type Stage } from '../play/play-scenario.ts';
import { traceOf } from '../play/play-trace.ts';
import type { RecipeContext } from '../inject/recipe-context.ts';
import type { DetailsByKind } from '../inject/drafts.ts';
import type { Performance } from './scenario.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { WorldValues } from '../values/world-values.ts';

export interface PlayerParts extends Omit<Stage, 'edited'> {
  readonly details: DetailsByKind;
  /** Answers to gates and questions, by node or path. */
  readonly answers: Readonly<Record<string, JsonValue>>;
}

export class ScenarioPlayer {
  readonly stage: Stage;
  readonly context: RecipeContext;
  /** Outputs of places where nothing failed. */
  readonly #outputs = new Map<Place, JsonValue>();

  /** Nothing fails, and people answer as the plan says. */
  readonly calm: Script;

  constructor({ details, answers, ...stage }: PlayerParts) {
    this.calm = { assignment: new Map(), strikes: [], people: { answers, resumed: [] } };
    this.stage = {
      ...stage,
      edited: (place) => this.#outputs.get(place) ?? stage.values.base(place),
    };
    this.context = { atlas: stage.atlas, values: stage.values, details };
  }

  get atlas(): Atlas {
    return this.stage.atlas;
  }

  get values(): WorldValues {
    return this.stage.values;
  }

  async perform(script: Script): Promise<Performance> {
    const played = await play(this.stage, script);
    const trace = traceOf(this.atlas, played);
    for (const [place, output] of trace.completed)
      if (!this.#outputs.has(place)) this.#outputs.set(place, output);
    return { played, trace };
  }
}
