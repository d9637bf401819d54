/**
 * The values of secrets that a stored plan lacks. A run whose workflow is not at hand could only go on
 * with marks in their place, which is a wrong key said with confidence; so it does not go on at all.
 */
import { ErrandError } from '../errors/errand-error.ts';
import type { JsonValue } from '../errors/json.ts';
import { fileOf } from '../machine/plan-lookup.ts';
import type { RunState } from '../machine/state.ts';
import { IN_CODE, type WorkflowPlan } from '../workflow/model.ts';
import { fromPointer, toPointer, type Path } from '../workflow/path.ts';
import { nodesToCome } from './nodes-to-come.ts';

/** Where the plan says something else without them, as JSON Pointers. */
export function withheldIn(whole: WorkflowPlan, clean: WorkflowPlan): readonly string[] {
  // a plan is JSON all through
  return differences(whole as unknown as JsonValue, clean as unknown as JsonValue, []);
}

/** Throws `run.resume_mismatch` when what is still to run needs a value that was not stored. */
export function refuseWithheld(state: RunState): void {
  const { plan } = state;
  if (plan.withheld === undefined) return;
  const coming = nodesToCome(state);
  const needed = plan.withheld
    .map((pointer) => placeOf(plan, fromPointer(pointer)))
    .filter(({ file, node }) => node === undefined || coming.get(file)?.has(node) === true)
    .map(({ node, field }) => (node === undefined ? field : `${field} of the node ${node}`));
  const [first, ...others] = needed;
  if (first === undefined) return;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const isFile = !plan.file.startsWith(IN_CODE);
  throw new ErrandError({
    kind: 'run.resume_mismatch',
    message: `${isFile ? `The file ${plan.file} is gone` : 'The workflow was not given'}, and with it a secret that the run needs in ${first}${more}: what is stored never holds their values`,
    details: { workflow: plan.name, file: plan.file, secrets: needed },
    action: {
      kind: 'fix_setup',
      detail: isFile
        ? `Put ${plan.file} back, then resume; or start a new run.`
        : 'Resume with the workflow that the run was started with.',
    },
  });
}

function differences(whole: JsonValue, clean: JsonValue | undefined, path: Path): string[] {
  const isBranch = typeof whole === 'object' && whole !== null;
  if (!isBranch || typeof clean !== 'object' || clean === null)
    return whole === clean ? [] : [toPointer(path)];
  // of lists, their indexes
  const after = new Map<string, JsonValue>(Object.entries(clean));
  return Object.entries<JsonValue>(whole).flatMap(([key, value]) =>
    differences(value, after.get(key), [...path, key]),
  );
}

interface WithheldPlace {
  readonly file: string;
  /** Undefined for what belongs to no node, and is needed by any. */
  readonly node: string | undefined;
  readonly field: string;
}

function placeOf(plan: WorkflowPlan, path: Path): WithheldPlace {
  const isChild = path[0] === 'children';
  const file = isChild ? String(path[1]) : '';
  const [part, at, ...field] = isChild ? path.slice(2) : path;
  const node = part === 'nodes' ? fileOf(plan, file).nodes[Number(at)]?.name : undefined;
  const shown = node === undefined ? [part ?? '', at ?? '', ...field] : field;
  return { file, node, field: `\`${shown.join('.')}\`` };
}
