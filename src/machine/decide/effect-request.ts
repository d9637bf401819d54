/**
 * Request of an effect, computed from the state: once to record it, and again to run it, also after a
 * crash. The same state gives the same request and the same key.
 */
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import { hashValue, identityOf } from '../../workflow/plan/stable-hash.ts';
import { FETCH_TOOL, type FetchOptions, type McpServer } from '../../workflow/plan/plan.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import { toolsOf } from '../conversation/agent-tools.ts';
import { targetOf, effectInput, type EffectInput, type ToolInput } from './effect-input.ts';
import type { EffectRef, EventBody } from '../state/events.ts';
import type { ToolCall } from '../conversation/model-message.ts';
import {
  modelInput,
  requestName,
  runtimeOf,
  conversationNode,
} from '../conversation/model-request.ts';
import { attemptsBefore, keptKey, visitNumbers, type Action } from '../policy/unended-effects.ts';
import { fileOf, nodeOf, scopeAndAncestors, visitOf } from '../state/plan-lookup.ts';
import type { PendingEffect, RunState, Scope, Visit } from '../state/state.ts';
import type { OpenCall, Conversation } from '../conversation/conversation.ts';

type Requested = Extract<EventBody, { type: 'effect:requested' }>;

export interface EffectRequest {
  readonly ref: EffectRef;
  readonly work: EffectInput;
  readonly node: NodePlan;
  /** The name of the workflow that the node is in. */
  readonly workflow: string;
  readonly path: string;
  /**
   * For a script, which can read it, the attempt of its node; for all else that of the effect. 0 is
   * the first.
   */
  readonly attempt: number;
  /** It was requested before, in this visit or before a crash. */
  readonly isAgain?: boolean;
  /** It may be repeated with the same key when its outcome is unknown. */
  readonly isIdempotent: boolean;
  /** It may be repeated and changes nothing in the world, so it is never in doubt. */
  readonly isReadOnly?: boolean;
  /** The node forbids repeating it, whatever the tool declares. */
  readonly isNeverRepeated?: boolean;
  /** Path of the module of the node's file, as in the plan. */
  readonly module?: string | undefined;
  /** For a tool named `server/name`. */
  readonly server?: { readonly name: string; readonly settings: McpServer } | undefined;
  /** For `http_fetch`: what the file allows. */
  readonly fetch?: FetchOptions | undefined;
  /** For a tool: the modules whose guards are asked, its own file's first. */
  readonly guardedBy?: readonly string[] | undefined;
  /** A person has approved exactly this call. */
  readonly isApproved?: boolean | undefined;
  /** For a tool that a model asked for: the id of that call. */
  readonly callId?: string | undefined;
  /** Time left for the node's attempt. */
  readonly timeoutMs?: number | undefined;
  /** Schema of the node's output, where the effect is the whole node. */
  readonly outputSchema?: JsonObject | undefined;
  /**
   * Refused result of an earlier execution. If it is good now, it is used and nothing is executed.
   */
  readonly recorded?: { readonly output: JsonValue } | undefined;
}

/** Throws `validation.template`. Undefined for a node that has no effect of its own. */
export function effectRequest(state: RunState, scope: Scope): EffectRequest | undefined {
  const input = effectInput(state, scope);
  if (input === undefined) return undefined;
  const { path } = visitOf(scope);
  const key =
    keptKey(state, scope, input) ??
    keyOf(state, [state.run, path, visitNumbers(state, scope), input]);
  return nodeRequest(state, scope, input, key);
}

/** The event of the request; the same action requested again is its next attempt. */
export function requestedEvent(
  state: RunState,
  { node, path, requestCounts: asked }: Visit,
  effect: EffectRef,
): Requested {
  const attempt = asked.get(effect.key) ?? attemptsBefore(state, effect.key);
  return { type: 'effect:requested', node, path, effect, attempt };
}

/** The request of a running effect; undefined when the plan no longer has it. */
export function pendingRequest(state: RunState, pending: PendingEffect): EffectRequest | undefined {
  const scope = state.scopes.get(pending.scope);
  if (scope?.visit === undefined) return undefined;
  const { conversation, input } = scope.visit;
  const { key, type, target } = pending.effect;
  if (conversation === undefined)
    return input === undefined
      ? effectRequest(state, scope)
      : nodeRequest(state, scope, input, key);
  if (type === 'model') return modelRequest(state, scope, conversation, target);
  const call = conversation.calls.find((open) => open.key === key);
  return call === undefined ? undefined : toolRequest(state, scope, call, target);
}

