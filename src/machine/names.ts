/** What a template of a node sees: its workflow, what ran before it in its scope, and loop names. */
import type { JsonValue } from '../errors/json.ts';
import type { ErrorReport } from '../errors/report.ts';
import type { FilePlan } from '../workflow/model.ts';
import type { NodePlan } from '../workflow/node-model.ts';
import type { Scope as TemplateScope } from '../workflow/template/scope.ts';
import { fileOf, scopeOf, workflowScope } from './plan-lookup.ts';
import type { RunState, Scope, Slot } from './state.ts';

export interface NamesOptions {
  /** In routes and assertions: the result of the node itself. */
  readonly output?: JsonValue | undefined;
  readonly error?: ErrorReport | undefined;
  /** Beside an output that is only a part. */
  readonly errors?: JsonValue | undefined;
  /** A bare guard reads the fields of the output as names. */
  readonly fields?: boolean;
  readonly attempt?: number;
  /** The node whose own `input` list counts, in explicit mode; routes see everything. */
  readonly node?: NodePlan;
}

export function namesIn(state: RunState, scope: Scope, options: NamesOptions = {}): TemplateScope {
  const seen: Seen = {
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
      return reservedName(name, seen) ?? inherited(name, seen);
    },
    names: () => ['workflow', 'state', ...allSlots(state, scope), ...Object.keys(scope.loop)],
  };
}

/** What a lookup looks at. */
interface Seen {
  readonly state: RunState;
  readonly scope: Scope;
  readonly options: NamesOptions;
  readonly plan: FilePlan;
  /** The workflow that the scope is in. */
  readonly around: Scope;
}

function fieldOf({ fields, output }: NamesOptions, name: string): JsonValue | undefined {
  if (fields !== true || typeof output !== 'object' || output === null || Array.isArray(output))
    return undefined;
  return Object.hasOwn(output, name) ? (output as Record<string, JsonValue>)[name] : undefined;
}

function reservedName(name: string, { plan, scope, around, options }: Seen): JsonValue | undefined {
  switch (name) {
    case 'workflow':
      return {
        name: plan.name,
        dir: folderOf(plan.file),
        file: plan.file,
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

/** A branch sees what ran around its group; a sub-workflow sees nothing of its caller. */
function inherited(name: string, { state, scope, options, plan }: Seen): JsonValue | undefined {
  for (let level: Scope | undefined = scope; level !== undefined; level = outer(state, level)) {
    if (Object.hasOwn(level.loop, name)) return level.loop[name];
    const slot = level.slots.get(name);
    if (slot !== undefined)
      return isVisible(name, level, options, plan) ? slotJson(slot) : undefined;
  }
  return undefined;
}

function outer(state: RunState, scope: Scope): Scope | undefined {
  return scope.kind === 'branch' && scope.parent !== undefined
    ? scopeOf(state, scope.parent)
    : undefined;
}

function isVisible(name: string, level: Scope, { node }: NamesOptions, plan: FilePlan): boolean {
  if (node === undefined) return true;
  switch (plan.contextMode) {
    case 'accumulate':
      return true;
    case 'last_only':
      return level.last === name;
    case 'explicit':
      return (node.input ?? []).some((item) => item.split(/[.?]/)[0] === name);
  }
}

function allSlots(state: RunState, scope: Scope): string[] {
  const names: string[] = [];
  for (let level: Scope | undefined = scope; level !== undefined; level = outer(state, level))
    names.push(...level.slots.keys());
  return names;
}

function slotJson({ output, error, outputs, errors }: Slot): JsonValue {
  return {
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error: asJson(error) }),
    ...(outputs === undefined ? {} : { outputs }),
    ...(errors === undefined ? {} : { errors }),
  };
}

/** A report is JSON by construction; its type only says more. */
export function asJson(report: ErrorReport): JsonValue {
  return report as unknown as JsonValue;
}

function folderOf(file: string): string {
  const slash = file.lastIndexOf('/');
  return slash < 0 ? '.' : file.slice(0, slash);
}
