/** The nodes of a plan: one interface per type, one union over all of them. */
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type { FieldType } from './plan.ts';
import type { Assertion, PlanLocation, Route, TemplateText } from './route-plan.ts';

export const FAILURE_MODES = [
  'fail_fast',
  'continue_on_error',
  'all_or_nothing',
  'quorum',
] as const;
export type FailureMode = (typeof FAILURE_MODES)[number];

export const PARTIAL_POLICIES = ['fail', 'restart', 'keep_partial'] as const;
export type PartialPolicy = (typeof PARTIAL_POLICIES)[number];

/** One entry of a fallback chain; the first one has no `on`. */
export interface ModelEntry {
  /** `provider/model`; without a provider if the file names none (a child may inherit one). */
  readonly model: string;
  readonly on?: 'any' | readonly string[];
}

export interface NodeBase {
  readonly name: string;
  readonly description?: string;
  /** The names that it sees in `explicit` mode, as written. */
  readonly input?: readonly string[];
  readonly assert: readonly Assertion[];
  /** Absent: it declares nothing, so it may raise anything. */
  readonly raises?: readonly string[];
  /** Per attempt. */
  readonly timeoutMs?: number;
  readonly routes: readonly Route[];
  readonly location: PlanLocation;
  /**
   * Changes with anything that could change the work of the node; not with its model, its
   * description or its location in the file.
   */
  readonly fingerprint: string;
}

interface Answering {
  /** JSON Schema of its output. */
  readonly outputSchema?: JsonObject;
}

/** How much a model may think before it replies. */
export const REASONING_EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

export interface Spending {
  readonly model?: readonly ModelEntry[];
  readonly reasoning?: ReasoningEffort;
  readonly systemPrompt?: TemplateText;
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly budget?: { readonly usdMicros?: number; readonly tokens?: number };
}

export interface ToolPolicy {
  /** Empty: no restriction. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** A person approves each call. */
  readonly ask: readonly string[];
  /** After this time without an answer the call is denied. */
  readonly askTimeoutMs?: number;
}

export interface AgentPlan extends NodeBase, Answering, Spending, Truncating {
  readonly type: 'agent';
  readonly prompt: TemplateText;
  readonly images?: readonly TemplateText[];
  /** Null: all tools that do not write. */
  readonly tools: readonly string[] | null;
  readonly policy: ToolPolicy;
  readonly maxTurns: number;
  /** A second model judges the output. */
  readonly validator?: ValidatorPlan;
  /** The agent may ask a person; `when` says when it should. */
  readonly dialog?: { readonly when: string };
  readonly writes: readonly string[];
  readonly onPartial: PartialPolicy;
}

export interface ValidatorPlan {
  readonly criteria: TemplateText;
  /** Default: the model of the agent. */
  readonly model?: readonly ModelEntry[];
  /** How often the words of the judge go back to the agent. */
  readonly maxRetries: number;
}

interface Truncating {
  /** Whether an output that was cut because of its length counts as the output. */
  readonly keepsTruncated?: true;
}

interface Guarded {
  /** Whether a circuit breaker pauses the node after too many failures. */
  readonly hasBreaker?: true;
}

/** The parts of a node that calls a function or a tool. */
export interface Calling {
  readonly arguments: JsonObject;
  readonly isIdempotent: boolean;
  /**
   * The file says `idempotent: false`, which overrides the declaration of the function or the tool.
   */
  readonly isNeverRepeated?: true;
}

export interface CallPlan extends NodeBase, Answering, Guarded, Calling {
  readonly type: 'call';
  /** The node type belongs to an extension, and is the name of the function. */
  readonly isExtension?: true;
  readonly function: string;
}

export interface ScriptPlan extends NodeBase, Answering, Guarded, Truncating {
  readonly type: 'script';
  readonly command: TemplateText;
  readonly args: readonly TemplateText[];
  readonly env: Readonly<Record<string, TemplateText>>;
  readonly workingDir?: TemplateText;
  readonly stdin?: TemplateText;
  /** Exit codes that are results and not failures. */
  readonly exitCodes: 'any' | readonly number[];
  readonly isIdempotent: boolean;
}

export interface ToolPlan extends NodeBase, Answering, Guarded, Truncating, Calling {
  readonly type: 'tool';
  /** `name` or `server/name`. */
  readonly tool: string;
}

export interface TransformPlan extends NodeBase, Answering {
  readonly type: 'transform';
  readonly code: string;
  readonly arguments: JsonObject;
}