/** The input of a running effect. */
export function pendingInput(state: RunState, pending: PendingEffect): EffectInput | undefined {
  const scope = state.scopes.get(pending.scope);
  if (pending.input !== undefined || scope?.visit === undefined) return pending.input;
  const { key, type, target } = pending.effect;
  if (type === 'model') return undefined;
  const { conversation } = scope.visit;
  if (conversation === undefined) return effectInput(state, scope);
  const call = conversation.calls.find((open) => open.key === key);
  return call === undefined ? undefined : toolInput(call, target);
}

/** Fixes the inputs of running effects before the file or the input of the run changes. */
export function settlePendingInput(state: RunState): void {
  for (const [key, pending] of state.effects)
    state.effects.set(key, { ...pending, input: pendingInput(state, pending) });
}

/** The next request of a conversation to this model, or the running one. */
export function modelRequest(
  state: RunState,
  scope: Scope,
  conversation: Conversation,
  model: string,
): EffectRequest {
  const visit = visitOf(scope);
  const node = conversationNode(state, scope);
  const asked = state.modelRequests.get(requestName(visit.path, model)) ?? 0;
  const ordinal = conversation.asking?.model === model ? Math.max(0, asked - 1) : asked;
  const input = modelInput(state, scope, node, { conversation, model, ordinal });
  // the same messages are the same action, whichever model gets them and however often
  const { model: _model, ordinal: _ordinal, simulated: _simulated, ...words } = input.call;
  const key = keyOf(state, [state.run, visit.path, visitNumbers(state, scope), words]);
  return requestOf(state, scope, { work: input, key });
}

export function toolRequest(
  state: RunState,
  scope: Scope,
  open: OpenCall,
  tool: string,
): EffectRequest {
  const own = open.decided === 'approve' ? { isApproved: true } : NO_NODE_OPTIONS;
  const request = requestOf(state, scope, { work: toolInput(open, tool), key: open.key }, own);
  return { ...request, callId: open.call.id };
}

function toolInput({ call }: OpenCall, tool: string): ToolInput {
  return { type: 'tool', tool, arguments: (call.arguments ?? {}) as JsonObject };
}

/**
 * A run keeps the form of its first key, so that runs with the older, short keys can be resumed.
 */
function keyOf({ run, hasShortKeys }: RunState, action: readonly unknown[]): string {
  return hasShortKeys === true ? hashValue(action, run) : identityOf(action);
}

/** `ordinal`: its number among the identical calls of this visit. */
export function toolKey(state: RunState, scope: Scope, call: ToolCall, ordinal: number): string {
  return (
    keptKey(state, scope, toolAction(call, ordinal)) ??
    keyOf(state, [...actionIdentity(state, scope, call), ordinal])
  );
}

function toolAction({ name, arguments: args = null }: ToolCall, ordinal: number): Action {
  return [{ name, arguments: args }, ordinal];
}

/** The action of a running effect; undefined when it is no longer known. */
export function pendingAction(state: RunState, pending: PendingEffect): Action | undefined {
  const calls = state.scopes.get(pending.scope)?.visit?.conversation?.calls ?? [];
  const open = calls.find(({ key }) => key === pending.effect.key);
  return open === undefined ? pendingInput(state, pending) : toolAction(open.call, open.ordinal);
}

/** The same for every call of the same tool with the same arguments in this visit. */
export function callName(state: RunState, scope: Scope, call: ToolCall): string {
  return keyOf(state, actionIdentity(state, scope, call));
}

function actionIdentity(state: RunState, scope: Scope, call: ToolCall): readonly unknown[] {
  const { path } = visitOf(scope);
  const { name, arguments: args = null } = call;
  return [state.run, path, visitNumbers(state, scope), { name, arguments: args }];
}

type NodeOptions = Pick<EffectRequest, 'isApproved' | 'timeoutMs' | 'outputSchema' | 'recorded'>;

