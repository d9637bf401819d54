/**
 * Rehearses a workflow file, or the file that a plan names: loads and checks both first, like
 * `errand validate`.
 */
import { checkProjectFile, type Workspace } from '../engine/loading/check-file.ts';
import { nodeFiles } from '../engine/loading/node-files.ts';
import type { JsonObject } from '../errors/support/safe-json.ts';
import { sortDiagnostics } from '../workflow/diagnostics/diagnostics.ts';
import type { ValidatedFile, Validation } from '../workflow/check/validate-workflow.ts';
import { checkInput } from '../workflow/plan/inputs.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';
import { loadRehearsalPlan, type LoadedPlan } from '../workflow/rehearsal-plan/load-plan.ts';
import type { RehearsalPlan } from '../workflow/rehearsal-plan/plan-schema.ts';
import type { Crashes } from './figures/crashes.ts';
import { atlasOf } from './places/atlas.ts';
import { checkPlan } from './plan-file/check-plan.ts';
import { rehearsePlan, type Rehearsed, type RehearseOptions } from './rehearse-plan.ts';
import { WorldValues } from './values/world-values.ts';

export interface RehearseFileOptions extends Omit<RehearseOptions, 'input'> {
  readonly workspace: Workspace;
  readonly extensionModules: readonly string[];
  /** Inputs that were typed; they win over those of a plan. */
  readonly inputOf: (plan: WorkflowPlan) => JsonObject;
  /** The record of the workflow file. Throws where it has to be there. Default: nothing. */
  readonly recordOf?: (file: string) => string | undefined;
}

export type FileRehearsal =
  | { readonly type: 'invalid'; readonly files: readonly ValidatedFile[] }
  | {
      readonly type: 'rehearsed';
      readonly rehearsed: Rehearsed;
      readonly exit: number;
      /** The workflow file. */
      readonly file: string;
    };

export async function rehearseFile(
  path: string,
  { workspace, extensionModules, inputOf, recordOf, ...options }: RehearseFileOptions,
): Promise<FileRehearsal> {
  const files = nodeFiles(workspace.base);
  const name = files.resolve('', path);
  const read = files.read(name);
  const loaded = read.ok
    ? loadRehearsalPlan(name, read.text, { files, environment: workspace.env })
    : undefined;
  if (loaded !== undefined && loaded.plan === undefined)
    return { type: 'invalid', files: [planVerdict(loaded)] };
  const planned = loaded?.plan;
  const file = planned === undefined ? path : files.resolve(name, planned.rehearse);
  const validation = await checkProjectFile(file, workspace, { extensionModules });
  const { plan } = validation;
  if (plan === undefined) {
    const own = loaded === undefined ? [] : [planVerdict(loaded)];
    return { type: 'invalid', files: [...own, ...validation.files] };
  }
  const wrong = loaded === undefined ? undefined : problemsOf(loaded, validation, plan);
  if (wrong !== undefined) return { type: 'invalid', files: [wrong, ...validation.files] };
  const given = inputOf(plan);
  checkInput(plan, given);
  const recorded = recordOf?.(file);
  const rehearsed = await rehearsePlan(plan, validation, {
    ...withPlan(options, planned),
    ...(recorded === undefined ? {} : { recorded }),
    input: { ...planned?.input, ...given },
  });
  return { type: 'rehearsed', rehearsed, exit: exitOf(rehearsed), file };
}

/** Uses the settings of the plan where the command line has none. */
function withPlan(
  options: Omit<RehearseOptions, 'input'>,
  planned: RehearsalPlan | undefined,
): RehearseOptions {
  if (planned === undefined) return options;
  const { generate, thresholds } = planned;
  const crashes = options.crashes ?? crashesOf(generate?.crashes);
  return {
    ...options,
    // true: a plan is JSON
    given: planned.given ?? {},
    answers: planned.answers ?? {},
    details: planned.details ?? {},
    generate: {
      ...(generate?.kinds === undefined ? {} : { kinds: generate.kinds }),
      ...(generate?.doubt === undefined ? {} : { doubt: generate.doubt }),
    },
    scenarios: planned.scenarios ?? [],
    minima: { ...withoutUndefined(thresholds ?? {}), ...options.minima },
    ...(crashes === undefined ? {} : { crashes }),
  };
}

function withoutUndefined(
  values: Readonly<Record<string, number | undefined>>,
): Readonly<Record<string, number>> {
  const set = Object.entries(values).filter(
    (entry): entry is [string, number] => entry[1] !== undefined,
  );
  return Object.fromEntries(set);
}

/** `all`, `none` or `sample:N`; undefined where nothing is said. */
export function crashesOf(text: string | undefined): Crashes | undefined {
  if (text === undefined || text === 'all' || text === 'none') return text;
  const [, sample] = /^sample:(\d+)$/.exec(text) ?? [];
  return sample === undefined ? undefined : { sample: Number(sample) };
}

function planVerdict({ file, diagnostics }: LoadedPlan): ValidatedFile {
  return { file, diagnostics, nodes: {}, worstCase: null };
}

function problemsOf(
  loaded: LoadedPlan,
  { files }: Validation,
  plan: WorkflowPlan,
): ValidatedFile | undefined {
  if (loaded.plan === undefined) return planVerdict(loaded);
  const atlas = atlasOf(plan, files);
  const values = new WorldValues(atlas, { outputs: {}, input: {} });
  const problems = checkPlan(atlas, values, loaded.plan);
  if (problems.length === 0) return undefined;
  const found = problems.map((problem) => loaded.diagnose(problem));
  const diagnostics = sortDiagnostics([...loaded.diagnostics, ...found]);
  return { file: loaded.file, diagnostics, nodes: {}, worstCase: null };
}

function exitOf({ isBroken, result }: Rehearsed): number {
  if (isBroken) return 1;
  return result.ok ? 0 : 3;
}
