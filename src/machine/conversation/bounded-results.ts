/**
 * Long tool results: the model reads each one up to a limit, and asks for the rest with a built-in
 * tool. The conversation keeps the whole result, so a crash loses nothing.
 */
import { textOrJson, isPlainObject, type JsonObject } from '../../errors/support/safe-json.ts';
import type { ModelMessage, ModelTool, ToolCall } from './model-message.ts';
import { READ_OUTPUT } from '../../workflow/plan/built-in-tools.ts';

export const READ_TOOL: ModelTool = {
  name: READ_OUTPUT,
  description: 'Reads more of a tool result that was too long, from an offset in characters.',
  inputSchema: {
    type: 'object',
    properties: { call: { type: 'string' }, offset: { type: 'integer', minimum: 0 } },
    required: ['call', 'offset'],
  },
};

/** The messages as the model reads them. */
export function boundedMessages(
  messages: readonly ModelMessage[],
  maxChars: number,
): readonly ModelMessage[] {
  return messages.map((message) => {
    if (message.role !== 'tool' || message.name === READ_OUTPUT) return message;
    const text = textOrJson(message.result);
    return text.length <= maxChars
      ? message
      : { ...message, result: { call: message.id, ...partOf(text, 0, maxChars) } };
  });
}

/** The part of an earlier result that a call asks for; undefined where there is no such result. */
export function readMore(
  { arguments: args }: ToolCall,
  messages: readonly ModelMessage[],
  maxChars: number,
): JsonObject | undefined {
  if (!isPlainObject(args)) return undefined;
  const { call, offset } = args;
  // some providers repeat ids in every turn: an id means its latest result
  const asked = messages.findLast(
    (each) => each.role === 'tool' && each.id === call && each.name !== READ_OUTPUT,
  );
  if (asked?.role !== 'tool' || typeof offset !== 'number' || !(offset >= 0)) return undefined;
  return partOf(textOrJson(asked.result), Math.floor(offset), maxChars);
}

/** Returns at least one character, even one of two UTF-16 units. */
function partOf(text: string, offset: number, maxChars: number): JsonObject {
  const from = charStart(text, offset);
  const end = charStart(text, Math.min(text.length, from + maxChars));
  const to = end > from ? end : Math.min(text.length, from + 2);
  const next = to < text.length ? { next_offset: to, read_more_with: READ_OUTPUT } : {};
  return { text: text.slice(from, to), total_chars: text.length, ...next };
}

/** Where the character at an index begins. */
function charStart(text: string, index: number): number {
  const isInside = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(index - 1, index + 1));
  return index > 0 && isInside ? index - 1 : index;
}
