/** The next request of a conversation to a model, from the plan and the messages so far. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import type {
  FilePlan,
  ModelTimeouts,
  ProviderSettings,
  Runtime,
} from '../../workflow/plan/plan.ts';
import type {
  AgentPlan,
  ModelEntry,
  NodePlan,
  SupervisorPlan,
} from '../../workflow/plan/node-plan.ts';
import { DONE } from '../../workflow/plan/route-plan.ts';
import { simulatedEntry } from '../../workflow/plan/simulated-entry.ts';
import { modelTools, toolsOf } from './agent-tools.ts';
import { evaluateText } from '../decide/evaluate-templates.ts';
import { imagesOf } from './images.ts';
import { latestWords, type ModelCall, type ModelMessage, type ModelTool } from './model-message.ts';
import { templateContext } from '../decide/template-context.ts';
import { logPlanMismatch, fileOf, nodeOf, visitOf, workflowsAround } from '../state/plan-lookup.ts';
import type { RunState, Scope } from '../state/state.ts';
import { storableForm, storablePrompt } from '../state/storable.ts';
import { boundedMessages, READ_TOOL } from './bounded-results.ts';
import { nextMessages, type Prompt, type Conversation } from './conversation.ts';
import type { TemplateContext } from '../../workflow/template/context.ts';
import { judgeMark, judgePlan, judgeText, type JudgePlan } from './output-judge.ts';
import { roundResult } from './supervisor-rounds.ts';

export type ConversationPlan = AgentPlan | JudgePlan | SupervisorPlan;

export function hasConversation(node: NodePlan): node is ConversationPlan {
  return node.type === 'agent' || node.type === 'supervisor';
}

/** The node that a conversation in this scope belongs to. */
export function conversationNode(state: RunState, scope: Scope): ConversationPlan {
  const { node: name, conversation } = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), name);
  if (!hasConversation(node)) throw logPlanMismatch('conversation', node.name);
  const { judging } = conversation ?? {};
  return judging === undefined || node.type !== 'agent' ? node : judgePlan(node, judging.output);
}

export interface ModelInput {
  readonly type: 'model';
  readonly call: ModelCall;
  readonly provider?: ProviderSettings;
  readonly timeouts?: ModelTimeouts;
  /** The API key was refused: get a fresh one first. */
  readonly refreshesKey?: true;
}

/** The runtime of the nearest file that sets one, because a child inherits it. */
export function runtimeOf(state: RunState, scope: Scope): Runtime | undefined {
  for (const around of workflowsAround(state, scope)) {
    const { runtime } = fileOf(state.plan, around.file);
    if (runtime !== undefined) return runtime;
  }
  return undefined;
}

/** Empty when neither the node nor the file names one. */
export function modelsOf(
  state: RunState,
  scope: Scope,
  node: ConversationPlan,
): readonly ModelEntry[] {
  return node.model ?? runtimeOf(state, scope)?.defaultModel ?? [];
}

/** Throws `provider.not_configured` when neither the node nor the file names a model. */
export function chainOf(
  state: RunState,
  scope: Scope,
  node: ConversationPlan,
): readonly ModelEntry[] {
  const chain = modelsOf(state, scope, node);
  if (chain.length > 0) return chain;
  throw new ErrandError({
    kind: 'provider.not_configured',
    message: `No model is set for ${node.name}`,
    outcome: 'not_started',
    action: {
      kind: 'fix_file',
      detail: 'Set `model` in the node, or `runtime.default_model` in the workflow.',
    },
  });
}

/** Throws `validation.template` and `validation.input`. */
export function promptOf(state: RunState, scope: Scope, node: ConversationPlan): Prompt {
  const names = templateContext(state, scope, { node });
  if ('judged' in node) return judgePrompt(state, node, names);
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
  return storablePrompt(state, {
    text,
    ...(system === '' ? {} : { system }),
    ...(images.length === 0 ? {} : { images }),
  });
}

