/** The end of a leg that paused: each command that it offers does what it says. */
import { describe, expect, it } from 'vitest';
import type { EventBody, RunEvent, Waiting } from '../../machine/state/events.ts';
import { pausedText } from './ending-text.ts';

const A = { node: 'a', path: 'a' };
const UNTIL = '2026-01-01T00:10:00.000Z';
const WAITING: Waiting = { reason: 'time', ...A, until: UNTIL, all: [] };

function text(...bodies: readonly EventBody[]): string {
  const events = bodies.map((body, index): RunEvent => ({
    seq: index + 1,
    run: 'r',
    at: UNTIL,
    ...body,
  }));
  return pausedText('r', WAITING, { events, nowMs: Date.parse(UNTIL) - 60_000 });
}

describe('a run that waits for a time', () => {
  it('cannot be waited for at a park: a park pauses the run again', () => {
    const parked = text(
      { type: 'node:started', ...A, attempt: 0 },
      { type: 'route:taken', ...A, move: 'park', rule: 0, bucket: 'error', until: UNTIL },
    );
    expect(parked).not.toContain('--wait');
    expect(parked).toContain('--now');
    // the leg paused where the one before it had parked
    expect(text()).not.toContain('--wait');
  });

  it('can be waited for at a wait node, which --now does not cut', () => {
    const waits = text({ type: 'node:started', ...A, attempt: 0 });
    expect(waits).toContain('errand resume r --wait');
    expect(waits).not.toContain('--now');
  });
});
