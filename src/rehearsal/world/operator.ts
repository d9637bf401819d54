/**
 * The person who operates a simulated run: answers gates, resumes stopped runs, and decides when to
 * give up.
 */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { Answer } from '../../machine/gates/gate-answer.ts';
import type { Wait, Waiting } from '../../machine/state/events.ts';
import type { RunResult } from '../../engine/backend.ts';
import type { Random, SeedWord } from './random.ts';

/** By path of the gate or by name of the node; `any`: one of the options, by the seed. */
export type Answers = 'any' | Readonly<Record<string, JsonValue>>;

export interface OperatorOptions {
  readonly answers: Answers;
  /** How often a run that failed is resumed. */
  readonly resumes: number;
  /** The chance that a run that waits is cancelled instead of continued. */
  readonly cancels: number;
  /** The chance that a paused run first gets an answer that it must refuse. */
  readonly misanswers: number;
  /** The chance that a node is run again at a rest, whatever other moves there are. */
  readonly rewinds: number;
  /** Paths of the nodes that were started. */
  readonly started: () => readonly string[];
  /** The gate that was answered or ran out last. */
  readonly lastGate: () => string | undefined;
  readonly random: (...words: readonly SeedWord[]) => Random;
  readonly now: () => number;
  /** How often a gate has been answered, by the log. */
  readonly answered: (gate: string) => number;
}

export type NextLeg =
  | { readonly type: 'end' }
  | { readonly type: 'cancel'; readonly afterMs: number }
  | {
      readonly type: 'resume';
      readonly afterMs: number;
      readonly answer?: Answer;
      readonly from?: string;
    };

/** An operator needs a moment to restart a process. */
const RESTART_MS = 5000;
const MOST_REWINDS = 3;

export class Operator {
  readonly #options: OperatorOptions;
  #resumes = 0;
  #pauses = 0;
  #rests = 0;
  #rewinds = 0;
  #given: Answer | undefined;

  constructor(options: OperatorOptions) {
    this.#options = options;
  }

  next(result: RunResult): NextLeg {
    return this.#rewind(result) ?? this.#afterLeg(result);
  }

  #afterLeg(result: RunResult): NextLeg {
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

  /** Runs a node again with all that follows it; some nodes refuse that. */
  #rewind({ status }: RunResult): NextLeg | undefined {
    const { random, rewinds, started } = this.#options;
    const chance = random('rewind', ++this.#rests);
    if (status === 'cancelled' || !chance.chance(rewinds)) return undefined;
    if (this.#rewinds++ >= MOST_REWINDS) return undefined;
    const paths = started();
    return paths.length === 0
      ? undefined
      : { type: 'resume', afterMs: RESTART_MS, from: chance.pick(paths) };
  }

  #paused(waiting: Waiting): NextLeg {
    const { cancels, random } = this.#options;
    if (random('cancel', ++this.#pauses).chance(cancels / 2))
      return { type: 'cancel', afterMs: 1000 };
    const gates = waiting.all.filter(({ gate }) => gate !== undefined);
    const wrong = this.#misanswer(gates);
    if (wrong !== undefined) return wrong;
    for (const wait of gates) {
      const answer = this.#answer(wait);
      if (answer === undefined) continue;
      this.#given = answer;
      return { type: 'resume', afterMs: 1000, answer };
    }
    const until = waiting.all.flatMap((wait) => wait.until ?? []).sort()[0];
    if (until !== undefined)
      return { type: 'resume', afterMs: Math.max(0, Date.parse(until) - this.#options.now()) };
    const isParked = waiting.all.some(({ reason }) => reason === 'person');
    return isParked && this.#resumes++ < this.#options.resumes
      ? { type: 'resume', afterMs: RESTART_MS }
      : { type: 'end' };
  }

  /** A wrong answer: repeated, too late, for no gate, or without a value. */
  #misanswer(gates: readonly Wait[]): NextLeg | undefined {
    const { misanswers, now, lastGate } = this.#options;
    const chance = this.#options.random('misanswer', this.#pauses);
    if (!chance.chance(misanswers)) return undefined;
    const by = 'meddler';
    const says = (gate: string, value: JsonValue, afterMs = 500): NextLeg => ({
      type: 'resume',
      afterMs,
      answer: { gate, value, by },
    });
    const [wait] = gates;
    const before = lastGate();
    if (before !== undefined && chance.chance(0.4))
      return this.#repetition(by) ?? says(before, 'approve');
    if (wait?.gate === undefined || chance.chance(0.1)) return says('nowhere', 'approve');
    const [option = 'yes'] = wait.options ?? [];
    if (wait.until !== undefined && chance.chance(0.6))
      return says(wait.gate, option, Math.max(0, Date.parse(wait.until) - now()));
    const nonsense = wait.reason === 'budget' ? NONSENSE : [...NONSENSE, { raise: { usd: 1 } }];
    return says(wait.gate, chance.pick(nonsense));
  }

  /** Repeats the latest answer for its own question: its gate may have asked again. */
  #repetition(by: string): NextLeg | undefined {
    if (this.#given === undefined) return undefined;
    const isDrawn = this.#options.random('repetition', this.#pauses).chance(0.5);
    return isDrawn ? { type: 'resume', afterMs: 500, answer: { ...this.#given, by } } : undefined;
  }

  #answer({ gate = '', opening, node = '', options = [], error }: Wait): Answer | undefined {
    const { answers, random } = this.#options;
    if (answers !== 'any') {
      const value = answers[gate] ?? answers[node];
      return value === undefined ? undefined : { gate, opening, value, by: 'operator' };
    }
    // drawn from the gate and the log alone, so that a run that was killed gets the same answers
    const chance = random('answer', gate, this.#options.answered(gate));
    if (options.length === 0 || chance.chance(0.1)) return undefined;
    const chosen = chance.pick(options);
    // the file may call an option of its own gate `edit`
    const isEdit = chosen === 'edit' && error !== undefined;
    const value = isAsked(options) ? replyTo(chosen, gate) : inFull(chosen, gate, chance, isEdit);
    return { gate, opening, value, by: 'operator' };
  }
}

/** Whether the gate asks for words: questions of the file, or a question of a model. */
function isAsked([first, ...others]: readonly JsonValue[]): boolean {
  const beside: readonly JsonValue[] = ['skip', 'abort', 'decline'];
  return first === 'answer' && others.every((option) => beside.includes(option));
}

/** One line for each question; questions that are left out may be. */
function replyTo(chosen: JsonValue, gate: string): JsonValue {
  if (chosen !== 'answer') return chosen;
  return gate.includes('#') ? 'the small one' : 'a\nbecause';
}

/** A value that no gate accepts. */
const NONSENSE: readonly JsonValue[] = [
  'perhaps',
  { edit: { n: 'two' } },
  { approve: { for: 'ever' } },
  null,
];

/** An edit needs its value; an approval of an agent's call may cover more calls. */
function inFull(chosen: JsonValue, gate: string, chance: Random, isEdit: boolean): JsonValue {
  if (isEdit) return { edit: chance.chance(0.2) ? null : { n: chance.int(4) } };
  if (chosen !== 'approve' || !gate.includes('#') || !chance.chance(0.4)) return chosen;
  return { approve: { for: chance.pick(['node', 'run']) } };
}
