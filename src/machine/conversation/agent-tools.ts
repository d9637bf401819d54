/** Tools of an agent: which ones it may call, and the decision about each call. */
import { isPlainObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { ReportDraft } from '../../errors/report/report.ts';
import type { AgentPlan } from '../../workflow/plan/node-plan.ts';
import type {
  ToolDescription,
  ToolDescriptions,
} from '../../workflow/authoring/tool-description.ts';
import { checkValue } from '../../workflow/json-schema/check-value.ts';
import {
  inexactWords,
  keepsDigits,
  readJson,
  readJsonAsWritten,
} from '../../workflow/json-schema/exact-number.ts';
import type { ModelTool, ToolCall } from './model-message.ts';
import type { RunState, Scope } from '../state/state.ts';
import { ASK_PERSON, RAISE_ERROR, WRITE_STATE } from '../../workflow/plan/built-in-tools.ts';
import { toolCalled, wireNames } from './tool-names.ts';

const ANYTHING: JsonObject = { type: 'object' };

export function toolsOf(state: RunState, scope: Scope): ToolDescriptions {
  return state.plan.tools?.[scope.file] ?? {};
}

/** The tools it may call, except the built-in ones, by their names in the file. */
export function offeredTools(
  node: AgentPlan,
  tools: ToolDescriptions,
): readonly (readonly [string, ToolDescription])[] {
  return Object.entries(tools).filter(
    ([name, tool]) => mayUse(node, name, tool) && !isDenied(node, name),
  );
}

/** The tools as the model sees them. */
export function modelTools(node: AgentPlan, tools: ToolDescriptions): readonly ModelTool[] {
  const names = wireNames(tools);
  const own = offeredTools(node, tools).map(([name, { description, inputSchema }]): ModelTool => ({
    name: names.get(name) ?? name,
    ...(description === undefined ? {} : { description }),
    inputSchema: inputSchema ?? ANYTHING,
  }));
  return [...own, ...builtIns(node)];
}

function mayUse({ tools }: AgentPlan, name: string, { writes }: ToolDescription): boolean {
  return tools === null ? writes === false : tools.some((wanted) => matchesToolName(wanted, name));
}

/** An empty `allow` restricts nothing. */
function isDenied({ policy: { allow, deny } }: AgentPlan, name: string): boolean {
  const isAllowed = allow.length === 0 || allow.some((wanted) => matchesToolName(wanted, name));
  return !isAllowed || deny.some((unwanted) => matchesToolName(unwanted, name));
}

/** `server/*` means all tools of a server. */
function matchesToolName(wanted: string, name: string): boolean {
  return wanted === name || (wanted.endsWith('/*') && name.startsWith(wanted.slice(0, -1)));
}

function builtIns({ raises, writes, dialog }: AgentPlan): readonly ModelTool[] {
  const tools: ModelTool[] = [];
  if (raises !== undefined && raises.length > 0)
    tools.push({
      name: RAISE_ERROR,
      description: `Ends the work with a typed error. Kinds: ${raises.join(', ')}.`,
      inputSchema: {
        type: 'object',
        properties: {
          kind: { type: 'string', enum: [...raises] },
          message: { type: 'string' },
          details: { type: 'object' },
        },
        required: ['kind', 'message'],
      },
    });
  if (writes.length > 0)
    tools.push({
      name: WRITE_STATE,
      description: `Writes a value of the shared state. Keys: ${writes.join(', ')}.`,
      inputSchema: {
        type: 'object',
        properties: { key: { type: 'string', enum: [...writes] }, value: {} },
        required: ['key', 'value'],
      },
    });
  if (dialog !== undefined)
    tools.push({
      name: ASK_PERSON,
      description: `Asks the person a question and returns the answer. When to ask: ${dialog.when.trim()}`,
      inputSchema: {
        type: 'object',
        properties: { question: { type: 'string' } },
        required: ['question'],
      },
    });
  return tools;
}

export type ToolDecision =
  | { readonly type: 'run'; readonly tool: string; readonly arguments: JsonObject }
  | { readonly type: 'ask'; readonly tool: string; readonly arguments: JsonObject }
  | { readonly type: 'raise'; readonly value: JsonValue }
  | { readonly type: 'write'; readonly key: string; readonly value: JsonValue }
  | { readonly type: 'consult'; readonly question: string }
  /** The call is not made; the model sees why. */
  | { readonly type: 'refuse'; readonly tool: string; readonly failure: ReportDraft };

export function judgeCall(node: AgentPlan, tools: ToolDescriptions, call: ToolCall): ToolDecision {
  if (call.name === RAISE_ERROR) return { type: 'raise', value: call.arguments ?? asWritten(call) };
  if (call.name === WRITE_STATE) return judgeWrite(call);
  if (call.name === ASK_PERSON && node.dialog !== undefined) return judgeQuestion(call);
  const name = toolCalled(tools, call.name);
  const tool = name === undefined ? undefined : tools[name];
  if (name === undefined || tool === undefined)
    return refuse(call.name, 'tool.not_found', `There is no tool called ${call.name}`);
  if (!mayUse(node, name, tool))
    return refuse(name, 'tool.forbidden', `${node.name} may not use the tool ${name}`, 'policy');
  if (isDenied(node, name)) {
    const message = `The policy of ${node.name} denies the tool ${name}`;
    return refuse(name, 'tool.denied', message, 'policy');
  }
  const { arguments: args } = call;
  const problem = args === undefined ? unreadable(call) : problemWith(args, tool);
  if (problem !== undefined || !isPlainObject(args))
    return refuse(
      name,
      'tool.input_invalid',
      `The arguments of ${name} ${problem ?? 'must be an object'}`,
    );
  const isAsked = node.policy.ask.some((wanted) => matchesToolName(wanted, name));
  return { type: isAsked ? 'ask' : 'run', tool: name, arguments: args };
}

/** For people to read: each number that would lose digits is text. Null if it is not JSON. */
function asWritten({ unparsable = '' }: ToolCall): JsonValue {
  try {
    return readJsonAsWritten(unparsable);
  } catch {
    // the reader of a raised error says that there is none
    return null;
  }
}

/** Why the arguments of a call could not be read. */
function unreadable({ unparsable = '' }: ToolCall): string {
  try {
    const { inexact } = readJson(unparsable, keepsDigits);
    const advice = inexact?.isRepeated === true ? 'write it once' : 'write it as text';
    if (inexact !== undefined) return `contain ${inexactWords(inexact)}; ${advice}`;
  } catch {
    // not JSON, as the message says
  }
  return 'are not JSON';
}

function judgeWrite(call: ToolCall): ToolDecision {
  const { arguments: args } = call;
  if (args === undefined && call.unparsable !== undefined) {
    const message = `The arguments of ${WRITE_STATE} ${unreadable(call)}`;
    return refuse(WRITE_STATE, 'tool.input_invalid', message);
  }
  const key = isPlainObject(args) ? args['key'] : undefined;
  if (!isPlainObject(args) || typeof key !== 'string')
    return refuse(WRITE_STATE, 'tool.input_invalid', 'write_state needs a key and a value');
  return { type: 'write', key, value: args['value'] ?? null };
}

function judgeQuestion({ arguments: args }: ToolCall): ToolDecision {
  const question = isPlainObject(args) ? args['question'] : undefined;
  return typeof question === 'string' && question.trim() !== ''
    ? { type: 'consult', question }
    : refuse(ASK_PERSON, 'tool.input_invalid', `${ASK_PERSON} needs a question`);
}

function problemWith(args: JsonValue, { inputSchema }: ToolDescription): string | undefined {
  const [finding] = inputSchema === undefined ? [] : checkValue(inputSchema, args);
  // an invalid schema proves nothing; the tool checks its own input
  if (finding === undefined || finding.of === 'schema') return undefined;
  return finding.pointer === ''
    ? finding.message
    : `are not valid: ${finding.pointer} ${finding.message}`;
}

/** Who denied a call: a list of the node, a guard, a person, or `nobody` because none could be asked. */
export type DeniedBy = 'policy' | 'guard' | 'person' | 'nobody';

function refuse(tool: string, kind: string, message: string, by?: DeniedBy): ToolDecision {
  const details = by === undefined ? {} : { details: { by } };
  return { type: 'refuse', tool, failure: { kind, message, outcome: 'not_started', ...details } };
}
