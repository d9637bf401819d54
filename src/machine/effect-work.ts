/**
 * What a node asks of the world, in full: its templates filled in. It is settled when the effect is
 * requested. Branches that run beside it may write to the shared state after that, and must not
 * change what was asked.
 */
import type { JsonObject, JsonValue } from '../errors/json.ts';
import type { NodePlan } from '../workflow/node-model.ts';
import { evaluateDeep, evaluateObject, evaluateText } from './evaluate.ts';
import type { ModelWork } from './model-request.ts';
import { namesIn } from './names.ts';
import { fileOf, nodeOf, visitOf } from './plan-lookup.ts';
import type { RunState, Scope } from './state.ts';

interface ScriptWork {
  readonly type: 'script';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir?: string;
  readonly stdin?: string;
}

export interface ToolWork {
  readonly type: 'tool';
  readonly tool: string;
  readonly arguments: JsonObject;
}

export type EffectWork =
  | ScriptWork
  | { readonly type: 'call'; readonly function: string; readonly arguments: JsonObject }
  | ToolWork
  | { readonly type: 'transform'; readonly code: string; readonly input: JsonObject }
  | ModelWork;

/** Throws `validation.template`. Undefined for a node that asks nothing of the world by itself. */
export function workOf(state: RunState, scope: Scope): EffectWork | undefined {
  const visit = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  return visit.work ?? workNow(state, scope, node);
}

/** From here on the work is this, whatever happens to what its templates read. */
export function settleWork(state: RunState, scope: Scope): void {
  const visit = visitOf(scope);
  if (visit.work === undefined && readsShared(state, scope)) visit.work = workOf(state, scope);
}

/** Nothing but the shared state can change under a template while its effect runs. */
function readsShared(state: RunState, scope: Scope): boolean {
  return Object.keys(fileOf(state.plan, scope.file).state).length > 0;
}

/** What is asked for again is asked with the words and inputs that hold now. */
export function unsettleWork({ scopes }: RunState): void {
  for (const { visit } of scopes.values()) if (visit !== undefined) visit.work = undefined;
}

function workNow(state: RunState, scope: Scope, node: NodePlan): EffectWork | undefined {
  const names = namesIn(state, scope, { node });
  const text = (template: string): string => evaluateText(template, names);
  switch (node.type) {
    case 'script':
      return {
        type: 'script',
        command: text(node.command),
        args: node.args.map(text),
        env: Object.fromEntries(
          Object.entries(node.env).map(([name, value]) => [name, text(value)]),
        ),
        ...(node.workingDir === undefined ? {} : { workingDir: text(node.workingDir) }),
        ...(node.stdin === undefined ? {} : { stdin: asText(evaluateDeep(node.stdin, names)) }),
      };
    case 'call':
      return {
        type: 'call',
        function: node.function,
        arguments: evaluateObject(node.arguments, names),
      };
    case 'tool':
      return { type: 'tool', tool: node.tool, arguments: evaluateObject(node.arguments, names) };
    case 'transform':
      return { type: 'transform', code: node.code, input: evaluateObject(node.arguments, names) };
    case 'agent':
    case 'supervisor':
    case 'set':
    case 'wait':
    case 'human_gate':
    case 'workflow':
    case 'terminate':
    case 'parallel':
    case 'for_each':
      return undefined;
  }
}

export function targetOf(work: EffectWork): string {
  switch (work.type) {
    case 'script':
      return work.command;
    case 'call':
      return work.function;
    case 'tool':
      return work.tool;
    case 'transform':
      return 'sandbox';
    case 'model':
      return work.call.model;
  }
}

function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