export interface SetPlan extends NodeBase {
  readonly type: 'set';
  /** `value` or `values`; neither where only state is set. */
  readonly value?: JsonValue;
  /** The type of `value`; without it the template decides. */
  readonly valueType?: FieldType;
  readonly values?: JsonObject;
  readonly state: JsonObject;
}

export interface WaitPlan extends NodeBase {
  readonly type: 'wait';
  /** A number of milliseconds, or a template that renders to a duration. */
  readonly duration: number | TemplateText;
  readonly reason?: TemplateText;
}

export interface GateOption {
  readonly label: TemplateText;
  readonly value: string | number | boolean;
  readonly route?: string;
  /** Asks for text under this name. */
  readonly promptFor?: string;
  readonly isMultiline: boolean;
}

export interface HumanGatePlan extends NodeBase {
  readonly type: 'human_gate';
  readonly prompt: TemplateText;
  readonly options: readonly GateOption[];
  /** Time until the gate expires. */
  readonly expiresMs?: number;
  readonly default?: string | number | boolean;
  /** Only a person may answer. Default: programs may too. */
  readonly answeredBy?: 'person';
  /** A `questions` node: the person answers these. */
  readonly questions?: QuestionsPlan;
}

export interface QuestionsPlan {
  readonly list?: readonly QuestionPlan[];
  /** Gives the list, where the file has none. */
  readonly source?: TemplateText;
  /** Whether a question may be left without an answer. */
  readonly maySkip: boolean;
  /** At a terminal, where they are asked one by one. */
  readonly mayGoBack: boolean;
}

export interface QuestionPlan {
  /** Absent: by its number. */
  readonly id?: string;
  readonly text: TemplateText;
  readonly hint?: TemplateText;
  readonly choices?: readonly (string | number | boolean)[];
  /** Whether an answer may differ from the choices. */
  readonly isFree: boolean;
  readonly default?: string | number | boolean;
  readonly isRequired: boolean;
}

export interface ChildPlan extends NodeBase {
  readonly type: 'workflow';
  /** The key of its plan in `children`. */
  readonly workflow: string;
  /** Absent: the caller's inputs are passed on. */
  readonly inputMapping?: JsonObject;
}

export interface SupervisorPlan extends NodeBase, Spending {
  readonly type: 'supervisor';
  readonly prompt: TemplateText;
  readonly manages: readonly string[];
  readonly maxRounds: number;
}

export interface TerminatePlan extends NodeBase {
  readonly type: 'terminate';
  readonly status: 'success' | 'failed';
  readonly reason?: TemplateText;
  readonly outputTemplate?: JsonObject;
}

interface GroupBase extends NodeBase {
  readonly maxConcurrent: number;
  readonly failureMode: FailureMode;
  /** With failure mode `quorum` only. */
  readonly quorum?: number;
}

export interface ParallelPlan extends GroupBase {
  readonly type: 'parallel';
  readonly members: readonly string[];
}

export interface ForEachPlan extends GroupBase {
  readonly type: 'for_each';
  /** A dotted name, or a template that renders to a list. */
  readonly source: TemplateText;
  readonly as: string;
  readonly keyBy?: string;
  readonly member: NodePlan;
}

export type GroupPlan = ParallelPlan | ForEachPlan;

export type NodePlan =
  | AgentPlan
  | CallPlan
  | ScriptPlan
  | ToolPlan
  | TransformPlan
  | SetPlan
  | WaitPlan
  | HumanGatePlan
  | ChildPlan
  | SupervisorPlan
  | TerminatePlan
  | GroupPlan;

export type NodeType = NodePlan['type'];

/** Each type once, so that a missing one does not compile; the order is that of messages. */
const EVERY_TYPE: Readonly<Record<NodeType, true>> = {
  agent: true,
  call: true,
  script: true,
  tool: true,
  transform: true,
  set: true,
  wait: true,
  human_gate: true,
  workflow: true,
  supervisor: true,
  terminate: true,
  parallel: true,
  for_each: true,
};

// the keys of the table above are the types, all of them and no other
export const NODE_TYPES: readonly NodeType[] = Object.keys(EVERY_TYPE) as NodeType[];

/** Node types whose results may be partial always have `errors` beside their output. */
export function givesErrors({ type }: Pick<NodePlan, 'type'>): boolean {
  return type === 'call' || type === 'tool';
}
