import { expect, test } from 'vitest';
import { steadyClock } from './clock.ts';

/** A wall clock that can be set, and the elapsed time, which does not depend on it. */
function setting() {
  const time = { wallMs: 1_000_000, elapsedMs: 0 };
  const now = steadyClock(
    () => time.wallMs,
    () => time.elapsedMs,
  );
  return {
    now,
    pass: (ms: number) => {
      time.wallMs += ms;
      time.elapsedMs += ms;
      return now();
    },
    set: (ms: number) => {
      time.wallMs += ms;
      return now();
    },
  };
}

test('a clock that is set back continues from where it was', () => {
  const { now, pass, set } = setting();
  expect(pass(500)).toBe(1_000_500);
  expect(set(-3_600_000)).toBe(1_000_500);
  expect(pass(2000)).toBe(1_002_500);
  expect(set(-60_000)).toBe(1_002_500);
  expect(pass(10)).toBe(1_002_510);
  // and is right again when it is set right
  expect(set(3_660_000)).toBe(1_002_510);
  expect(set(3_600_000)).toBe(4_602_510);
  expect(now()).toBe(4_602_510);
});

test('a jump forward is accepted, and a small correction never puts the clock behind', () => {
  const { pass, set } = setting();
  expect(set(86_400_000)).toBe(87_400_000);
  expect(set(-300)).toBe(87_400_000);
  expect(pass(100)).toBe(87_400_000);
  expect(pass(300)).toBe(87_400_100);
});
