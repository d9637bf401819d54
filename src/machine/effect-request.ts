/**
 * What an effect is to do, worked out from the state. Asked once to record the request and again by
 * whoever runs it, after a crash too: the same state gives the same request and the same key.
 */
import type { JsonObject } from '../errors/json.ts';
import { hashValue } from '../workflow/hash.ts';
import { FETCH_TOOL, type FetchSettings, type McpServer } from '../workflow/model.ts';
import type { NodePlan } from '../workflow/node-model.ts';
import { toolsOf } from './agent-tools.ts';
import { targetOf, workOf, type EffectWork, type ToolWork } from './effect-work.ts';
import type { EffectRef, EventBody } from './events.ts';
import type { ToolCall } from './model-call.ts';
import { modelWork, requestName, runtimeOf, talkingNode } from './model-request.ts';
import { around, fileOf, nodeOf, outwards, visitOf } from './plan-lookup.ts';
import type { PendingEffect, RunState, Scope, Visit } from './state.ts';
import type { OpenCall, Talk } from './talk.ts';

type Requested = Extract<EventBody, { type: 'effect:requested' }>;

export interface EffectRequest {
  readonly ref: EffectRef;
  readonly work: EffectWork;
  readonly node: NodePlan;
  /** The name of the workflow that the node is in. */
  readonly workflow: string;
  readonly path: string;
  /** Of a script the try of its node, which it is told; else of the effect. 0 is the first. */
  readonly attempt: number;
  /** Was asked for before, in this visit or by a process that is gone. */
  readonly isAgain?: boolean;
  /** May be asked again with the same key when its outcome is unknown. */
  readonly isIdempotent: boolean;
  /** Path of the module of the file that the node is in, as its plan has it. */
  readonly module?: string | undefined;
  /** Of a tool that is called `server/name`. */
  readonly server?: { readonly name: string; readonly settings: McpServer } | undefined;
  /** Of `http_fetch`: what the file lets it ask. */
  readonly fetch?: FetchSettings | undefined;
  /** Of a tool: the modules whose guards are asked, that of its own file first. */
  readonly guardedBy?: readonly string[] | undefined;
  /** A person has approved exactly this call. */
  readonly isApproved?: boolean | undefined;
  /** What is left of the time of the node's try. */
  readonly timeoutMs?: number | undefined;
  /** What the output of the node must be, where the effect is the node's own. */
  readonly outputSchema?: JsonObject | undefined;
}

/** Throws `validation.template`. Undefined for a node that asks nothing of the world by itself. */
export function effectRequest(state: RunState, scope: Scope): EffectRequest | undefined {
  const work = workOf(state, scope);
  if (work === undefined) return undefined;
  const { path } = visitOf(scope);
  return nodeRequest(
    state,
    scope,
    work,
    hashValue([state.run, path, visitNumbers(state, scope), work]),
  );
}

/** What says that it is asked for; the same action asked for again is its next attempt. */
export function requestedEvent({ node, path, asked }: Visit, effect: EffectRef): Requested {
  return { type: 'effect:requested', node, path, effect, attempt: asked.get(effect.key) ?? 0 };
}

/** The request of an effect that is under way; undefined when the plan no longer asks for it. */
export function pendingRequest(state: RunState, pending: PendingEffect): EffectRequest | undefined {
  const scope = state.scopes.get(pending.scope);
  if (scope?.visit === undefined) return undefined;
  const { talk, work } = scope.visit;
  const { key, type, target } = pending.effect;
  if (talk === undefined)
    return work === undefined ? effectRequest(state, scope) : nodeRequest(state, scope, work, key);
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
  const node = talkingNode(state, scope);
  const asked = state.modelRequests.get(requestName(visit.path, model)) ?? 0;
  const ordinal = talk.asking?.model === model ? Math.max(0, asked - 1) : asked;
  const work = modelWork(state, scope, node, { talk, model, ordinal });
  // the same words are the same action, whichever model they go to and how often
  const { model: _model, ordinal: _ordinal, simulated: _simulated, ...words } = work.call;
  const key = hashValue([state.run, visit.path, visitNumbers(state, scope), words]);
  return requestOf(state, scope, { work, key });
}

