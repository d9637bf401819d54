/**
 * Checks an answer to an open gate. Throws `validation.input`, or `request.forbidden` when a
 * program answers a gate for people; both leave the gate open. Throws `gate.closed` when the gate
 * no longer takes answers.
 */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { HumanGatePlan, NodePlan } from '../../workflow/plan/node-plan.ts';
import { checkValue, type Finding } from '../../workflow/json-schema/check-value.ts';
import { toPointer } from '../../workflow/plan/pointer.ts';
import { toolsOf } from '../conversation/agent-tools.ts';
import {
  callInQuestion,
  earlierCall,
  editedValue,
  whereItArose,
} from '../policy/unknown-outcome.ts';
import type { BudgetGate, EventBody } from '../state/events.ts';
import { GRANT_DURATIONS, grantDuration } from '../policy/approval-grants.ts';
import { fileOf, nodeOf, scopeOf, visitOf } from '../state/plan-lookup.ts';
import type { OpenGate, RunState, Scope } from '../state/state.ts';
import { storableForm, storableValue } from '../state/storable.ts';
import { templateContext } from '../decide/template-context.ts';
import { ASK_PERSON } from '../../workflow/plan/built-in-tools.ts';
import { targetOfCall } from '../conversation/tool-ref.ts';
import { acceptAnswers, questionsFor } from './gate-questions.ts';

/** The option of a question that an agent asks; the other one declines. */
export const REPLY = 'answer';

export interface Answer {
  /** The path of a gate, or a node name that matches one open gate; optional when only one is open. */
  readonly gate?: string | undefined;
  readonly value: JsonValue;
  readonly by: string;
  /** Number of the event that opened the gate. Default: whichever opening is open. */
  readonly opening?: number | undefined;
  /** Whether a program answers rather than a person; a gate may refuse that. Default: false. */
  readonly isByProgram?: boolean | undefined;
}

/**
 * Ties the answer to the gate that is open now, by its exact name and opening: by the time the
 * answer is taken, the gate may ask something else.
 */
export function forOpenGate(state: RunState, answer: Answer): Answer {
  const gate = findGate(state, answer.gate);
  return { ...answer, gate, opening: answer.opening ?? state.gates.get(gate)?.opening };
}

export function answerEvent(
  state: RunState,
  { gate, value: rawValue, by, opening, isByProgram }: Answer,
  nowMs = state.nowMs,
): Extract<EventBody, { type: 'gate:answered' }> {
  // it was open at that event
  if (opening !== undefined && gate !== undefined && !isGateOpen(state, gate))
    throw alreadyAnswered(gate);
  const found = findGate(state, gate);
  const open = state.gates.get(found);
  if (open === undefined)
    throw closedGate(`Gate ${found} is not open`, 'Run errand show to see what the run waits for.');
  if (opening !== undefined && open.opening !== undefined && opening !== open.opening)
    throw closedGate(
      `Gate ${found} is no longer open as it was at event ${opening}`,
      `The question that is open now began at event ${open.opening}. Run errand show to see it.`,
    );
  if (open.deadlineMs !== undefined && nowMs >= open.deadlineMs)
    throw closedGate(
      `The deadline of gate ${found} has passed`,
      'Resume the run: it continues as its file defines for an expired gate.',
    );
  const scope = scopeOf(state, open.scope);
  const { node, path } = visitOf(scope);
  const plan = nodeOf(fileOf(state.plan, scope.file), node);
  if (isByProgram === true && isForPeople(plan)) throw onlyPeople(found);
  // options are stored without secrets, so the answer is compared without them too
  const value = storableValue(state, rawValue);
  const accepted = accept(state, scope, found, { value, open });
  return { type: 'gate:answered', node, path, gate: found, value: accepted, by };
}

/** Whether the gate asks for the approval of a tool call. */
export function isOfToolCall({ visit }: Scope, gate: string): boolean {
  return visit?.conversation?.calls.some((call) => call.gate === gate) === true;
}

/** Whether an agent asks the person something in its own words. */
export function isReplyToAgent({ visit }: Scope, gate: string): boolean {
  const call = visit?.conversation?.calls.find((each) => each.gate === gate)?.call;
  return call?.name === ASK_PERSON;
}