const NO_NODE_OPTIONS: NodeOptions = {};

/** For an effect that is the whole node: it has the node's time limit and output schema. */
function nodeRequest(
  state: RunState,
  scope: Scope,
  input: EffectInput,
  key: string,
): EffectRequest {
  const { deadlineMs, isApproved, node: name, recorded } = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), name);
  const own: NodeOptions = {
    isApproved: isApproved || undefined,
    timeoutMs: deadlineMs === undefined ? undefined : Math.max(1, deadlineMs - state.nowMs),
    outputSchema: 'outputSchema' in node ? node.outputSchema : undefined,
    recorded: recorded?.key === key ? { output: recorded.output } : undefined,
  };
  return requestOf(state, scope, { work: input, key }, own);
}

function requestOf(
  state: RunState,
  scope: Scope,
  { work: input, key }: { readonly work: EffectInput; readonly key: string },
  { isApproved, timeoutMs, outputSchema, recorded }: NodeOptions = NO_NODE_OPTIONS,
): EffectRequest {
  const visit = visitOf(scope);
  const file = fileOf(state.plan, scope.file);
  const node = nodeOf(file, visit.node);
  const owner = input.type === 'tool' ? ownerOf(state, scope, input) : undefined;
  const isRepeatable = isIdempotent(state, scope, node, input);
  const request: { -readonly [Key in keyof EffectRequest]: EffectRequest[Key] } = {
    ref: { key, type: input.type, target: targetOf(input) },
    work: input,
    node,
    workflow: file.name,
    path: visit.path,
    attempt: input.type === 'script' ? visit.attempt : (state.effects.get(key)?.attempt ?? 0),
    isAgain: (visit.requestCounts.get(key) ?? 0) > 1,
    isIdempotent: isRepeatable,
    module: file.module,
    server: owner?.server,
    fetch: owner?.fetch,
    guardedBy: input.type === 'tool' ? modulesAround(state, scope) : undefined,
    isApproved,
    timeoutMs,
    outputSchema,
  };
  if (isRepeatable && isReadOnly(state, scope, input)) request.isReadOnly = true;
  if (isNeverRepeated(node)) request.isNeverRepeated = true;
  if (recorded !== undefined && !isRepeatable) request.recorded = recorded;
  return request;
}

/** Includes the guards of all callers, so that a sub-workflow cannot avoid them. */
function modulesAround(state: RunState, scope: Scope): readonly string[] {
  const modules = Array.from(
    scopeAndAncestors(state, scope),
    ({ file }) => fileOf(state.plan, file).module,
  ).filter((module) => module !== undefined);
  return [...new Set(modules)];
}

/** Settings of the tool from the file's runtime; not part of the key, because they may change. */
function ownerOf(
  state: RunState,
  scope: Scope,
  { tool }: ToolInput,
): Pick<EffectRequest, 'server' | 'fetch'> {
  const runtime = runtimeOf(state, scope);
  if (tool === FETCH_TOOL)
    return runtime?.httpFetch === undefined ? {} : { fetch: runtime.httpFetch };
  const name = tool.slice(0, Math.max(0, tool.indexOf('/')));
  const servers = runtime?.mcpServers ?? {};
  const settings = Object.hasOwn(servers, name) ? servers[name] : undefined;
  return settings === undefined ? {} : { server: { name, settings } };
}

/** A model may always be called again; for other effects the node decides, or else the tool. */
function isIdempotent(state: RunState, scope: Scope, node: NodePlan, input: EffectInput): boolean {
  if (input.type === 'model' || input.type === 'transform') return true;
  if (node.type !== 'agent' && 'isIdempotent' in node && node.isIdempotent) return true;
  if (input.type === 'script' || isNeverRepeated(node)) return false;
  const name = input.type === 'call' ? input.function : input.tool;
  return toolsOf(state, scope)[name]?.isIdempotent === true;
}

function isReadOnly(state: RunState, scope: Scope, input: EffectInput): boolean {
  if (input.type !== 'tool') return input.type === 'model' || input.type === 'transform';
  return toolsOf(state, scope)[input.tool]?.writes === false;
}

function isNeverRepeated(node: NodePlan): boolean {
  return 'isNeverRepeated' in node && node.isNeverRepeated === true;
}
