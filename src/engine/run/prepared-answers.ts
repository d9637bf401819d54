/**
 * Answers that were prepared before a gate opens: its n-th opening gets the n-th answer. A leg's
 * own answers come before those stored with the run, and count from the beginning of the leg.
 */
import { toReport } from '../../errors/thrown/to-report.ts';
import { answerEvent } from '../../machine/gates/gate-answer.ts';
import type { PreparedAnswer } from '../../machine/gates/prepared-answer.ts';
import type { EventBody } from '../../machine/state/events.ts';
import { stampAt } from '../../machine/decide/failure-reports.ts';
import { LazyMap } from '../../machine/state/lazy-collections.ts';
import type { RunState } from '../../machine/state/state.ts';

export type { PreparedAnswer } from '../../machine/gates/prepared-answer.ts';

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

  /** The event that answers an open gate; undefined where nothing was prepared. */
  eventFor(state: RunState, gate: string, node: string): EventBody | undefined {
    // the run may have ended in the step that opened the gate: the answer is for its next leg
    if (state.status !== 'running') return undefined;
    const next = this.#nextOfLeg(gate, node) ?? storedFor(state, gate, node);
    if (next === undefined) return undefined;
    try {
      const { value, isByProgram } = next;
      return answerEvent(state, { gate, value, by: 'prepared', isByProgram });
    } catch (refusal) {
      const error = toReport(refusal, { stamp: stampAt(state, gate, 'prepared') });
      const reason = `the gate stays open. ${error.action.detail}`;
      return { type: 'error:suppressed', error, reason };
    }
  }

  #nextOfLeg(gate: string, node: string): PreparedAnswer | undefined {
    const used = this.#used.get(gate) ?? 0;
    const next = fitting(this.#answers, gate, node)[used];
    if (next !== undefined) this.#used.set(gate, used + 1);
    return next;
  }
}

function storedFor({ prepared }: RunState, gate: string, node: string): PreparedAnswer | undefined {
  if (prepared === undefined) return undefined;
  return fitting(prepared.answers, gate, node)[(prepared.openings.get(gate) ?? 1) - 1];
}

function fitting(
  answers: readonly PreparedAnswer[],
  gate: string,
  node: string,
): readonly PreparedAnswer[] {
  return answers.filter(({ gate: name }) => name === gate || name === node);
}
