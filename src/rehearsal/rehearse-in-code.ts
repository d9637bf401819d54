/** `rehearse` of `errand/testing`: the same JSON as the command, for files and for `workflow()` values. */
import { acceptedPlan, checkCode } from '../engine/loading/check-code.ts';
import { checkedWorkflow } from '../engine/loading/checked-input.ts';
import type { RunnableWorkflow } from '../engine/errand-options.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import type { JsonObject, JsonValue } from '../errors/support/safe-json.ts';
import { refusalDraft } from '../workflow/diagnostics/diagnostics.ts';
import { checkInput } from '../workflow/plan/inputs.ts';
import type { PlannedScenario } from '../workflow/rehearsal-plan/plan-schema.ts';
import type { FigureName } from './figures/minimum.ts';
import { crashesOf, rehearseFile } from './rehearse-file.ts';
import { rehearsePlan, type RehearseOptions } from './rehearse-plan.ts';
import type { RehearsalResult } from './report/rehearsal-result.ts';

export interface RehearseInCodeOptions {
  /** The folder that paths are relative to. Default: the folder of the process. */
  readonly directory?: string;
  readonly input?: JsonObject;
  /** Outputs of nodes that work, by node or path. */
  readonly given?: Readonly<Record<string, JsonValue>>;
  /** Answers to gates and questions, by node or path. */
  readonly answers?: Readonly<Record<string, JsonValue>>;
  /** Details of injected failures, by kind. */
  readonly details?: Readonly<Record<string, JsonObject>>;
  /** Scenarios beside those that are generated, in the form of a plan. */
  readonly scenarios?: readonly PlannedScenario[];
  readonly generate?: {
    readonly kinds?: 'all' | 'routed' | 'none';
    readonly doubt?: 'all' | 'none';
  };
  /** `all`, `none` or `sample:N`. Default: `sample:200`. */
  readonly crashes?: string;
  /** The least that must be covered, in percent. */
  readonly min?: Readonly<Partial<Record<FigureName, number>>>;
  readonly only?: string;
  readonly mutants?: boolean;
  readonly storm?: number;
  readonly seed?: number;
}

/**
 * Rehearses a workflow file, a plan or a `workflow()` value. Rejects with `validation.*` where it is not
 * valid.
 * @example
 * ```ts
 * import { workflow } from 'errand';
 * import { rehearse } from 'errand/testing';
 *
 * const flow = workflow({
 *   name: 'greet',
 *   entryPoint: 'hello',
 *   nodes: [{ name: 'hello', type: 'set', value: 'Hello' }],
 * });
 * const { ok, surprises } = await rehearse(flow);
 * console.log(ok, surprises); // true 0
 * ```
 */
export async function rehearse(
  workflow: RunnableWorkflow | string,
  options: RehearseInCodeOptions = {},
): Promise<RehearsalResult> {
  const { directory = process.cwd(), min, mutants, storm, crashes, input = {}, ...world } = options;
  const which = crashesOf(crashes);
  if (crashes !== undefined && which === undefined)
    throw new ErrandError({
      kind: 'validation.input',
      message: `crashes must be all, sample:N or none, not ${crashes}`,
    });
  const rest = {
    ...world,
    ...(min === undefined ? {} : { minima: min }),
    ...(which === undefined ? {} : { crashes: which }),
    hasMutants: mutants === true,
    storms: storm ?? 0,
  };
  if (typeof workflow === 'string') return ofFile(workflow, directory, { ...rest, input });
  const { plan, functions } = checkedWorkflow(workflow);
  const validation = await checkCode(plan, {
    base: directory,
    // a node passes JSON, and the author's function declares its type
    registered: functions ?? {},
    providers: [],
    asTop: false,
  });
  const accepted = acceptedPlan(validation, { isReload: false });
  checkInput(accepted, input);
  const { result } = await rehearsePlan(accepted, validation, { ...rest, input });
  return result;
}

async function ofFile(
  file: string,
  directory: string,
  { input, ...options }: RehearseOptions & { readonly input: JsonObject },
): Promise<RehearsalResult> {
  const rehearsal = await rehearseFile(file, {
    ...options,
    workspace: { base: directory, env: process.env },
    extensionModules: [],
    inputOf: () => input,
  });
  if (rehearsal.type === 'rehearsed') return rehearsal.rehearsed.result;
  const draft = refusalDraft(rehearsal.files.flatMap(({ diagnostics }) => diagnostics));
  throw new ErrandError(draft ?? { kind: 'validation.workflow', message: `${file} is not valid` });
}
