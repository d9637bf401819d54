/**
 * What an effect is to do, worked out from the state. Asked once to record the request and again by
 * whoever runs it, after a crash too: the same state gives the same request and the same key.
 */
import type { JsonObject, JsonValue } from '../errors/json.ts';
import { hashValue } from '../workflow/hash.ts';
import type { NodePlan } from '../workflow/node-model.ts';
import { evaluateDeep, evaluateObject, evaluateText } from './evaluate.ts';
import type { EffectRef } from './events.ts';
import { namesIn } from './names.ts';
import { fileOf, nodeOf, visitOf } from './plan-lookup.ts';
import type { RunState, Scope } from './state.ts';

export type EffectWork =
  | {
      readonly type: 'script';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly workingDir?: string;
      readonly stdin?: string;
    }
  | { readonly type: 'call'; readonly function: string; readonly arguments: JsonObject }
  | { readonly type: 'tool'; readonly tool: string; readonly arguments: JsonObject }
  | { readonly type: 'transform'; readonly code: string; readonly input: JsonObject };

export interface EffectRequest {
  readonly ref: EffectRef;
  readonly work: EffectWork;
  readonly node: NodePlan;
  readonly path: string;
  readonly attempt: number;
  /** May be asked again with the same key when its outcome is unknown. */
  readonly isIdempotent: boolean;
  /** Path of the module of the file that the node is in, as its plan has it. */
  readonly module?: string;
}

/** Throws `validation.template`. Undefined for a node that asks nothing of the world. */
export function effectRequest(state: RunState, scope: Scope): EffectRequest | undefined {
  const visit = visitOf(scope);
  const file = fileOf(state.plan, scope.file);
  const node = nodeOf(file, visit.node);
  const work = workOf(state, scope, node);
  if (work === undefined) return undefined;
  const key = hashValue([state.run, visit.path, visitNumbers(state, scope), work]);
  return {
    ref: { key, type: work.type, target: targetOf(work) },
    work,
    node,
    path: visit.path,
    attempt: visit.attempt,
    isIdempotent: node.type === 'transform' || ('isIdempotent' in node && node.isIdempotent),
    ...(file.module === undefined ? {} : { module: file.module }),
  };
}

/** Which time round it is, here and in everything around; not which try. */
function visitNumbers(state: RunState, scope: Scope): readonly number[] {
  const numbers: number[] = [];
  for (
    let around: Scope | undefined = scope;
    around !== undefined;
    around = around.parent === undefined ? undefined : state.scopes.get(around.parent)
  )
    numbers.push(around.visit?.number ?? 0);
  return numbers;
}

function workOf(state: RunState, scope: Scope, node: NodePlan): EffectWork | undefined {
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

function targetOf(work: EffectWork): string {
  switch (work.type) {
    case 'script':
      return work.command;
    case 'call':
      return work.function;
    case 'tool':
      return work.tool;
    case 'transform':
      return 'sandbox';
  }
}

function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
