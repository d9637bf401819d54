/** Checks what a host passes in: its types promise JSON, and its values may be anything. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import {
  isPlainObject,
  readProperty,
  type JsonObject,
  type JsonValue,
} from '../../errors/support/safe-json.ts';
import type { RunRecord } from '../../machine/ports/store-port.ts';
import { canonicalJson } from '../../workflow/plan/stable-hash.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { RunOptions } from '../backend.ts';
import { AS_IT_IS, toOutput } from '../../machine/state/stored-output.ts';

/**
 * Returns the value as it is stored, which is also what runs. Throws `validation.input` for what JSON
 * does not have.
 */
export function checkedJson<T extends JsonValue>(value: T, what: string): T {
  const checked = toOutput(value, AS_IT_IS);
  // an object stays an object, and a list a list
  if (checked.ok) return checked.value as T;
  const where = checked.pointer === '' ? 'it' : checked.pointer;
  throw new ErrandError({
    kind: 'validation.input',
    message: `${what} is not JSON: ${where} ${checked.problem}`,
    details: { pointer: checked.pointer },
    action: { kind: 'change_input', detail: 'Pass plain JSON; write a date or a bigint as text.' },
  });
}

/** Throws `validation.input` for a path or a text of a file in place of a loaded workflow. */
export function checkedWorkflow<T extends { readonly plan: WorkflowPlan }>(workflow: T): T {
  if (isPlainObject(readProperty(workflow, 'plan'))) return workflow;
  const form = formOf(workflow);
  throw new ErrandError({
    kind: 'validation.input',
    message: `Expected a workflow, but got ${form === 'an object' ? 'an unrecognised object' : form}`,
    action: {
      kind: 'change_input',
      detail: 'Pass the result of `errand.load(file)` or `workflow({…})`.',
    },
  });
}

/** Throws `validation.input` for what is no path of a file. */
export function checkedFile(file: string): string {
  // a program without types may give anything
  if (typeof file === 'string') return file;
  throw new ErrandError({
    kind: 'validation.input',
    message: `Expected the path of a workflow file, but got ${formOf(file)}`,
    action: { kind: 'change_input', detail: 'Pass the path as text.' },
  });
}

/** The answer with who gave it. Throws `validation.input` for what is no object with a value. */
export function checkedAnswer<T extends { readonly value: JsonValue; readonly by?: string }>(
  answer: T,
): T & { readonly by: string } {
  if (!isPlainObject(answer))
    throw new ErrandError({
      kind: 'validation.input',
      message: `Expected an answer, but got ${formOf(answer)}`,
      action: { kind: 'change_input', detail: 'Pass `{ value }`, with the value of the answer.' },
    });
  return { by: 'library', ...answer, value: checkedJson(answer.value, 'The answer') };
}

/** The prepared answers among these options, as they are now. Throws `validation.input` for a value that is no JSON. */
export function checkedPrepared({
  answers,
}: Pick<RunOptions, 'answers'>): Pick<RunOptions, 'answers'> {
  if (answers === undefined) return {};
  return {
    answers: answers.map((answer) => ({
      ...answer,
      value: checkedJson(answer.value, 'A prepared answer'),
    })),
  };
}

/** Throws `validation.input` for what names no run in any store. */
export function checkedRunName(run: string): string {
  // a program without types may give anything
  if (typeof run === 'string') return run;
  throw new ErrandError({
    kind: 'validation.input',
    message: `Expected the id of a run, but got ${formOf(run)}`,
    action: { kind: 'change_input', detail: 'Pass the `id` of the run.' },
  });
}

/** Names a run also where files and folders are named after it, on any system. */
const RUN_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9_-])?$/;

/** Throws `validation.input` for what cannot name a run. */
export function checkedRunId(id: string): string {
  // a program without types may give anything
  if (typeof id === 'string' && RUN_ID.test(id)) return id;
  throw new ErrandError({
    kind: 'validation.input',
    message: `The id of a run cannot be ${typeof id === 'string' ? JSON.stringify(id.slice(0, 80)) : formOf(id)}`,
    details: { option: 'id' },
    action: {
      kind: 'change_input',
      detail:
        'Use 1 to 128 ASCII letters, digits, dots, hyphens and underscores. Begin with a letter or digit, and do not end with a dot.',
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
    message: `Run ${there.run} already exists, ${isOther ? `of the workflow ${there.workflow}` : 'with another input'}`,
    details: { option: 'id', run: there.run, workflow: there.workflow },
    action: {
      kind: 'change_input',
      detail: 'Pass the same workflow and input to get the existing run, or choose another id.',
    },
  });
}

function formOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
