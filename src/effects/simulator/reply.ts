/**
 * What a simulated model says to a call: the script's entry, or without one JSON that fits the schema,
 * or the prompt again. The same call gets the same reply; how it travels is not decided here.
 */
import type { JsonObject, JsonValue } from '../../errors/json.ts';
import type { Usage } from '../../machine/events.ts';
import { latestWords, type ModelCall, type ToolCall } from '../../machine/model-call.ts';
import type { SimulatedAnswer } from '../../workflow/model.ts';
import { sample } from './sample.ts';
import { usageOf } from './tokens.ts';

/** An entry that says something; failing and hanging are the other things it can do. */
export type SpokenAnswer = Exclude<SimulatedAnswer, { readonly type: 'fail' | 'hang' }>;

export interface Reply {
  /** The text in the pieces in which it comes. */
  readonly pieces: readonly string[];
  readonly toolCalls: readonly ToolCall[];
  readonly usage: Usage;
  /** The connection breaks after the last piece. */
  readonly isCut: boolean;
}

/** What one piece of a stream holds where the script does not say. */
const PIECE_CHARS = 24;

const IMPROVISED: Pick<SimulatedAnswer, 'delayMs'> = { delayMs: 0 };

export function replyTo(call: ModelCall, entry: SpokenAnswer = improvise(call)): Reply {
  const pieces = piecesOf(entry);
  const toolCalls = entry.type === 'tool_calls' ? toolCallsOf(entry.calls, call) : [];
  return {
    pieces,
    toolCalls,
    usage: usageOf(entry.usage, call, { text: pieces.join(''), toolCalls }),
    isCut: entry.type === 'stream' && entry.isCut,
  };
}

function improvise(call: ModelCall): SpokenAnswer {
  const { outputSchema } = call;
  const answer = outputSchema === undefined ? latestWords(call.messages) : sample(outputSchema);
  // a text that fits a schema is JSON too, so it goes out with its quotes
  const written = outputSchema === undefined ? answer : JSON.stringify(answer);
  return { ...IMPROVISED, type: 'answer', answer: written };
}

function piecesOf(entry: SpokenAnswer): readonly string[] {
  switch (entry.type) {
    case 'stream':
      return entry.chunks.filter((chunk) => chunk !== '');
    case 'answer':
      return cutUp(textOf(entry.answer));
    case 'tool_calls':
      return [];
  }
}

function textOf(answer: JsonValue): string {
  return typeof answer === 'string' ? answer : JSON.stringify(answer);
}

/** Never inside a character. */
function cutUp(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    const isSplit = /[\ud800-\udbff]/.test(text[from + PIECE_CHARS - 1] ?? '');
    const to = from + PIECE_CHARS - (isSplit ? 1 : 0);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

/** One id for each call of a conversation, whichever model of a chain asks. */
function toolCallsOf(
  calls: readonly { readonly name: string; readonly arguments: JsonObject }[],
  { model, ordinal }: ModelCall,
): readonly ToolCall[] {
  const speaker = model.replace(/^.*\//, '').replaceAll(/[^\w-]/g, '_');
  return calls.map((each, index) => ({
    id: `call_${speaker.slice(0, 20)}_${ordinal}_${index}`,
    name: each.name,
    arguments: each.arguments,
  }));
}
