/** A person is asked: at a gate, for good or until a time. */
import type { JsonValue } from '../errors/json.ts';
import type { ErrorReport } from '../errors/report.ts';
import { ASKED_BY_DEFAULT as DOUBT } from '../workflow/check/routing.ts';
import { inDoubtOf, type InDoubt } from './doubt-details.ts';
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
  const prompt =
    inDoubt === undefined
      ? question.prompt
      : doubtPrompt(question, inDoubt, { isOfCall: talk !== undefined });
  return { type: 'gate:opened', node, path, gate, prompt, options, ...about };
}

/** What it is looked up by, and what the answers to it mean where that is not plain. */
function doubtPrompt(
  { prompt, options }: Question,
  { key, processes }: InDoubt,
  { isOfCall }: { readonly isOfCall: boolean },
): string {
  const again = ['repeat', 'retry'].find((option) => options.includes(option));
  const notes = [
    ...(isOfCall && again !== undefined ? [`${again} makes that call again and no other`] : []),
    ...(isOfCall && options.includes('edit') ? ['edit is the result of that call'] : []),
    ...(processes !== undefined && again !== undefined
      ? [`${again} is refused until it has ended`]
      : []),
  ];
  const said = notes.length === 0 ? '' : `: ${notes.join(', ')}`;
  return `${prompt} (idempotency key ${key})${said}`;
}
