/** The result that an edit replaces, and the check of the edit against its schema. */
import { isPlainObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { checkValue, type Finding } from '../../workflow/json-schema/check-value.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import { toPointer } from '../../workflow/plan/pointer.ts';
import { toolsOf } from '../conversation/agent-tools.ts';
import { targetOfCall } from '../conversation/tool-ref.ts';
import { callInQuestion, earlierCall, whereItArose } from '../policy/unknown-outcome.ts';
import { fileOf, nodeOf, visitOf } from '../state/plan-lookup.ts';
import type { RunState, Scope } from '../state/state.ts';
import { storableForm } from '../state/storable.ts';
import { invalidAnswer } from './refused-answer.ts';

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

/** As an edit is answered, with the fields that its result needs. */
export function editForm({ schema }: Expected): string {
  const fields = isPlainObject(schema?.['properties']) ? Object.keys(schema['properties']) : [];
  if (fields.length === 0) return '{"edit": {…}}';
  return `{"edit": {${fields.map((name) => `${JSON.stringify(name)}: …`).join(', ')}}}`;
}

/** Checks an edited result against the output schema. */
export function checkEdit({ name, schema }: Expected, edit: JsonValue): void {
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
