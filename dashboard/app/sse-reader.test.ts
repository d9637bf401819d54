import { expect, it } from 'vitest';
import { frame } from '../../src/server/stream/sse.ts';
import { SseReader, type SseEvent } from './sse-reader.ts';

const SENT = [
  'retry: 1000\n\n',
  frame({ id: 7, event: 'node:started', data: { path: 'a', text: 'zwölf\n\ndata: 1' } }),
  ': ping\n\n',
  frame({ event: 'chunk', data: { text: '🙂' } }),
].join('');

const EXPECTED: readonly SseEvent[] = [
  { name: 'node:started', id: '7', data: { path: 'a', text: 'zwölf\n\ndata: 1' } },
  { name: 'chunk', id: '7', data: { text: '🙂' } },
];

it('reads the same events wherever the network cuts them', () => {
  const bytes = new TextEncoder().encode(SENT);
  for (let at = 0; at <= bytes.length; at++) {
    const taken: SseEvent[] = [];
    const reader = new SseReader((event) => taken.push(event));
    reader.read(bytes.slice(0, at));
    reader.read(bytes.slice(at));
    expect(taken, `cut at ${at}`).toEqual(EXPECTED);
  }
});

it('forgets what a connection left unfinished, and keeps the number of the last event', () => {
  const taken: SseEvent[] = [];
  const reader = new SseReader((event) => taken.push(event));
  const bytes = new TextEncoder().encode(SENT);
  reader.read(bytes.slice(0, -12));
  reader.begin();
  reader.read(new TextEncoder().encode(frame({ event: 'bye', data: {} })));
  expect(taken.map(({ name, id }) => [name, id])).toEqual([
    ['node:started', '7'],
    ['bye', '7'],
  ]);
});
