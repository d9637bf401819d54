import { describe, expect, it } from 'vitest';
import { foldView, beginView } from '../../../src/history/run-view.ts';
import type { RunEvent } from '../../../src/machine/state/events.ts';
import { boxOf, boxStates, successKey, takenRoutes } from './box-states.ts';

const AT = '2026-11-17T10:00:00.000Z';

function viewOf(...bodies: readonly object[]) {
  const events = bodies.map((body, index) => ({ seq: index + 1, run: 'r', at: AT, ...body }));
  return foldView(
    beginView({ run: 'r', workflow: 'w', startedAt: AT }),
    // made by hand, with the fields that the reducer reads
    events as unknown as readonly RunEvent[],
  );
}

describe('the boxes of a graph', () => {
  it('stand for the steps of all members, and for handlers that run inside a group', () => {
    const known = new Set(['each', 'each/one', 'sorry']);
    expect(boxOf('each[3]/one', known)).toBe('each/one');
    expect(boxOf('each[3]/sorry', known)).toBe('sorry');
    expect(boxOf('gone', known)).toBe('gone');
  });

  it('have the status of the step that matters most, with counts', () => {
    const view = viewOf(
      { type: 'run:started', workflow: 'w', input: {} },
      { type: 'node:started', node: 'one', path: 'each[0]/one', attempt: 0 },
      { type: 'node:completed', node: 'one', path: 'each[0]/one', output: null },
      {
        type: 'route:taken',
        node: 'one',
        path: 'each[0]/one',
        move: 'to',
        to: '$end',
        rule: 0,
        bucket: 'success',
      },
      { type: 'node:started', node: 'one', path: 'each[1]/one', attempt: 0 },
    );
    const known = new Set(['each', 'each/one']);
    expect(boxStates(view, known).get('each/one')).toMatchObject({
      status: 'running',
      steps: 2,
      counts: { completed: 1, running: 1 },
      isBad: false,
    });
    expect([...takenRoutes(view, known).success]).toEqual([successKey('each/one', { rule: 0 })]);
  });
});