/** Whether only people may answer the gates of the node. */
export function isForPeople(node: NodePlan): boolean {
  return node.type === 'human_gate' && node.answeredBy === 'person';
}

export function onlyPeople(gate: string): ErrandError {
  return new ErrandError({
    kind: 'request.forbidden',
    message: `Gate ${gate} has answered_by: person, so no program may answer it`,
    action: {
      kind: 'answer_gate',
      detail: 'Let a person answer it, on the page of the server or with errand answer.',
    },
  });
}

/** Two people answered at the same time, and the other answer came first. */
export function alreadyAnswered(gate: string): ErrandError {
  return closedGate(`Gate ${gate} has already been answered`, 'Run errand show to see the answer.');
}

/** Whether an open gate fits the name; without one, whether any is open. */
export function isGateOpen(state: RunState, name: string | undefined): boolean {
  if (name === undefined) return state.gates.size > 0;
  return [...state.gates.keys()].some((gate) => gateMatches(state, gate, name));
}

/** Refuses an answer to a gate that was open once, by the event that opened it. */
export function refuseClosed(
  opened: Extract<EventBody, { type: 'gate:opened' }>,
  name: string | undefined,
): void {
  const { gate, path, node } = opened;
  if (name === undefined || [gate, path, node].includes(name))
    throw closedGate(
      `Gate ${gate} is closed: it was answered, or its time is over`,
      'Run errand show to see what the run waits for, and errand audit to see who answered.',
    );
}

/** An exact gate name wins over nodes of the same name. */
function findGate(state: RunState, name: string | undefined): string {
  if (name !== undefined && state.gates.has(name)) return name;
  const open = [...state.gates.keys()];
  const fitting = name === undefined ? open : open.filter((gate) => gateMatches(state, gate, name));
  const [only, ...more] = fitting;
  if (only !== undefined && more.length === 0) return only;
  if (open.length === 0)
    throw invalidAnswer(
      'The run is not waiting for an answer',
      'Run errand show to see what it waits for.',
    );
  throw invalidAnswer(
    name === undefined
      ? 'Several gates are open'
      : `${fitting.length === 0 ? 'No' : 'More than one'} open gate is called ${name}`,
    `Name one of the open gates: ${open.join(', ')}`,
  );
}

/** Matches its own name, the path of its node, or the name of the node. */
function gateMatches(state: RunState, gate: string, name: string): boolean {
  const scope = state.scopes.get(state.gates.get(gate)?.scope ?? '');
  return gate === name || scope?.visit?.path === name || scope?.visit?.node === name;
}

/**
 * Depends on the question that the gate asks: it gives `edit`, `raise` and `approve` their meaning,
 * and a gate of a file may have options of these names.
 */
function accept(
  state: RunState,
  scope: Scope,
  gate: string,
  { value, open }: { readonly value: JsonValue; readonly open: OpenGate },
): JsonValue {
  if (open.budget !== undefined) return acceptRaise(value, open.options, open.budget);
  if (isReplyToAgent(scope, gate)) return acceptChoice(asReply(value, open.options), open);
  if (isOfToolCall(scope, gate)) return acceptApproval(value, open.options);
  const node = nodeOf(fileOf(state.plan, scope.file), visitOf(scope).node);
  if (visitOf(scope).error !== undefined)
    return acceptForFailure(value, open.options, expectedOf(state, scope, node));
  return node.type === 'human_gate'
    ? acceptAtGate(state, scope, node, { value, open })
    : acceptOption(value, open.options);
}

/** A plain text is the reply itself. */
function asReply(value: JsonValue, options: readonly JsonValue[]): JsonValue {
  return typeof value === 'string' && !options.includes(value)
    ? { selected: REPLY, additional_input: value }
    : value;
}

/** Accepts an approval of one call, or a lasting grant. */
function acceptApproval(value: JsonValue, options: readonly JsonValue[]): JsonValue {
  if (!isPlainObject(value) || !('approve' in value)) return acceptOption(value, options);
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
  { value, open }: { readonly value: JsonValue; readonly open: OpenGate },
): JsonValue {
  if (node.questions === undefined) return acceptChoice(value, open);
  const names = templateContext(state, scope, { node });
  return acceptAnswers(value, node, questionsFor(node.questions, names));
}

