/** A person is asked: at a gate, for good or until a time. */
import type { JsonValue } from '../errors/json.ts';
import type { BudgetGate, EventBody, PromptFor } from './events.ts';
import type { RunState, Visit } from './state.ts';

export interface Question {
  /** Default: the path of the node, which asks one thing at a time. */
  readonly gate?: string;
  readonly prompt: string;
  readonly options: readonly JsonValue[];
  /** The options that want a text as well. */
  readonly promptFor?: readonly PromptFor[];
  readonly timeoutMs?: number | undefined;
  /** Of a budget that may be raised. */
  readonly budget?: BudgetGate;
}

export function askPerson(
  { nowMs }: RunState,
  { node, path }: Visit,
  question: Question,
): EventBody {
  const { gate = path, prompt, options, promptFor = [], timeoutMs, budget } = question;
  const texts = promptFor.length === 0 ? {} : { promptFor };
  const deadline =
    timeoutMs === undefined ? {} : { deadline: new Date(nowMs + timeoutMs).toISOString() };
  const about = budget === undefined ? {} : { budget };
  return {
    type: 'gate:opened',
    node,
    path,
    gate,
    prompt,
    options,
    ...texts,
    ...deadline,
    ...about,
  };
}
