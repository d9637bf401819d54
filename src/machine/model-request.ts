/** What a conversation asks of a model next, from the plan and what was said so far. */
import { ErrandError } from '../errors/errand-error.ts';
import type { JsonObject } from '../errors/json.ts';
import type { FilePlan, ModelTimeouts, ProviderSettings, Runtime } from '../workflow/model.ts';
import type { AgentPlan, ModelEntry, NodePlan, SupervisorPlan } from '../workflow/node-model.ts';
import { simulatedEntry } from '../workflow/simulated-entry.ts';
import { modelTools, toolsOf } from './agent-tools.ts';
import { evaluateText } from './evaluate.ts';
import { imagesOf } from './images.ts';
import { latestWords, type ModelCall, type ModelMessage, type ModelTool } from './model-call.ts';
import { namesIn } from './names.ts';
import { broken, fileOf, nodeOf, visitOf, workflowsAround } from './plan-lookup.ts';
import type { RunState, Scope } from './state.ts';
import { nextMessages, type Prompt, type Talk } from './talk.ts';
import { roundResult } from './rounds.ts';

export type TalkingPlan = AgentPlan | SupervisorPlan;

export function isTalking(node: NodePlan): node is TalkingPlan {
  return node.type === 'agent' || node.type === 'supervisor';
}

/** The node that a conversation in this scope belongs to. */
export function talkingNode(state: RunState, scope: Scope): TalkingPlan {
  const node = nodeOf(fileOf(state.plan, scope.file), visitOf(scope).node);
  if (!isTalking(node)) throw broken('conversation', node.name);
  return node;
}

export interface ModelWork {
  readonly type: 'model';
  readonly call: ModelCall;
  readonly provider?: ProviderSettings;
  readonly timeouts?: ModelTimeouts;
  /** The key was refused: a fresh one is to be had first. */
  readonly refreshesKey?: true;
}

/** The runtime of the nearest file that sets one: a child inherits it. */
export function runtimeOf(state: RunState, scope: Scope): Runtime | undefined {
  for (const around of workflowsAround(state, scope)) {
    const { runtime } = fileOf(state.plan, around.file);
    if (runtime !== undefined) return runtime;
  }
  return undefined;
}

/** Empty when neither the node nor the file names one. */
export function modelsOf(state: RunState, scope: Scope, node: TalkingPlan): readonly ModelEntry[] {
  return node.model ?? runtimeOf(state, scope)?.defaultModel ?? [];
}

/** Throws `provider.not_configured` when neither the node nor the file names a model. */
export function chainOf(state: RunState, scope: Scope, node: TalkingPlan): readonly ModelEntry[] {
  const chain = modelsOf(state, scope, node);
  if (chain.length > 0) return chain;
  throw new ErrandError({
    kind: 'provider.not_configured',
    message: `${node.name} has no model`,
    outcome: 'not_started',
    action: {
      kind: 'fix_file',
      detail: 'Give the node a `model`, or the workflow a `runtime.default_model`.',
    },
  });
}

/** Throws `validation.template` and `validation.input`. */
export function promptOf(state: RunState, scope: Scope, node: TalkingPlan): Prompt {
  const names = namesIn(state, scope, { node });
  const plan: FilePlan = fileOf(state.plan, scope.file);
  const system = [
    ...plan.instructions,
    ...(node.systemPrompt === undefined ? [] : [node.systemPrompt]),
    ...(node.type === 'supervisor' ? [managedText(plan, node)] : []),
  ]
    .map((text) => evaluateText(text, names))
    .join('\n\n');
  const text = evaluateText(node.prompt, names);
  const images = node.type === 'agent' ? imagesOf(node, names) : [];
  return {
    text,
    ...(system === '' ? {} : { system }),
    ...(images.length === 0 ? {} : { images }),
  };
}

/** Who there is to be chosen, in words; descriptions may hold anything but templates. */
function managedText(plan: FilePlan, { manages }: SupervisorPlan): string {
  const lines = manages.map((name) => {
    const { description } = nodeOf(plan, name);
    return description === undefined ? `- ${name}` : `- ${name}: ${description}`;
  });
  return `Say which of these is next, or "${DONE}":\n${lines.join('\n')}`;
}

/** `ordinal`: how often the node had asked this model before. */
export function modelWork(
  state: RunState,
  scope: Scope,
  node: TalkingPlan,
  asked: { readonly talk: Talk; readonly model: string; readonly ordinal: number },
): ModelWork {
  const { talk, model, ordinal } = asked;
  const runtime = runtimeOf(state, scope);
  const temperature = node.temperature ?? runtime?.temperature;
  const maxTokens = node.maxTokens ?? runtime?.maxTokens;
  const schema = schemaOf(node);
  const messages = [
    asUser(talk.prompt),
    ...talk.messages,
    ...nextMessages(talk, schema, roundOf(state, scope, node, talk)),
  ];
  const simulated = simulatedAnswer(runtime, model, { ordinal, messages });
  return {
    type: 'model',
    call: {
      model,
      ...(talk.prompt.system === undefined ? {} : { system: talk.prompt.system }),
      messages,
      tools: toolsFor(state, scope, node),
      ...(schema === undefined ? {} : { outputSchema: schema }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ordinal,
      ...(simulated === undefined ? {} : { simulated }),
    },
    ...(runtime?.provider === undefined ? {} : { provider: runtime.provider }),
    ...(runtime?.modelTimeouts === undefined ? {} : { timeouts: runtime.modelTimeouts }),
    ...(isRefreshDue(talk, model) ? { refreshesKey: true } : {}),
  };
}

function asUser({ text, images }: Prompt): ModelMessage {
  return { role: 'user', text, ...(images === undefined ? {} : { images }) };
}

function isRefreshDue({ chain }: Talk, model: string): boolean {
  return chain.some((entry) => entry.model === model && !entry.isSpent && entry.refresh === 'due');
}

export function requestName(path: string, model: string): string {
  return `${path}\u0000${model}`;
}

/** What a supervisor says when nothing is left to do. */
export const DONE = 'done';

/** What a supervisor answers with. */
export function decisionSchema({ manages }: SupervisorPlan): JsonObject {
  return {
    type: 'object',
    properties: { next: { type: 'string', enum: [...manages, DONE] }, reason: { type: 'string' } },
    required: ['next'],
  };
}

export function schemaOf(node: TalkingPlan): JsonObject | undefined {
  return node.type === 'agent' ? node.outputSchema : decisionSchema(node);
}

function roundOf(
  state: RunState,
  scope: Scope,
  node: TalkingPlan,
  talk: Talk,
): JsonObject | undefined {
  return node.type === 'supervisor' ? roundResult(state, visitOf(scope), talk) : undefined;
}

function toolsFor(state: RunState, scope: Scope, node: TalkingPlan): readonly ModelTool[] {
  return node.type === 'agent' ? modelTools(node, toolsOf(state, scope)) : [];
}

function simulatedAnswer(
  runtime: Runtime | undefined,
  model: string,
  asked: { readonly ordinal: number; readonly messages: readonly ModelMessage[] },
): ModelCall['simulated'] {
  const name = model.startsWith('sim/') ? model.slice('sim/'.length) : undefined;
  if (name === undefined) return undefined;
  const { ordinal, messages } = asked;
  const prompt = latestWords(messages);
  return simulatedEntry(runtime?.simulate[name] ?? [], (entry) => entry, { ordinal, prompt });
}
