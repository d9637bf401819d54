/** Asks a person: opens a gate, with or without a deadline. */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { ASKED_BY_DEFAULT } from '../../workflow/check/routing.ts';
import { inDoubtOf, type InDoubt } from '../policy/unknown-outcome-details.ts';
import { earlierCall, whereItArose } from '../policy/unknown-outcome.ts';
import type { AskedQuestion, BudgetGate, EventBody, PromptFor } from '../state/events.ts';
import type { RunState, Visit } from '../state/state.ts';

export interface Question {
  /** Default: the path of the node. */
  readonly gate?: string;
  readonly prompt: string;
  readonly options: readonly JsonValue[];
  /** The options that also require a text. */
  readonly promptFor?: readonly PromptFor[];
  readonly timeoutMs?: number | undefined;
  /** The budget that the gate may raise. */
  readonly budget?: BudgetGate;
  /** The failure that the question is about. */
  readonly error?: ErrorReport;
  /** The list, where it asks several. */
  readonly questions?: readonly AskedQuestion[] | undefined;
}

export function askPerson(state: RunState, visit: Visit, question: Question): EventBody {
  const { nowMs } = state;
  const { node, path } = visit;
  const { gate = path, options, promptFor = [], timeoutMs, budget, error, questions } = question;
  const inDoubt = error?.kind === ASKED_BY_DEFAULT ? inDoubtOf(error) : undefined;
  const deadline =
    timeoutMs === undefined ? {} : { deadline: new Date(nowMs + timeoutMs).toISOString() };
  const about = {
    ...(promptFor.length === 0 ? {} : { promptFor }),
    ...deadline,
    ...(budget === undefined ? {} : { budget }),
    ...(inDoubt === undefined ? {} : { inDoubt }),
    ...(questions === undefined ? {} : { questions }),
  };
  const prompt =
    inDoubt === undefined
      ? question.prompt
      : unknownOutcomePrompt(question, inDoubt, meaningOf(state, visit));
  return { type: 'gate:opened', node, path, gate, prompt, options, ...about };
}

/** The meaning of the options, where it is not obvious. */
interface Meaning {
  readonly again?: string;
  readonly edit?: string;
}

function meaningOf(state: RunState, visit: Visit): Meaning {
  const inside = whereItArose(state, visit)?.visit;
  if (inside !== undefined)
    return { again: `repeats it alone, at ${inside.path}`, edit: 'its result' };
  if (earlierCall(state, visit) !== undefined)
    // that conversation is over: the current one decides whether it makes the call once more
    return { again: 'continues, and lets the agent make that call again', edit: OF_CALL };
  if (visit.conversation !== undefined)
    return { again: 'makes that call again and no other', edit: OF_CALL };
  const instead = visit.error?.details?.['instead'];
  if (typeof instead !== 'string') return {};
  return {
    again: `does ${instead} and not the other`,
    edit: `the result of ${visit.node}, which then does neither`,
  };
}

const OF_CALL = 'the result of that call';

/** Adds the idempotency key, and explains the options where they are not obvious. */
function unknownOutcomePrompt(
  { prompt, options }: Question,
  { key, processes }: InDoubt,
  { again: againMeans, edit }: Meaning,
): string {
  const again = ['repeat', 'retry'].find((option) => options.includes(option));
  const notes = [
    ...(again === undefined || againMeans === undefined ? [] : [`${again} ${againMeans}`]),
    ...(edit === undefined || !options.includes('edit') ? [] : [`edit is ${edit}`]),
    ...(processes !== undefined && again !== undefined
      ? [`${again} is refused while it runs`]
      : []),
  ];
  const explanation = notes.length === 0 ? '' : `: ${notes.join(', ')}`;
  return `${prompt} (idempotency key ${key})${explanation}`;
}
