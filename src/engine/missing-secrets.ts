/**
 * The secret values that a stored plan lacks. Without its workflow a run could only resume with
 * redaction marks in place of the keys, so it is refused.
 */
import { ErrandError } from '../errors/thrown/errand-error.ts';
import type { JsonValue } from '../errors/support/safe-json.ts';
import { fileOf } from '../machine/state/plan-lookup.ts';
import type { RunState } from '../machine/state/state.ts';
import { IN_CODE, type WorkflowPlan } from '../workflow/plan/plan.ts';
import { fromPointer, toPointer, type Path } from '../workflow/plan/pointer.ts';
import { upcomingNodes } from './run/upcoming-nodes.ts';

/** Where the plan differs without them, as JSON Pointers. */
export function missingSecrets(whole: WorkflowPlan, clean: WorkflowPlan): readonly string[] {
  // a plan is JSON all through
  return differences(whole as unknown as JsonValue, clean as unknown as JsonValue, []);
}

/** Throws `run.resume_mismatch` when what is still to run needs a value that was not stored. */
export function refuseMissingSecrets(state: RunState): void {
  const { plan } = state;
  if (plan.withheld === undefined) return;
  const coming = upcomingNodes(state);
  const needed = plan.withheld
    .map((pointer) => locationOf(plan, fromPointer(pointer)))
    .filter(({ file, node }) => node === undefined || coming.get(file)?.has(node) === true)
    .map(named);
  const [first, ...others] = needed;
  if (first === undefined) return;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const isFile = !plan.file.startsWith(IN_CODE);
  throw new ErrandError({
    kind: 'run.resume_mismatch',
    message: `${isFile ? `The file ${plan.file} is missing` : 'The workflow is not registered here'}, and the run needs a secret from it in ${first}${more}: secret values are never stored`,
    details: { workflow: plan.name, file: plan.file, secrets: needed },
    action: {
      kind: 'fix_setup',
      detail: isFile
        ? `Put ${plan.file} back, then resume; or start a new run.`
        : 'Resume with the workflow that the run was started with.',
    },
  });
}

/** The field at a JSON Pointer into the plan, in words. */
export function placeIn(plan: WorkflowPlan, pointer: string): string {
  return named(locationOf(plan, fromPointer(pointer)));
}

function named({ node, field }: SecretLocation): string {
  return node === undefined ? field : `${field} of the node ${node}`;
}

function differences(whole: JsonValue, clean: JsonValue | undefined, path: Path): string[] {
  const isBranch = typeof whole === 'object' && whole !== null;
  if (!isBranch || typeof clean !== 'object' || clean === null)
    return whole === clean ? [] : [toPointer(path)];
  // also the indexes of a list
  const after = new Map<string, JsonValue>(Object.entries(clean));
  return Object.entries<JsonValue>(whole).flatMap(([key, value]) =>
    differences(value, after.get(key), [...path, key]),
  );
}

interface SecretLocation {
  readonly file: string;
  /** Undefined for what belongs to no node, and is needed by any. */
  readonly node: string | undefined;
  readonly field: string;
}

function locationOf(plan: WorkflowPlan, path: Path): SecretLocation {
  const isChild = path[0] === 'children';
  const file = isChild ? String(path[1]) : '';
  const [part, at, ...field] = isChild ? path.slice(2) : path;
  const node = part === 'nodes' ? fileOf(plan, file).nodes[Number(at)]?.name : undefined;
  const shown = node === undefined ? [part ?? '', at ?? '', ...field] : field;
  return { file, node, field: `\`${shown.join('.')}\`` };
}