export function toolRequest(
  state: RunState,
  scope: Scope,
  { call, key, decided }: OpenCall,
  tool: string,
): EffectRequest {
  const given = (call.arguments ?? {}) as JsonObject;
  const own = decided === 'approve' ? { isApproved: true } : NOTHING_OWN;
  return requestOf(state, scope, { work: { type: 'tool', tool, arguments: given }, key }, own);
}

/** `ordinal`: which of all that are the same in this visit. */
export function toolKey(state: RunState, scope: Scope, call: ToolCall, ordinal: number): string {
  return hashValue([...sameAction(state, scope, call), ordinal]);
}

/** The same for every call of the same tool with the same arguments in this visit. */
export function callName(state: RunState, scope: Scope, call: ToolCall): string {
  return hashValue(sameAction(state, scope, call));
}

function sameAction(state: RunState, scope: Scope, call: ToolCall): readonly unknown[] {
  const { path } = visitOf(scope);
  const { name, arguments: given = null } = call;
  return [state.run, path, visitNumbers(state, scope), { name, arguments: given }];
}

type Own = Pick<EffectRequest, 'isApproved' | 'timeoutMs' | 'outputSchema'>;

const NOTHING_OWN: Own = {};

/** Of an effect that is its node's own: it has the node's time and gives the node's output. */
function nodeRequest(state: RunState, scope: Scope, work: EffectWork, key: string): EffectRequest {
  const { deadlineMs, isApproved, node: name } = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), name);
  const own: Own = {
    isApproved: isApproved || undefined,
    timeoutMs: deadlineMs === undefined ? undefined : Math.max(1, deadlineMs - state.nowMs),
    outputSchema: 'outputSchema' in node ? node.outputSchema : undefined,
  };
  return requestOf(state, scope, { work, key }, own);
}

function requestOf(
  state: RunState,
  scope: Scope,
  { work, key }: { readonly work: EffectWork; readonly key: string },
  { isApproved, timeoutMs, outputSchema }: Own = NOTHING_OWN,
): EffectRequest {
  const visit = visitOf(scope);
  const file = fileOf(state.plan, scope.file);
  const node = nodeOf(file, visit.node);
  const owner = work.type === 'tool' ? ownerOf(state, scope, work) : undefined;
  return {
    ref: { key, type: work.type, target: targetOf(work) },
    work,
    node,
    workflow: file.name,
    path: visit.path,
    attempt: work.type === 'script' ? visit.attempt : (state.effects.get(key)?.attempt ?? 0),
    isAgain: (visit.asked.get(key) ?? 0) > 1,
    isIdempotent: isIdempotent(state, scope, node, work),
    module: file.module,
    server: owner?.server,
    fetch: owner?.fetch,
    guardedBy: work.type === 'tool' ? modulesAround(state, scope) : undefined,
    isApproved,
    timeoutMs,
    outputSchema,
  };
}

/** A sub-workflow does not get around the guards of those that call it. */
function modulesAround(state: RunState, scope: Scope): readonly string[] {
  const modules = Array.from(
    outwards(state, scope),
    ({ file }) => fileOf(state.plan, file).module,
  ).filter((module) => module !== undefined);
  return [...new Set(modules)];
}

/** What the runtime of the file says of the tool; not a part of its key, since it may move. */
function ownerOf(
  state: RunState,
  scope: Scope,
  { tool }: ToolWork,
): Pick<EffectRequest, 'server' | 'fetch'> {
  const runtime = runtimeOf(state, scope);
  if (tool === FETCH_TOOL)
    return runtime?.httpFetch === undefined ? {} : { fetch: runtime.httpFetch };
  const name = tool.slice(0, Math.max(0, tool.indexOf('/')));
  const servers = runtime?.mcpServers ?? {};
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
  const numbers: number[] = [];
  for (let at: Scope | undefined = scope; at !== undefined; at = around(state, at))
    numbers.push(at.visit?.number ?? 0);
  return numbers;
}
