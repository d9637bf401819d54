/** What a host hands over: its types promise JSON, and its values may be anything. */
import { ErrandError } from '../errors/errand-error.ts';
import { isPlainObject, readProperty, type JsonObject, type JsonValue } from '../errors/json.ts';
import type { RunRecord } from '../machine/store-port.ts';
import { canonicalJson } from '../workflow/hash.ts';
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
  const form = formOf(workflow);
  throw new ErrandError({
    kind: 'validation.input',
    message: `A workflow is to be run, and ${form === 'an object' ? 'an object that is none' : form} was given`,
    action: {
      kind: 'change_input',
      detail: 'Give what `errand.load(file)` or `workflow({…})` returned.',
    },
  });
}

/** Names a run also where files and folders are named after it, on any system. */
const RUN_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9_-])?$/;

/** Throws `validation.input` for what cannot name a run. */
export function givenRunId(id: string): string {
  // a program without types may give anything
  if (typeof id === 'string' && RUN_ID.test(id)) return id;
  throw new ErrandError({
    kind: 'validation.input',
    message: `The id of a run cannot be ${typeof id === 'string' ? JSON.stringify(id.slice(0, 80)) : formOf(id)}`,
    details: { option: 'id' },
    action: {
      kind: 'change_input',
      detail:
        'Use 1 to 128 letters of ASCII, digits, dots, hyphens and underscores, beginning with a letter or digit and not ending with a dot.',
    },
  });
}

/** Throws `validation.input` where a run of that id is there already, and is another one. */
export function refuseOther(
  there: Pick<RunRecord, 'run' | 'workflow' | 'input'>,
  asked: { readonly workflow: string; readonly input: JsonObject },
): void {
  const isOther = there.workflow !== asked.workflow;
  if (!isOther && canonicalJson(there.input) === canonicalJson(asked.input)) return;
  throw new ErrandError({
    kind: 'validation.input',
    message: `There is a run ${there.run} already, ${isOther ? `of the workflow ${there.workflow}` : 'with another input'}`,
    details: { option: 'id', run: there.run, workflow: there.workflow },
    action: {
      kind: 'change_input',
      detail:
        'Give the same workflow and input to get the run that is there, or start one with another id.',
    },
  });
}

function formOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
