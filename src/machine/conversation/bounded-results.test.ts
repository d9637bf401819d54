/** A long result is read in parts, none of which ends inside a character. */
import { expect, it } from 'vitest';
import { boundedMessages, readMore } from './bounded-results.ts';
import type { ModelMessage } from './model-message.ts';

const answered = (result: string): ModelMessage => ({
  role: 'tool',
  id: 'c',
  name: 'look',
  result,
  isError: false,
});

interface Part {
  readonly text: string;
  readonly next_offset?: number;
}

/** All parts, as a model reads them one after the other. */
function parts(result: string, maxChars: number): readonly string[] {
  const messages = [answered(result)];
  const [first] = boundedMessages(messages, maxChars);
  // true: each is what a part of a long text looks like
  let part = (first?.role === 'tool' ? first.result : undefined) as Part | undefined;
  const read: string[] = [];
  while (part !== undefined && read.push(part.text) < 100) {
    const { next_offset: offset } = part;
    if (offset === undefined) break;
    const call = { id: 'r', name: 'read_tool_output', arguments: { call: 'c', offset } };
    part = readMore(call, messages, maxChars) as Part | undefined;
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
  const messages = [answered('a😀b')];
  const call = { id: 'r', name: 'read_tool_output', arguments: { call: 'c', offset: 2 } };
  expect(readMore(call, messages, 10)).toMatchObject({ text: '😀b' });
});
