/** Template context of a node: its workflow, the results before it in its scope, and loop names. */
import { isJsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { besideTop } from '../../workflow/plan/file-names.ts';
import { listedPart, listedPaths } from '../../workflow/plan/listed-names.ts';
import type { FilePlan } from '../../workflow/plan/plan.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import type { TemplateContext } from '../../workflow/template/context.ts';
import { fileOf, scopeOf, workflowScope } from '../state/plan-lookup.ts';
import type { RunState, Scope, NodeResult } from '../state/state.ts';

export interface TemplateContextOptions {
  /** In routes and assertions: the output of the node itself. */
  readonly output?: JsonValue | undefined;
  readonly error?: ErrorReport | undefined;
  /** Errors beside a partial output. */
  readonly errors?: JsonValue | undefined;
  /** Makes the fields of the output available as names, for a bare condition. */
  readonly fields?: boolean;
  readonly attempt?: number;
  /** The node whose `input` list applies in explicit mode; routes see everything. */
  readonly node?: NodePlan;
}

export function templateContext(
  state: RunState,
  scope: Scope,
  options: TemplateContextOptions = {},
): TemplateContext {
  const seen: LookupContext = {
    state,
    scope,
    options,
    plan: fileOf(state.plan, scope.file),
    around: workflowScope(state, scope),
  };
  return {
    lookup: (name) => {
      if (options.output !== undefined && name === 'output') return options.output;
      if (options.error !== undefined && name === 'error') return asJson(options.error);
      const field = fieldOf(options, name);
      if (field !== undefined) return field;
      if (options.errors !== undefined && name === 'errors') return options.errors;
      return reservedName(name, seen) ?? lookUpOutwards(name, seen) ?? progressOf(name, seen);
    },
    names: () => [
      'workflow',
      'state',
      ...nodeNames(state, scope).filter((name) => lookUpOutwards(name, seen) !== undefined),
      ...Object.keys(scope.loop),
    ],
  };
}

/** The input of a lookup. */
interface LookupContext {
  readonly state: RunState;
  readonly scope: Scope;
  readonly options: TemplateContextOptions;
  readonly plan: FilePlan;
  /** The workflow that the scope is in. */
  readonly around: Scope;
}

function fieldOf({ fields, output }: TemplateContextOptions, name: string): JsonValue | undefined {
  if (fields !== true || !isJsonObject(output)) return undefined;
  return Object.hasOwn(output, name) ? output[name] : undefined;
}

function reservedName(
  name: string,
  { state, plan, scope, around, options }: LookupContext,
): JsonValue | undefined {
  switch (name) {
    case 'workflow':
      return {
        name: plan.name,
        ...besideTop(plan.file, state.plan.file),
        ...(plan.description === undefined ? {} : { description: plan.description }),
        ...(plan.version === undefined ? {} : { version: plan.version }),
        input: around.input,
      };
    case 'state':
      return Object.fromEntries(around.state);
    case 'attempt':
      return options.attempt ?? scope.visit?.attempt ?? 0;
    case 'failing':
      return scope.failing === undefined
        ? undefined
        : {
            node: scope.failing.node,
            error: asJson(scope.failing.error),
            output: scope.failing.output,
          };
    default:
      return undefined;
  }
}

/** `context`, unless a node has that name: how many nodes have started in this workflow, and which. */
function progressOf(name: string, { around }: LookupContext): JsonValue | undefined {
  if (name !== 'context') return undefined;
  return { iteration: around.starts, history: [...around.nodeResults.keys()] };
}

/** A branch sees the results around its group; a sub-workflow sees nothing of its caller. */
function lookUpOutwards(
  name: string,
  { state, scope, options, plan }: LookupContext,
): JsonValue | undefined {
  for (
    let level: Scope | undefined = scope;
    level !== undefined;
    level = surroundingScope(state, level)
  ) {
    if (Object.hasOwn(level.loop, name)) return level.loop[name];
    const result = level.nodeResults.get(name);
    if (result !== undefined)
      return visiblePart(nodeResultJson(result), { name, level, node: options.node, plan });
  }
  return undefined;
}

function surroundingScope(state: RunState, scope: Scope): Scope | undefined {
  return scope.kind === 'branch' && scope.parent !== undefined
    ? scopeOf(state, scope.parent)
    : undefined;
}

/** Undefined where the node does not see the result. */
function visiblePart(
  result: JsonValue,
  {
    name,
    level,
    node,
    plan,
  }: {
    readonly name: string;
    readonly level: Scope;
    readonly node: NodePlan | undefined;
    readonly plan: FilePlan;
  },
): JsonValue | undefined {
  if (node === undefined) return result;
  switch (plan.contextMode) {
    case 'accumulate':
      return result;
    case 'last_only':
      return level.last === name ? result : undefined;
    case 'explicit': {
      const listed = listedPaths(node, name);
      return listed.length === 0 ? undefined : listedPart(result, listed);
    }
  }
}

/** The context mode may hide some of them. */
function nodeNames(state: RunState, scope: Scope): string[] {
  const names: string[] = [];
  for (
    let level: Scope | undefined = scope;
    level !== undefined;
    level = surroundingScope(state, level)
  )
    names.push(...level.nodeResults.keys());
  return names;
}

function nodeResultJson({ output, error, outputs, errors }: NodeResult): JsonValue {
  return {
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error: asJson(error) }),
    ...(outputs === undefined ? {} : { outputs }),
    ...(errors === undefined ? {} : { errors }),
  };
}

/** A report is JSON by construction; its type is only narrower. */
export function asJson(report: ErrorReport): JsonValue {
  return report as unknown as JsonValue;
}
