/**
 * Input of a node's effect: its templates, evaluated. It is fixed when the effect is requested, because
 * parallel branches may write to the shared state after that, and must not change the request.
 */
import { textOrJson, type JsonObject } from '../../errors/support/safe-json.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import { evaluateDeep, evaluateObject, evaluateText } from './evaluate-templates.ts';
import type { ModelInput } from '../conversation/model-request.ts';
import { templateContext } from './template-context.ts';
import { fileOf, nodeOf, visitOf } from '../state/plan-lookup.ts';
import type { RunState, Scope } from '../state/state.ts';

interface ScriptInput {
  readonly type: 'script';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir?: string;
  readonly stdin?: string;
}

export interface ToolInput {
  readonly type: 'tool';
  readonly tool: string;
  readonly arguments: JsonObject;
}

export type EffectInput =
  | ScriptInput
  | { readonly type: 'call'; readonly function: string; readonly arguments: JsonObject }
  | ToolInput
  | { readonly type: 'transform'; readonly code: string; readonly input: JsonObject }
  | ModelInput;

/** Throws `validation.template`. Undefined for a node that has no effect of its own. */
export function effectInput(state: RunState, scope: Scope): EffectInput | undefined {
  const visit = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  return visit.input ?? evaluateInput(state, scope, node);
}

/** Fixes the input, whatever happens to the values that its templates read. */
export function settleInput(state: RunState, scope: Scope): void {
  const visit = visitOf(scope);
  if (visit.input === undefined && readsShared(state, scope))
    visit.input = effectInput(state, scope);
}

/** Only the shared state can change while an effect runs. */
function readsShared(state: RunState, scope: Scope): boolean {
  return Object.keys(fileOf(state.plan, scope.file).state).length > 0;
}

/** Effects that are requested again use the current text and input. */
export function unsettleInput({ scopes }: RunState): void {
  for (const { visit } of scopes.values()) if (visit !== undefined) visit.input = undefined;
}

function evaluateInput(state: RunState, scope: Scope, node: NodePlan): EffectInput | undefined {
  const names = templateContext(state, scope, { node });
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
        ...(node.stdin === undefined ? {} : { stdin: textOrJson(evaluateDeep(node.stdin, names)) }),
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

export function targetOf(input: EffectInput): string {
  switch (input.type) {
    case 'script':
      return input.command;
    case 'call':
      return input.function;
    case 'tool':
      return input.tool;
    case 'transform':
      return 'sandbox';
    case 'model':
      return input.call.model;
  }
}
