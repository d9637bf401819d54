/** A long result is read in parts, none of which ends inside a character. */
import { expect, it } from 'vitest';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { boundedMessages, readMore } from './bounded-results.ts';
import type { ModelMessage } from './model-message.ts';

/** All parts, as a model reads them one after the other. */
function parts(result: string, maxChars: number): readonly string[] {
  const messages: readonly ModelMessage[] = [{ role: 'tool', id: 'c', name: 'look', result }];
  const [first] = boundedMessages(messages, maxChars);
  const read: string[] = [];
  let part: JsonValue | undefined = first?.role === 'tool' ? first.result : undefined;
  while (typeof part === 'object' && part !== null && !Array.isArray(part)) {
    read.push(String((part as { readonly text?: JsonValue }).text));
    const { next_offset: offset } = part as { readonly next_offset?: JsonValue };
    if (offset === undefined || read.length > 100) break;
    part = readMore(
      { id: 'r', name: 'read_tool_output', arguments: { call: 'c', offset } },
      messages,
      maxChars,
    );
  }
  return read;
}

it.each([1, 2, 3, 4, 5])('in parts of %i characters', (maxChars) => {
  const text = 'a😀b😀😀c😀';
  const read = parts(text, maxChars);
  expect(read.join('')).toBe(text);
  expect(read.filter((part) => !part.isWellFormed())).toEqual([]);
});

it('from an offset inside a character', () => {
  const messages: readonly ModelMessage[] = [
    { role: 'tool', id: 'c', name: 'look', result: 'a😀b' },
  ];
  const call = { id: 'r', name: 'read_tool_output', arguments: { call: 'c', offset: 2 } };
  expect(readMore(call, messages, 10)).toMatchObject({ text: '😀b' });
});
