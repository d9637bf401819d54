/** Which tools an agent has, and what becomes of what it asks for. */
import { isPlainObject, type JsonObject, type JsonValue } from '../errors/json.ts';
import type { ReportDraft } from '../errors/report.ts';
import type { AgentPlan } from '../workflow/node-model.ts';
import type { ToolDescription, ToolDescriptions } from '../workflow/tool-description.ts';
import { checkValue } from '../workflow/value-check.ts';
import type { ModelTool, ToolCall } from './model-call.ts';
import type { RunState, Scope } from './state.ts';
import { RAISE_ERROR, toolCalled, wireNames, WRITE_STATE } from './tool-names.ts';

const ANYTHING: JsonObject = { type: 'object' };

export function toolsOf(state: RunState, scope: Scope): ToolDescriptions {
  return state.plan.tools?.[scope.file] ?? {};
}

/** The tools that are not its own, by the names of the file. */
export function offeredTools(
  node: AgentPlan,
  tools: ToolDescriptions,
): readonly (readonly [string, ToolDescription])[] {
  return Object.entries(tools).filter(
    ([name, tool]) => mayUse(node, name, tool) && !isDenied(node, name),
  );
}

/** What the model is told that it may call. */
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
  return tools === null ? writes === false : tools.some((wanted) => fits(wanted, name));
}

/** An empty `allow` restricts nothing. */
function isDenied({ policy: { allow, deny } }: AgentPlan, name: string): boolean {
  const isAllowed = allow.length === 0 || allow.some((wanted) => fits(wanted, name));
  return !isAllowed || deny.some((unwanted) => fits(unwanted, name));
}

/** `server/*` means all tools of a server. */
function fits(wanted: string, name: string): boolean {
  return wanted === name || (wanted.endsWith('/*') && name.startsWith(wanted.slice(0, -1)));
}

function builtIns({ raises, writes }: AgentPlan): readonly ModelTool[] {
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
  return tools;
}

export type Verdict =
  | { readonly type: 'run'; readonly tool: string; readonly arguments: JsonObject }
  | { readonly type: 'ask'; readonly tool: string; readonly arguments: JsonObject }
  | { readonly type: 'raise'; readonly value: JsonValue }
  | { readonly type: 'write'; readonly key: string; readonly value: JsonValue }
  /** Nothing is done; the model hears why. */
  | { readonly type: 'refuse'; readonly tool: string; readonly failure: ReportDraft };

export function judgeCall(node: AgentPlan, tools: ToolDescriptions, call: ToolCall): Verdict {
  if (call.name === RAISE_ERROR) return { type: 'raise', value: call.arguments ?? null };
  if (call.name === WRITE_STATE) return judgeWrite(call);
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
  const { arguments: given } = call;
  const problem = given === undefined ? 'are not JSON' : problemWith(given, tool);
  if (problem !== undefined || !isPlainObject(given))
    return refuse(
      name,
      'tool.input_invalid',
      `The arguments of ${name} ${problem ?? 'must be an object'}`,
    );
  const isAsked = node.policy.ask.some((wanted) => fits(wanted, name));
  return { type: isAsked ? 'ask' : 'run', tool: name, arguments: given };
}

function judgeWrite({ arguments: given }: ToolCall): Verdict {
  const key = isPlainObject(given) ? given['key'] : undefined;
  if (!isPlainObject(given) || typeof key !== 'string')
    return refuse(WRITE_STATE, 'tool.input_invalid', 'write_state needs a key and a value');
  return { type: 'write', key, value: given['value'] ?? null };
}

function problemWith(given: JsonValue, { inputSchema }: ToolDescription): string | undefined {
  const [finding] = inputSchema === undefined ? [] : checkValue(inputSchema, given);
  // of a schema that is no good nothing follows; the tool judges for itself
  if (finding === undefined || finding.of === 'schema') return undefined;
  return finding.pointer === ''
    ? finding.message
    : `do not fit: ${finding.pointer} ${finding.message}`;
}

/** Who keeps a call from being made: a list of the node, a guard, or a person. */
export type DeniedBy = 'policy' | 'guard' | 'person' | 'nobody';

function refuse(tool: string, kind: string, message: string, by?: DeniedBy): Verdict {
  const details = by === undefined ? {} : { details: { by } };
  return { type: 'refuse', tool, failure: { kind, message, outcome: 'not_started', ...details } };
}
