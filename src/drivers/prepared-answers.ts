/** Answers that were given before anyone asked: the n-th time that a gate opens it gets the n-th. */
import type { JsonValue } from '../errors/json.ts';
import { toReport } from '../errors/to-report.ts';
import { answerEvent } from '../machine/answers.ts';
import type { EventBody } from '../machine/events.ts';
import { stampAt } from '../machine/failure.ts';
import { LazyMap } from '../machine/lazy.ts';
import type { RunState } from '../machine/state.ts';

export interface PreparedAnswer {
  /** The name or the path of a gate. */
  readonly gate: string;
  readonly value: JsonValue;
}

export class PreparedAnswers {
  readonly #answers: readonly PreparedAnswer[];
  readonly #used = new LazyMap<string, number>();

  /** `used`: how many each gate has had already. */
  constructor(answers: readonly PreparedAnswer[] = [], used: Iterable<[string, number]> = []) {
    this.#answers = answers;
    for (const [gate, count] of used) this.#used.set(gate, count);
  }

  get used(): readonly [string, number][] {
    return [...this.#used];
  }

  /** What happens at a gate that has opened; undefined where nothing was prepared. */
  eventFor(state: RunState, gate: string, node: string): EventBody | undefined {
    // what asked may have ended the run in the same step: the answer is for whoever goes on with it
    if (state.status !== 'running') return undefined;
    const prepared = this.#answers.filter(({ gate: name }) => name === gate || name === node);
    const used = this.#used.get(gate) ?? 0;
    const next = prepared[used];
    if (next === undefined) return undefined;
    this.#used.set(gate, used + 1);
    try {
      return answerEvent(state, { gate, value: next.value, by: 'prepared' });
    } catch (refusal) {
      const reason = 'a prepared answer did not fit, so the gate stays open';
      const error = toReport(refusal, { stamp: stampAt(state, gate, 'prepared') });
      return { type: 'error:suppressed', error, reason };
    }
  }
}
