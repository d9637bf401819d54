/** Accepts the value of an answer by what its gate asks: an option, a text, an approval, an edit, a raise of a budget. */
import { isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { ASK_PERSON } from '../../workflow/plan/built-in-tools.ts';
import type { HumanGatePlan } from '../../workflow/plan/node-plan.ts';
import { templateContext } from '../decide/template-context.ts';
import { GRANT_DURATIONS, grantDuration } from '../policy/approval-grants.ts';
import { editedValue } from '../policy/unknown-outcome.ts';
import type { BudgetGate } from '../state/events.ts';
import { fileOf, nodeOf, visitOf } from '../state/plan-lookup.ts';
import type { OpenGate, RunState, Scope } from '../state/state.ts';
import { checkEdit, editForm, expectedOf, type Expected } from './edited-result.ts';
import { acceptAnswers, questionsFor } from './gate-questions.ts';
import { invalidAnswer } from './refused-answer.ts';

/** The option of a question that an agent asks; the other one declines. */
export const REPLY = 'answer';

/** Whether the gate asks for the approval of a tool call. */
export function isOfToolCall({ visit }: Scope, gate: string): boolean {
  return visit?.conversation?.calls.some((call) => call.gate === gate) === true;
}

/** Whether an agent asks the person something in its own words. */
export function isReplyToAgent({ visit }: Scope, gate: string): boolean {
  const call = visit?.conversation?.calls.find((each) => each.gate === gate)?.call;
  return call?.name === ASK_PERSON;
}

/**
 * Depends on the question that the gate asks: it gives `edit`, `raise` and `approve` their meaning,
 * and a gate of a file may have options of these names.
 */
export function acceptValue(
  state: RunState,
  scope: Scope,
  gate: string,
  { value, open }: { readonly value: JsonValue; readonly open: OpenGate },
): JsonValue {
  const asked: Asked = { gate, options: open.options };
  if (open.budget !== undefined) return acceptRaise(value, asked, open.budget);
  if (isReplyToAgent(scope, gate)) return acceptChoice(asReply(value, open.options), gate, open);
  if (isOfToolCall(scope, gate)) return acceptApproval(value, asked);
  const node = nodeOf(fileOf(state.plan, scope.file), visitOf(scope).node);
  if (visitOf(scope).error !== undefined)
    return acceptForFailure(value, asked, expectedOf(state, scope, node));
  return node.type === 'human_gate'
    ? acceptAtGate(state, scope, node, { value, gate, open })
    : acceptOption(value, asked);
}

/** The question of a gate. */
interface Asked {
  readonly gate: string;
  readonly options: readonly JsonValue[];
}

/** A plain text is the reply itself. */
function asReply(value: JsonValue, options: readonly JsonValue[]): JsonValue {
  return typeof value === 'string' && !options.includes(value)
    ? { selected: REPLY, additional_input: value }
    : value;
}

/** Accepts an approval of one call, or a lasting grant. */
function acceptApproval(value: JsonValue, asked: Asked): JsonValue {
  if (!isPlainObject(value) || !('approve' in value)) return acceptOption(value, asked);
  if (grantDuration(value) !== undefined && Object.keys(value).length === 1) return value;
  const forms = GRANT_DURATIONS.map((scope) => `{"approve": {"for": "${scope}"}}`);
  throw invalidAnswer(
    'The answer is not a valid approval',
    `Answer approve, deny, or approve more than this call: ${forms.join(' or ')}.`,
  );
}

function acceptAtGate(
  state: RunState,
  scope: Scope,
  node: HumanGatePlan,
  {
    value,
    gate,
    open,
  }: { readonly value: JsonValue; readonly gate: string; readonly open: OpenGate },
): JsonValue {
  if (node.questions === undefined) return acceptChoice(value, gate, open);
  const names = templateContext(state, scope, { node });
  return acceptAnswers(value, node, questionsFor(node.questions, names));
}

/** Accepts an option of a `human_gate`, with its text where one is required. */
function acceptChoice(
  value: JsonValue,
  gate: string,
  { options, promptFor = [] }: Pick<OpenGate, 'options' | 'promptFor'>,
): JsonValue {
  const isWhole = isPlainObject(value) && 'selected' in value;
  const {
    selected = null,
    additional_input: text = null,
    ...more
  } = isWhole ? value : { selected: value };
  const [unknown] = Object.keys(more);
  if (unknown !== undefined)
    throw invalidAnswer(
      `An answer has no field ${unknown}`,
      'Answer {"selected": …, "additional_input": …}.',
    );
  const option = acceptOption(selected, { gate, options });
  const form = JSON.stringify({ selected: option, additional_input: '…' });
  const how = `Answer ${form}; at the command line: --value '${form}'`;
  if (text !== null && typeof text !== 'string')
    throw invalidAnswer('The `additional_input` of an answer must be a text', how);
  const wanted = promptFor.find((each) => each.value === option);
  if (wanted !== undefined && (text ?? '').trim() === '')
    throw invalidAnswer(
      `The answer ${JSON.stringify(option)} also requires a text: ${wanted.name}`,
      how,
    );
  return isWhole ? { selected: option, additional_input: text } : option;
}

/** `more`: another form that the gate takes. */
function acceptOption(value: JsonValue, { gate, options }: Asked, more = ''): JsonValue {
  const option = options.includes(value)
    ? value
    : options.find((known) => JSON.stringify(known) === value);
  if (option !== undefined) return option;
  throw invalidAnswer(
    `The answer ${inShort(value)} to ${gate} is not ${isBrokenJson(value) ? 'JSON' : 'one of the options'}`,
    `Answer one of: ${options.map(String).join(', ')}${more}`,
  );
}

/** Whether an object was meant: a text that begins as one is read as it stands where it is no JSON. */
function isBrokenJson(value: JsonValue): boolean {
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return false;
  try {
    JSON.parse(value);
    return false;
  } catch {
    return true;
  }
}

/** The longest part of an answer that its refusal repeats. */
const MAX_SHOWN = 60;

function inShort(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return typeof value === 'string' && !shown.trimStart().startsWith('{')
    ? JSON.stringify(shown)
    : shown;
}

/** Accepts an option of a question about a failure, or a result in place of the failure. */
function acceptForFailure(value: JsonValue, asked: Asked, expected: Expected): JsonValue {
  const mayEdit = asked.options.includes('edit');
  const edit = mayEdit ? editedValue(value) : undefined;
  if (edit === undefined) {
    const form = editForm(expected);
    const option = acceptOption(value, asked, mayEdit ? `; an edit is ${form}` : '');
    if (option !== 'edit') return option;
    throw invalidAnswer('The answer edit needs a value', `Answer ${form}.`);
  }
  refuseMore(value, 'edit');
  checkEdit(expected, edit);
  return value;
}

/** Accepts an amount to raise a budget by, in money or in tokens; or an option. */
function acceptRaise(value: JsonValue, asked: Asked, { unit: own }: BudgetGate): JsonValue {
  if (!isPlainObject(value) || !('raise' in value)) return acceptOption(value, asked);
  refuseMore(value, 'raise');
  const { raise } = value;
  const amounts = isPlainObject(raise) ? Object.entries(raise) : [];
  const isMeant = amounts.every(
    ([unit, amount]) =>
      (unit === 'usd' || unit === 'tokens') && typeof amount === 'number' && amount > 0,
  );
  if (!isMeant || amounts.length === 0)
    throw invalidAnswer(
      'The answer does not say by how much to raise the budget',
      'Answer raise, or {"raise": {"usd": 1}} or {"raise": {"tokens": 1000}} with more than 0.',
    );
  // an amount in the other unit would raise nothing, and the same question would come again
  if (amounts.some(([unit]) => unit === own)) return value;
  const example = JSON.stringify({ raise: { [own]: own === 'usd' ? 1 : 1000 } });
  throw invalidAnswer(
    `This budget is in ${own}, and the answer raises another one`,
    `Answer raise, or ${example}.`,
  );
}

/** A second word beside the first might mean the opposite. */
function refuseMore(value: JsonValue, only: string): void {
  const more = isPlainObject(value) ? Object.keys(value).find((name) => name !== only) : undefined;
  if (more !== undefined)
    throw invalidAnswer(`An answer with ${only} has no field ${more}`, `Leave ${more} out.`);
}
