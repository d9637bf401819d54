/** The company that plays scenarios: it plays a script and says what it did. */
import type { Atlas, Place } from '../places/places.ts';
import { play, type Script, type Stage } from '../play/play.ts';
import { traceOf } from '../play/trace.ts';
import type { Kitchen } from '../inject/kitchen.ts';
import type { DetailsByKind } from '../inject/drafts.ts';
import type { Performance } from './scenario.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { WorldValues } from '../values/world-values.ts';

export interface CompanyParts extends Omit<Stage, 'edited'> {
  readonly details: DetailsByKind;
  /** Answers to gates and questions, by node or path. */
  readonly answers: Readonly<Record<string, JsonValue>>;
}

export class Company {
  readonly stage: Stage;
  readonly kitchen: Kitchen;
  /** Outputs of places where nothing failed. */
  readonly #outputs = new Map<Place, JsonValue>();
  plays = 0;

  /** Nothing fails, and people answer as the plan says. */
  readonly calm: Script;

  constructor({ details, answers, ...stage }: CompanyParts) {
    this.calm = { assignment: new Map(), strikes: [], people: { answers, goesOn: [] } };
    this.stage = {
      ...stage,
      edited: (place) => this.#outputs.get(place) ?? stage.values.base(place),
    };
    this.kitchen = { atlas: stage.atlas, values: stage.values, details };
  }

  get atlas(): Atlas {
    return this.stage.atlas;
  }

  get values(): WorldValues {
    return this.stage.values;
  }

  async perform(script: Script): Promise<Performance> {
    this.plays++;
    const played = await play(this.stage, script);
    const trace = traceOf(this.atlas, played);
    for (const [place, output] of trace.completed)
      if (!this.#outputs.has(place)) this.#outputs.set(place, output);
    return { played, trace };
  }
}
