/** A person is asked: at a gate, for good or until a time. */
import type { JsonValue } from '../errors/json.ts';
import type { BudgetGate, EventBody } from './events.ts';
import type { RunState, Visit } from './state.ts';

export interface Question {
  /** Default: the path of the node, which asks one thing at a time. */
  readonly gate?: string;
  readonly prompt: string;
  readonly options: readonly JsonValue[];
  readonly timeoutMs?: number | undefined;
  /** Of a budget that may be raised. */
  readonly budget?: BudgetGate;
}

export function askPerson(
  { nowMs }: RunState,
  { node, path }: Visit,
  question: Question,
): EventBody {
  const { gate = path, prompt, options, timeoutMs, budget } = question;
  const deadline =
    timeoutMs === undefined ? {} : { deadline: new Date(nowMs + timeoutMs).toISOString() };
  const about = budget === undefined ? {} : { budget };
  return { type: 'gate:opened', node, path, gate, prompt, options, ...deadline, ...about };
}
