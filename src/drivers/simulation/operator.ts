/** The person at the desk: answers gates, resumes what stopped, and decides when it is enough. */
import type { JsonValue } from '../../errors/json.ts';
import type { Answer } from '../../machine/answers.ts';
import type { Wait, Waiting } from '../../machine/events.ts';
import type { RunResult } from '../local.ts';
import type { Random, SeedWord } from './random.ts';

/** By path of the gate or by name of the node; `any`: one of the options, by the seed. */
export type Answers = 'any' | Readonly<Record<string, JsonValue>>;

export interface OperatorOptions {
  readonly answers: Answers;
  /** How often a run that failed is resumed. */
  readonly resumes: number;
  /** The chance that a run that waits is cancelled instead of continued. */
  readonly cancels: number;
  readonly random: (...words: readonly SeedWord[]) => Random;
  readonly now: () => number;
  /** How often a gate has been answered, by the log. */
  readonly answered: (gate: string) => number;
}

export type NextLeg =
  | { readonly type: 'end' }
  | { readonly type: 'cancel'; readonly afterMs: number }
  | { readonly type: 'resume'; readonly afterMs: number; readonly answer?: Answer };

/** Who restarts a process needs a moment. */
const RESTART_MS = 5000;

export class Operator {
  readonly #options: OperatorOptions;
  #resumes = 0;
  #pauses = 0;

  constructor(options: OperatorOptions) {
    this.#options = options;
  }

  next(result: RunResult): NextLeg {
    switch (result.status) {
      case 'completed':
      case 'cancelled':
        return { type: 'end' };
      case 'interrupted':
        return { type: 'resume', afterMs: RESTART_MS };
      case 'failed':
        return this.#resumes++ < this.#options.resumes
          ? { type: 'resume', afterMs: RESTART_MS }
          : { type: 'end' };
      case 'paused':
        return this.#paused(result.waiting);
    }
  }

  #paused(waiting: Waiting): NextLeg {
    const { cancels, random } = this.#options;
    if (random('cancel', ++this.#pauses).chance(cancels / 2))
      return { type: 'cancel', afterMs: 1000 };
    const gates = waiting.all.filter(({ gate }) => gate !== undefined);
    for (const wait of gates) {
      const answer = this.#answer(wait);
      if (answer !== undefined) return { type: 'resume', afterMs: 1000, answer };
    }
    const until = waiting.all.flatMap((wait) => wait.until ?? []).sort()[0];
    if (until !== undefined)
      return { type: 'resume', afterMs: Math.max(0, Date.parse(until) - this.#options.now()) };
    const isParked = waiting.all.some(({ reason }) => reason === 'person');
    return isParked && this.#resumes++ < this.#options.resumes
      ? { type: 'resume', afterMs: RESTART_MS }
      : { type: 'end' };
  }

  #answer({ gate = '', node = '', options = [] }: Wait): Answer | undefined {
    const { answers, random } = this.#options;
    if (answers !== 'any') {
      const value = answers[gate] ?? answers[node];
      return value === undefined ? undefined : { gate, value, by: 'operator' };
    }
    // of the gate and the log alone, so that a run that was killed gets the same answers
    const chance = random('answer', gate, this.#options.answered(gate));
    if (options.length === 0 || chance.chance(0.1)) return undefined;
    const chosen = chance.pick(options);
    const value = chosen === 'edit' ? { edit: { n: chance.int(4) } } : chosen;
    return { gate, value, by: 'operator' };
  }
}
