/**
 * Step budget of a check. It counts steps and not time, so that the same check ends the same way on every
 * machine and on every replay.
 */

/** Thrown when the budget is used up; `checkValue` catches it. */
export class OutOfSteps extends Error {
  override readonly name = 'OutOfSteps';
}

export interface Meter {
  spend(steps: number): void;
}

export function createMeter(steps: number): Meter {
  let left = steps;
  return {
    spend: (count) => {
      left -= count;
      if (left < 0) throw new OutOfSteps('The check takes too many steps');
    },
  };
}
