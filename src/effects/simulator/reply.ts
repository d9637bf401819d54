/**
 * The reply of a simulated model: the entry of its script, else JSON that fits the schema, else the prompt
 * again. The same call always gets the same reply.
 */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { textOrJson, type JsonObject } from '../../errors/support/safe-json.ts';
import type { Usage } from '../../machine/state/events.ts';
import {
  latestWords,
  type ModelCall,
  type ToolCall,
} from '../../machine/conversation/model-message.ts';
import type { SimulatedAnswer } from '../../workflow/plan/plan.ts';
import { sample } from './sample.ts';
import { usageOf } from './simulated-usage.ts';

/** An entry that replies, as opposed to one that fails or hangs. */
export type ScriptedReply = Exclude<SimulatedAnswer, { readonly type: 'fail' | 'hang' }>;

export interface Reply {
  /** The text in stream pieces. */
  readonly pieces: readonly string[];
  readonly toolCalls: readonly ToolCall[];
  readonly usage: Usage;
  /** The connection breaks after the last piece. */
  readonly isCut: boolean;
}

/** Size of a stream piece, unless the script sets the pieces. */
const PIECE_CHARS = 24;

const UNSCRIPTED: Pick<SimulatedAnswer, 'delayMs'> = { delayMs: 0 };

export function replyTo(call: ModelCall, entry: ScriptedReply = unscriptedReply(call)): Reply {
  const pieces = piecesOf(entry);
  const toolCalls = entry.type === 'tool_calls' ? toolCallsOf(entry.calls, call) : [];
  return {
    pieces,
    toolCalls,
    usage: usageOf(entry.usage, call, { text: pieces.join(''), toolCalls }),
    isCut: entry.type === 'stream' && entry.isCut,
  };
}

function unscriptedReply(call: ModelCall): ScriptedReply {
  const { outputSchema } = call;
  if (outputSchema === undefined)
    return { ...UNSCRIPTED, type: 'answer', answer: latestWords(call.messages) };
  const value = sample(outputSchema, { turn: call.ordinal });
  if (value === undefined) throw noSample(call);
  // a string that fits a schema is sent as JSON, with its quotes
  return { ...UNSCRIPTED, type: 'answer', answer: JSON.stringify(value) };
}

function noSample({ model }: ModelCall): ErrandError {
  return new ErrandError({
    kind: 'agent.output_invalid',
    message: `${model} has no script, and no reply could be made up that fits the output schema`,
    action: {
      kind: 'fix_file',
      detail: `Script its replies: write \`answer:\` for ${model} under \`runtime.simulate\`.`,
    },
  });
}

function piecesOf(entry: ScriptedReply): readonly string[] {
  switch (entry.type) {
    case 'stream':
      return entry.chunks.filter((chunk) => chunk !== '');
    case 'answer':
      return splitText(textOrJson(entry.answer));
    case 'tool_calls':
      return [];
  }
}

/** Never splits a surrogate pair. */
function splitText(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    const isSplit = /[\ud800-\udbff]/.test(text[from + PIECE_CHARS - 1] ?? '');
    const to = from + PIECE_CHARS - (isSplit ? 1 : 0);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

/** The ids are unique within a conversation, also across the models of a chain. */
function toolCallsOf(
  calls: readonly { readonly name: string; readonly arguments: JsonObject }[],
  { model, ordinal }: ModelCall,
): readonly ToolCall[] {
  const prefix = model.replace(/^.*\//, '').replaceAll(/[^\w-]/g, '_');
  return calls.map((each, index) => ({
    id: `call_${prefix.slice(0, 20)}_${ordinal}_${index}`,
    name: each.name,
    arguments: each.arguments,
  }));
}
