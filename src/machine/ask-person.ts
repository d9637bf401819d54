/** A person is asked: at a gate, for good or until a time. */
import type { JsonValue } from '../errors/json.ts';
import type { ErrorReport } from '../errors/report.ts';
import { ASKED_BY_DEFAULT as DOUBT } from '../workflow/check/routing.ts';
import { inDoubtOf } from './doubt-details.ts';
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
  /** Of a failure: what is asked about. */
  readonly error?: ErrorReport;
}

/** In a conversation an answer is about one call. */
const OF_THAT_CALL = '. `repeat` makes that call again and no other; `edit` is its result';

export function askPerson(
  { nowMs }: RunState,
  { node, path, talk }: Visit,
  question: Question,
): EventBody {
  const { gate = path, options, promptFor = [], timeoutMs, budget, error } = question;
  const inDoubt = error?.kind === DOUBT ? inDoubtOf(error) : undefined;
  const deadline =
    timeoutMs === undefined ? {} : { deadline: new Date(nowMs + timeoutMs).toISOString() };
  const about = {
    ...(promptFor.length === 0 ? {} : { promptFor }),
    ...deadline,
    ...(budget === undefined ? {} : { budget }),
    ...(inDoubt === undefined ? {} : { inDoubt }),
  };
  // what its key is looked up by
  const prompt =
    inDoubt === undefined
      ? question.prompt
      : `${question.prompt} (idempotency key ${inDoubt.key})${talk === undefined ? '' : OF_THAT_CALL}`;
  return { type: 'gate:opened', node, path, gate, prompt, options, ...about };
}