/** The judged output is data, and no template. */
function judgePrompt(
  state: RunState,
  { validator, judged, systemPrompt }: JudgePlan,
  names: TemplateContext,
): Prompt {
  const criteria = evaluateText(validator?.criteria ?? '', names);
  return storablePrompt(state, {
    text: judgeText(criteria, judged),
    ...(systemPrompt === undefined ? {} : { system: systemPrompt }),
  });
}

/** Lists the managed nodes for the prompt; their descriptions may not contain templates. */
function managedText(plan: FilePlan, { manages }: SupervisorPlan): string {
  const lines = manages.map((name) => {
    const { description } = nodeOf(plan, name);
    return description === undefined ? `- ${name}` : `- ${name}: ${description}`;
  });
  return `Say which of these is next, or "${DONE}":\n${lines.join('\n')}`;
}

/** `ordinal`: how often the node has called this model before. */
export function modelInput(
  state: RunState,
  scope: Scope,
  node: ConversationPlan,
  asked: { readonly conversation: Conversation; readonly model: string; readonly ordinal: number },
): ModelInput {
  const { conversation, model, ordinal } = asked;
  const runtime = runtimeOf(state, scope);
  const temperature = node.temperature ?? runtime?.temperature;
  const maxTokens = node.maxTokens ?? runtime?.maxTokens;
  const reasoning = node.reasoning ?? runtime?.reasoning;
  const schema = schemaOf(state, node);
  const messages = [
    asUser(conversation.prompt),
    ...conversation.messages,
    ...nextMessages(conversation, schema, roundOf(state, scope, node, conversation)),
  ];
  const bound = runtime?.toolOutput;
  const read = bound === undefined ? messages : boundedMessages(messages, bound.maxChars);
  const isCut = read.some((message, at) => message !== messages[at]);
  const simulated = simulatedAnswer(runtime, model, { ordinal, messages: read });
  return {
    type: 'model',
    call: {
      model,
      ...(conversation.prompt.system === undefined ? {} : { system: conversation.prompt.system }),
      messages: read,
      tools: [...toolsFor(state, scope, node), ...(isCut ? [READ_TOOL] : [])],
      ...(schema === undefined ? {} : { outputSchema: schema }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(reasoning === undefined ? {} : { reasoning }),
      ...judgeMark(conversation),
      ordinal,
      ...(simulated === undefined ? {} : { simulated }),
    },
    ...(runtime?.provider === undefined ? {} : { provider: runtime.provider }),
    ...(runtime?.modelTimeouts === undefined ? {} : { timeouts: runtime.modelTimeouts }),
    ...(isRefreshDue(conversation, model) ? { refreshesKey: true } : {}),
  };
}

function asUser({ text, images }: Prompt): ModelMessage {
  return { role: 'user', text, ...(images === undefined ? {} : { images }) };
}

function isRefreshDue({ chain }: Conversation, model: string): boolean {
  return chain.some((entry) => entry.model === model && !entry.isSpent && entry.refresh === 'due');
}

export function requestName(path: string, model: string): string {
  return `${path}\u0000${model}`;
}

/** Schema of a supervisor's reply. */
export function decisionSchema({ manages }: SupervisorPlan): JsonObject {
  return {
    type: 'object',
    properties: { next: { type: 'string', enum: [...manages, DONE] }, reason: { type: 'string' } },
    required: ['next'],
  };
}

/** Without secrets, because the model reads it and stored replies are compared with it. */
export function schemaOf(state: RunState, node: ConversationPlan): JsonObject | undefined {
  if (node.type === 'supervisor') return decisionSchema(node);
  return node.outputSchema === undefined ? undefined : storableForm(state, node.outputSchema);
}

function roundOf(
  state: RunState,
  scope: Scope,
  node: ConversationPlan,
  conversation: Conversation,
): JsonObject | undefined {
  return node.type === 'supervisor' ? roundResult(state, visitOf(scope), conversation) : undefined;
}

function toolsFor(state: RunState, scope: Scope, node: ConversationPlan): readonly ModelTool[] {
  return node.type === 'agent' ? storableForm(state, modelTools(node, toolsOf(state, scope))) : [];
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
