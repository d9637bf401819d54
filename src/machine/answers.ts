/** What a person may answer to an open gate. Throws `validation.input`; the gate then stays open. */
import { ErrandError } from '../errors/errand-error.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../errors/json.ts';
import type { NodePlan } from '../workflow/node-model.ts';
import { checkValue } from '../workflow/value-check.ts';
import { toolsOf } from './agent-tools.ts';
import { callInDoubt } from './doubt.ts';
import type { EventBody } from './events.ts';
import { GRANT_SCOPES, grantScope } from './grants.ts';
import { fileOf, nodeOf, scopeOf, visitOf } from './plan-lookup.ts';
import type { OpenGate, RunState, Scope } from './state.ts';
import { toolCalled } from './tool-names.ts';

export interface Answer {
  /** The path of a gate, or a node name that fits one open gate; not needed where one is open. */
  readonly gate?: string | undefined;
  readonly value: JsonValue;
  readonly by: string;
}

export function answerEvent(
  state: RunState,
  { gate, value, by }: Answer,
  nowMs = state.nowMs,
): Extract<EventBody, { type: 'gate:answered' }> {
  const found = findGate(state, gate);
  const open = state.gates.get(found);
  if (open === undefined)
    throw refused(`No gate is open at ${found}`, 'errand show lists what a run waits for.');
  if (open.deadlineMs !== undefined && nowMs >= open.deadlineMs)
    throw refused(
      `The time to answer at ${found} is over`,
      'Resume the run: it goes on as its file says for that.',
    );
  const scope = scopeOf(state, open.scope);
  const { node, path } = visitOf(scope);
  const isOfTool = scope.visit?.talk?.calls.some((call) => call.gate === found) === true;
  const plan = nodeOf(fileOf(state.plan, scope.file), node);
  const isChoice = plan.type === 'human_gate' && scope.visit?.error === undefined;
  const accepted =
    isChoice && !isOfTool
      ? acceptChoice(value, open)
      : (isOfTool ? acceptApproval : accept)(value, open.options);
  checkEdit(expectedOf(state, scope, plan), accepted);
  return { type: 'gate:answered', node, path, gate: found, value: accepted, by };
}

/** Two answered at once, and one of them was quicker. */
export function answeredBefore(gate: string): ErrandError {
  return refused(`Somebody has just answered at ${gate}`, 'errand show says what became of it.');
}

/** Its own name means one gate, whatever nodes are called the same. */
function findGate(state: RunState, name: string | undefined): string {
  if (name !== undefined && state.gates.has(name)) return name;
  const open = [...state.gates.keys()];
  const fitting = name === undefined ? open : open.filter((gate) => isCalled(state, gate, name));
  const [only, ...more] = fitting;
  if (only !== undefined && more.length === 0) return only;
  if (open.length === 0)
    throw refused('The run is not waiting for an answer', 'errand show says what it waits for.');
  throw refused(
    name === undefined
      ? 'Several gates are open'
      : `${fitting.length === 0 ? 'No' : 'More than one'} open gate is called ${name}`,
    `Open gates: ${open.join(', ')}`,
  );
}

/** By its own name, by the path of its node, or by the name of the node. */
function isCalled(state: RunState, gate: string, name: string): boolean {
  const scope = state.scopes.get(state.gates.get(gate)?.scope ?? '');
  return gate === name || scope?.visit?.path === name || scope?.visit?.node === name;
}

/** Of a call: this one alone, or a grant that lasts. */
function acceptApproval(value: JsonValue, options: readonly JsonValue[]): JsonValue {
  if (!isPlainObject(value) || !('approve' in value)) return accept(value, options);
  if (grantScope(value) !== undefined && Object.keys(value).length === 1) return value;
  const forms = GRANT_SCOPES.map((scope) => `{"approve": {"for": "${scope}"}}`);
  throw refused(
    'That is not a grant',
    `Answer approve, deny, or approve more than this call: ${forms.join(' or ')}.`,
  );
}

/** Of a `human_gate`: an option, or one with what was asked for beside it. */
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
    throw refused(`An answer has no ${unknown}`, 'Answer {"selected": …, "additional_input": …}.');
  const option = accept(selected, options);
  const form = JSON.stringify({ selected: option, additional_input: '…' });
  const how = `Answer ${form}; at the command line: --value '${form}'`;
  if (text !== null && typeof text !== 'string')
    throw refused('The `additional_input` of an answer is a text', how);
  const wanted = promptFor.find((each) => each.value === option);
  if (wanted !== undefined && (text ?? '').trim() === '')
    throw refused(`The answer ${JSON.stringify(option)} wants a text as well: ${wanted.name}`, how);
  return isWhole ? { selected: option, additional_input: text } : option;
}

function accept(value: JsonValue, options: readonly JsonValue[]): JsonValue {
  const isEdit = isPlainObject(value) && 'edit' in value && options.includes('edit');
  const isRaise = isPlainObject(value) && 'raise' in value && options.includes('raise');
  if (isRaise) return acceptRaise(value);
  if (isEdit) return value;
  const option = options.find((known) => known === value || JSON.stringify(known) === value);
  if (option === undefined || option === 'edit')
    throw refused(
      option === 'edit' ? 'An edit needs its value' : 'That is not one of the answers',
      option === 'edit'
        ? 'Answer {"edit": {…}}.'
        : `Answer one of: ${options.map(String).join(', ')}`,
    );
  return option;
}

/** Of a budget: by how much, in money or in tokens. */
function acceptRaise(value: JsonObject): JsonValue {
  const { raise, ...more } = value;
  const amounts = isPlainObject(raise) ? Object.entries(raise) : [];
  const isMeant = amounts.every(
    ([unit, amount]) =>
      (unit === 'usd' || unit === 'tokens') && typeof amount === 'number' && amount > 0,
  );
  if (isMeant && amounts.length > 0 && Object.keys(more).length === 0) return value;
  throw refused(
    'That does not say by how much',
    'Answer raise, or {"raise": {"usd": 1}} or {"raise": {"tokens": 1000}} with more than 0.',
  );
}

interface Expected {
  /** Whose result an edit is. */
  readonly name: string;
  readonly schema: JsonObject | undefined;
}

/** Of a conversation with a call in doubt, an edit is the result of that call. */
function expectedOf(state: RunState, scope: Scope, node: NodePlan): Expected {
  const open = callInDoubt(visitOf(scope));
  if (open === undefined)
    return { name: node.name, schema: 'outputSchema' in node ? node.outputSchema : undefined };
  const tools = toolsOf(state, scope);
  const name = toolCalled(tools, open.call.name) ?? open.call.name;
  return { name, schema: tools[name]?.outputSchema };
}

/** What a person says it gave is held to what it must give. */
function checkEdit({ name, schema }: Expected, value: JsonValue): void {
  if (schema === undefined || !isPlainObject(value) || !('edit' in value)) return;
  const [finding] = checkValue(schema, value['edit'] ?? null);
  if (finding === undefined) return;
  const place = finding.pointer === '' ? 'It' : finding.pointer;
  throw refused(`The edit does not fit the output of ${name}`, `${place} ${finding.message}.`);
}

function refused(message: string, detail: string): ErrandError {
  return new ErrandError({
    kind: 'validation.input',
    message,
    action: { kind: 'answer_gate', detail },
  });
}