/** Accepts an option of a `human_gate`, with its text where one is required. */
function acceptChoice(
  value: JsonValue,
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
  const option = acceptOption(selected, options);
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

function acceptOption(value: JsonValue, options: readonly JsonValue[]): JsonValue {
  const option = options.includes(value)
    ? value
    : options.find((known) => JSON.stringify(known) === value);
  if (option === undefined)
    throw invalidAnswer(
      'The answer is not one of the options',
      `Answer one of: ${options.map(String).join(', ')}`,
    );
  return option;
}

/** Accepts an option of a question about a failure, or a result in place of the failure. */
function acceptForFailure(
  value: JsonValue,
  options: readonly JsonValue[],
  expected: Expected,
): JsonValue {
  const edit = options.includes('edit') ? editedValue(value) : undefined;
  if (edit === undefined) {
    const option = acceptOption(value, options);
    if (option !== 'edit') return option;
    throw invalidAnswer('The answer edit needs a value', 'Answer {"edit": {…}}.');
  }
  refuseMore(value, 'edit');
  checkEdit(expected, edit);
  return value;
}

/** Accepts an amount to raise a budget by, in money or in tokens; or an option. */
function acceptRaise(
  value: JsonValue,
  options: readonly JsonValue[],
  { unit: own }: BudgetGate,
): JsonValue {
  if (!isPlainObject(value) || !('raise' in value)) return acceptOption(value, options);
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

export interface Expected {
  /** The node or tool whose result an edit replaces. */
  readonly name: string;
  readonly schema: JsonObject | undefined;
}

/** In a conversation with a call in doubt, an edit is the result of that call. */
export function expectedOf(state: RunState, scope: Scope, node: NodePlan): Expected {
  const { name, schema } = editedResult(state, scope, node);
  return { name, schema: schema === undefined ? undefined : storableForm(state, schema) };
}

function editedResult(state: RunState, scope: Scope, node: NodePlan): Expected {
  const visit = visitOf(scope);
  const inside = whereItArose(state, visit);
  if (inside?.visit !== undefined)
    return editedResult(state, inside, nodeOf(fileOf(state.plan, inside.file), inside.visit.node));
  const made = callInQuestion(state, visit) ?? earlierCall(state, visit)?.call;
  if (made === undefined)
    return { name: node.name, schema: 'outputSchema' in node ? node.outputSchema : undefined };
  const tools = toolsOf(state, scope);
  const name = targetOfCall(tools, made.call);
  return { name, schema: tools[name]?.outputSchema };
}

/** Checks an edited result against the output schema. */
function checkEdit({ name, schema }: Expected, edit: JsonValue): void {
  if (schema === undefined) return;
  const [finding] = checkValue(schema, edit);
  if (finding === undefined) return;
  const subject = finding.pointer === '' ? 'It' : finding.pointer;
  throw invalidAnswer(
    `The edit does not match the output schema of ${name}`,
    `${subject} ${finding.message}.`,
    finding.of === 'value' ? { pointer: pointerTo(finding, schema, edit) } : {},
  );
}

/** Leads from the request to what is wrong or missing, so that a form can show the refusal at its field. */
function pointerTo({ pointer }: Finding, schema: JsonObject, edit: JsonValue): string {
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const missing = required
    .filter((name) => typeof name === 'string')
    .find((name) => pointer === '' && isPlainObject(edit) && !Object.hasOwn(edit, name));
  return `/value/edit${pointer}${missing === undefined ? '' : toPointer([missing])}`;
}

function invalidAnswer(message: string, detail: string, details?: JsonObject): ErrandError {
  return new ErrandError({
    kind: 'validation.input',
    message,
    action: { kind: 'answer_gate', detail },
    ...(details === undefined ? {} : { details }),
  });
}

function closedGate(message: string, detail: string): ErrandError {
  return new ErrandError({
    kind: 'gate.closed',
    message,
    action: { kind: 'answer_gate', detail },
  });
}
