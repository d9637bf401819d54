import { expect, test } from 'vitest';
import { SharedTimer } from './shared-timer.ts';
import { VirtualClock } from '../../rehearsal/world/virtual-clock.ts';

/** A clock that counts how often it is called. */
class Counted extends VirtualClock {
  asked = 0;

  override after(ms: number, call: () => void): () => void {
    this.asked++;
    return super.after(ms, call);
  }
}

test('calls back once at the time that was set last, and never after a clear', async () => {
  const clock = new VirtualClock(0);
  const timer = new SharedTimer(clock);
  const called: [string, number][] = [];
  const ring = (name: string) => () => void called.push([name, clock.now()]);
  timer.set('one', 50, ring('early'));
  timer.set('two', 40, ring('two'));
  timer.set('one', 90, ring('one'));
  timer.set('gone', 60, ring('gone'));
  timer.clear('gone');
  await clock.passUntil(new Promise(() => undefined));
  expect(called).toEqual([
    ['two', 40],
    ['one', 90],
  ]);
});

test('what was replaced costs nothing, however often a run asks anew', async () => {
  const clock = new Counted(0);
  const timer = new SharedTimer(clock);
  const rung = Promise.withResolvers<void>();
  timer.set('other', 1_000_000, () => undefined);
  for (let step = 1; step <= 10_000; step++) {
    timer.clear('run');
    timer.set('run', step, () => rung.resolve());
  }
  await clock.passUntil(rung.promise);
  expect(clock.now()).toBe(10_000);
  expect(clock.asked).toBeLessThan(500);
});

test('a time that passes while the machine sleeps, or by a clock that is set forward, is noticed', () => {
  let nowMs = 0;
  const armed: { readonly ms: number; readonly fire: () => void }[] = [];
  const timer = new SharedTimer({
    now: () => nowMs,
    after: (ms, fire) => {
      armed.push({ ms, fire });
      return () => undefined;
    },
  });
  const called: number[] = [];
  const HOUR_MS = 3_600_000;
  timer.set('run', HOUR_MS, () => void called.push(nowMs));
  const [first] = armed;
  expect(first?.ms).toBeLessThanOrEqual(60_000);
  // little time of the timer has passed, and much by the clock
  nowMs = 2 * HOUR_MS;
  first?.fire();
  expect(called).toEqual([nowMs]);
});
