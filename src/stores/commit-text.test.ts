import { describe, expect, it } from 'vitest';
import { commitEvents, commitText } from './commit-text.ts';

const place = { run: 'run-1', seq: 7 };
const row = (index: number) => ({ seq: 7 + index, run: 'run-1', at: '2026-11-10T12:00:00.000Z' });
const effect = { key: 'f3b1', type: 'call', target: 'lookup' };
const inNode = { node: 'a', path: 'a' };

function roundTrip(events: readonly object[]): object[] {
  return commitEvents(commitText(place, events), place);
}

/** Events that a step of a `call` node stores. */
const step = [
  { ...row(0), type: 'effect:succeeded', ...inNode, effect, output: { n: 1 } },
  { ...row(1), type: 'node:completed', ...inNode, output: { n: 1 } },
  { ...row(2), type: 'route:taken', ...inNode, move: 'to', rule: 1, bucket: 'success', to: 'b' },
  { ...row(3), type: 'node:started', node: 'b', path: 'each[1]/b', attempt: 0 },
  { ...row(4), type: 'effect:requested', node: 'b', path: 'each[1]/b', effect, attempt: 0 },
];

describe('the text of a commit', () => {
  it('gives the same events again, their keys in the same order', () => {
    expect(JSON.stringify(roundTrip(step))).toBe(JSON.stringify(step));
  });

  it('has no keys of common shapes, and nothing that the row has', () => {
    const text = commitText(place, step);
    expect(text).not.toMatch(/run-1|"seq"|"node"|"path"|"effect:/);
    expect(text.length).toBeLessThan(JSON.stringify(step).length / 3);
  });

  it('has an output once that the next event repeats', () => {
    const output = { text: 'long' };
    const events = [
      { ...row(0), type: 'effect:succeeded', ...inNode, effect, output },
      { ...row(1), type: 'node:completed', ...inNode, output },
    ];
    expect(commitText(place, events).split('long')).toHaveLength(2);
    expect(roundTrip(events)).toEqual(events);
  });

  it.each([null, 0, '', false, []])('keeps an output of %j, repeated or not', (output) => {
    const events = [
      { ...row(0), type: 'node:completed', ...inNode, output },
      { ...row(1), type: 'node:completed', ...inNode, output },
      { ...row(2), type: 'node:completed', ...inNode, output: 'other' },
    ];
    expect(roundTrip(events)).toEqual(events);
  });

  it('keeps an event of another shape, and with keys that are not known', () => {
    const events = [
      { ...row(0), type: 'node:completed', ...inNode, output: 1, state: { a: 1 } },
      { ...row(1), type: 'node:started', ...inNode, attempt: 0, members: { keys: ['x'] } },
      {
        ...row(2),
        type: 'effect:requested',
        ...inNode,
        effect: { ...effect, more: 1 },
        attempt: 0,
      },
      { ...row(3), type: 'run:completed', output: 1 },
    ];
    expect(roundTrip(events)).toEqual(events);
  });

  it('leaves out what is undefined, as JSON does', () => {
    const events = [{ ...row(0), type: 'node:started', ...inNode, attempt: undefined }];
    expect(roundTrip(events)).toEqual([{ ...row(0), type: 'node:started', ...inNode }]);
  });

  it.each([
    ['no number', [{ type: 'node:started' }]],
    ['another run', [{ ...row(0), run: 'run-2', type: 'node:started', ...inNode, attempt: 0 }]],
    ['another number', [{ ...row(1), type: 'node:started', ...inNode, attempt: 0 }]],
    [
      'two times',
      [
        { ...row(0), type: 'a' },
        { ...row(1), at: 'later', type: 'b' },
      ],
    ],
  ])('has whole events where there is %s', (_, events) => {
    expect(commitText(place, events)).toBe(JSON.stringify(events));
    expect(roundTrip(events)).toEqual(events);
  });

  it('has whole events where it is the first of its run, and names the run', () => {
    const events = [{ ...row(0), seq: 1, type: 'run:started', workflow: 'w' }];
    expect(commitText({ run: 'run-1', seq: 1 }, events)).toBe(JSON.stringify(events));
  });

  it('reads what earlier versions wrote', () => {
    expect(commitEvents(JSON.stringify(step), place)).toEqual(step);
  });

  it('refuses a shape that it does not know', () => {
    expect(() => commitEvents('["2026-11-10T12:00:00.000Z",[999,"a"]]', place)).toThrow(
      'unknown shape',
    );
  });
});
