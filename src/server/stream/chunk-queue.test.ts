import { expect, test } from 'vitest';
import { ChunkQueue } from './chunk-queue.ts';

const about = { run: 'r', node: 'n', path: 'n', target: 'm' };
const text = (delta: string, attempt = 0) => ({
  ...about,
  value: { type: 'text', attempt, delta },
});
const retracted = (attempt = 0) => ({ ...about, value: { type: 'retracted', attempt } });

test('text comes after the event that was stored before it, and before the next one', () => {
  const queue = new ChunkQueue();
  queue.add(text('a'), 3);
  queue.add(text('b'), 4);
  expect(queue.takeBefore(3)).toEqual([]);
  expect(queue.takeBefore(4)).toEqual([
    { event: 'chunk', data: { path: 'n', attempt: 0, text: 'a' } },
  ]);
  expect(queue.takeBefore(5)).toHaveLength(1);
});

test('text that was seen is taken back, text that was not is never sent', () => {
  const queue = new ChunkQueue();
  queue.add(text('a'), 1);
  expect(queue.takeBefore(2)).toHaveLength(1);
  queue.add(text('b'), 1);
  expect(queue.add(retracted(), 1)).toBe(true);
  expect(queue.takeBefore(2)).toEqual([
    { event: 'chunk.retracted', data: { path: 'n', attempt: 0 } },
  ]);
  queue.add(text('c', 1), 1);
  expect(queue.add(retracted(1), 1)).toBe(false);
  expect(queue.takeBefore(9)).toEqual([]);
});

test('a reader that stands still loses text, and not that it was taken back', () => {
  const queue = new ChunkQueue();
  queue.add(text('a'), 1);
  queue.takeBefore(2);
  for (let n = 0; n < 1000; n++) queue.add(text('b', 1), 1);
  expect(queue.add(text('c', 1), 1)).toBe(false);
  expect(queue.add(retracted(), 1)).toBe(true);
  const left = queue.takeBefore(2);
  expect(left).toHaveLength(257);
  expect(left.at(-1)?.event).toBe('chunk.retracted');
});
