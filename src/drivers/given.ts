/** What a host hands over: its types promise JSON, and its values may be anything. */
import { ErrandError } from '../errors/errand-error.ts';
import { isPlainObject, readProperty, type JsonValue } from '../errors/json.ts';
import type { WorkflowPlan } from '../workflow/model.ts';
import { AS_IT_IS, toOutput } from '../effects/output.ts';

/** As it is stored, which is also what runs. Throws `validation.input` for what JSON does not have. */
export function givenJson<T extends JsonValue>(value: T, what: string): T {
  const given = toOutput(value, AS_IT_IS);
  // an object stays one, and so does every other form
  if (given.ok) return given.value as T;
  const where = given.pointer === '' ? 'it' : given.pointer;
  throw new ErrandError({
    kind: 'validation.input',
    message: `${what} is not JSON: ${where} ${given.problem}`,
    details: { pointer: given.pointer },
    action: { kind: 'change_input', detail: 'Give plain JSON; a date or a number as text.' },
  });
}

/** Throws `validation.input` for the path of a file, or its text, in place of what was made of it. */
export function givenWorkflow<T extends { readonly plan: WorkflowPlan }>(workflow: T): T {
  if (isPlainObject(readProperty(workflow, 'plan'))) return workflow;
  throw new ErrandError({
    kind: 'validation.input',
    message: `A workflow is to be run, and ${formOf(workflow)} was given`,
    action: {
      kind: 'change_input',
      detail: 'Give what `errand.load(file)` or `workflow({…})` returned.',
    },
  });
}

function formOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  return typeof value === 'object' ? 'an object of another make' : `a ${typeof value}`;
}
