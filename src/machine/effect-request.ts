/**
 * What an effect is to do, worked out from the state. Asked once to record the request and again by
 * whoever runs it, after a crash too: the same state gives the same request and the same key.
 */
import type { JsonObject, JsonValue } from '../errors/json.ts';
import { canonicalJson, hashText, hashValue } from '../workflow/hash.ts';
import type { McpServer } from '../workflow/model.ts';
import type { NodePlan } from '../workflow/node-model.ts';
import { toolsOf } from './agent-tools.ts';
import { evaluateDeep, evaluateObject, evaluateText } from './evaluate.ts';
import type { EffectRef } from './events.ts';
import {
  modelWork,
  requestName,
  runtimeOf,
  type ModelWork,
  type TalkingPlan,
} from './model-request.ts';
import { namesIn } from './names.ts';
import { fileOf, nodeOf, outwards, visitOf } from './plan-lookup.ts';
import type { PendingEffect, RunState, Scope } from './state.ts';
import type { OpenCall, Talk } from './talk.ts';

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

export interface EffectRequest {
  readonly ref: EffectRef;
  readonly work: EffectWork;
  readonly node: NodePlan;
  readonly path: string;
  /** Of a script the try of its node, which it is told; else of the effect. 0 is the first. */
  readonly attempt: number;
  /** May be asked again with the same key when its outcome is unknown. */
  readonly isIdempotent: boolean;
  /** Path of the module of the file that the node is in, as its plan has it. */
  readonly module?: string;
  /** Of a tool that is called `server/name`; not a part of the key, since servers move. */
  readonly server?: { readonly name: string; readonly settings: McpServer };
  /** What is left of the time of the node's try. */
  readonly timeoutMs?: number;
  /** What the output of the node must be, where the effect is the node's own. */
  readonly outputSchema?: JsonObject;
}

/** Throws `validation.template`. Undefined for a node that asks nothing of the world by itself. */
export function effectRequest(state: RunState, scope: Scope): EffectRequest | undefined {
  const visit = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  const work = workOf(state, scope, node);
  if (work === undefined) return undefined;
  const key = hashValue([state.run, visit.path, visitNumbers(state, scope), work]);
  const left =
    visit.deadlineMs === undefined
      ? {}
      : { timeoutMs: Math.max(1, visit.deadlineMs - state.nowMs) };
  const schema =
    'outputSchema' in node && node.outputSchema !== undefined
      ? { outputSchema: node.outputSchema }
      : {};
  return { ...requestOf(state, scope, work, key), ...left, ...schema };
}

/** The request of an effect that is under way; undefined when the plan no longer asks for it. */
export function pendingRequest(state: RunState, pending: PendingEffect): EffectRequest | undefined {
  const scope = state.scopes.get(pending.scope);
  if (scope?.visit === undefined) return undefined;
  const { talk } = scope.visit;
  const { key, type, target } = pending.effect;
  if (talk === undefined) return effectRequest(state, scope);
  if (type === 'model') return modelRequest(state, scope, talk, target);
  const call = talk.calls.find((open) => open.key === key);
  return call === undefined ? undefined : toolRequest(state, scope, call, target);
}

/** The next request of a conversation to this model; or, once it is made, that one. */
export function modelRequest(
  state: RunState,
  scope: Scope,
  talk: Talk,
  model: string,
): EffectRequest {
  const visit = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  const asked = state.modelRequests.get(requestName(visit.path, model)) ?? 0;
  const isMade = [...visit.pending].some((key) => state.effects.get(key)?.effect.type === 'model');
  const ordinal = isMade ? Math.max(0, asked - 1) : asked;
  // only agents and supervisors talk
  const work = modelWork(state, scope, node as TalkingPlan, { talk, model, ordinal });
  // the same words are the same action, whichever model they go to and how often
  const { model: _model, ordinal: _ordinal, simulated: _simulated, ...words } = work.call;
  const key = hashValue([state.run, visit.path, visitNumbers(state, scope), words]);
  return requestOf(state, scope, work, key);
}

export function toolRequest(
  state: RunState,
  scope: Scope,
  { call, key }: OpenCall,
  tool: string,
): EffectRequest {
  const given = (call.arguments ?? {}) as JsonObject;
  return requestOf(state, scope, { type: 'tool', tool, arguments: given }, key);
}

/** `ordinal`: how often the same call was made before in this try. */
export function toolKey(state: RunState, scope: Scope, call: object, ordinal: number): string {
  const { path } = visitOf(scope);
  const what = [state.run, path, visitNumbers(state, scope), call, ordinal];
  return hashText(canonicalJson(what));
}

function requestOf(state: RunState, scope: Scope, work: EffectWork, key: string): EffectRequest {
  const visit = visitOf(scope);
  const file = fileOf(state.plan, scope.file);
  const node = nodeOf(file, visit.node);
  return {
    ref: { key, type: work.type, target: targetOf(work) },
    work,
    node,
    path: visit.path,
    attempt: work.type === 'script' ? visit.attempt : (state.effects.get(key)?.attempt ?? 0),
    isIdempotent: isIdempotent(state, scope, node, work),
    ...(file.module === undefined ? {} : { module: file.module }),
    ...(work.type === 'tool' ? serverOf(state, scope, work) : {}),
  };
}

function serverOf(
  state: RunState,
  scope: Scope,
  { tool }: ToolWork,
): Pick<EffectRequest, 'server'> {
  const name = tool.slice(0, Math.max(0, tool.indexOf('/')));
  const servers = runtimeOf(state, scope)?.mcpServers ?? {};
  const settings = Object.hasOwn(servers, name) ? servers[name] : undefined;
  return settings === undefined ? {} : { server: { name, settings } };
}

/** A model may always be asked again; the rest by what the node or the tool says of itself. */
function isIdempotent(state: RunState, scope: Scope, node: NodePlan, work: EffectWork): boolean {
  if (work.type === 'model' || work.type === 'transform') return true;
  if (node.type !== 'agent' && 'isIdempotent' in node && node.isIdempotent) return true;
  if (work.type === 'script') return false;
  const name = work.type === 'call' ? work.function : work.tool;
  return toolsOf(state, scope)[name]?.isIdempotent === true;
}

/** Which time round it is, here and in everything around; not which try. */
function visitNumbers(state: RunState, scope: Scope): readonly number[] {
  return Array.from(outwards(state, scope), ({ visit }) => visit?.number ?? 0);
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
    case 'model':
      return work.call.model;
  }
}

function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
