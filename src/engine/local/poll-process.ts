/**
 * Polls the store until another process has acted. Counts polls, not time: on a busy machine the
 * other process is slow as well.
 */
import { sleep, type EffectClock } from '../../effects/clock.ts';

const POLL_MS = 20;

/**
 * Enough for a process whose leg has ended to save its checkpoint and release its claim. A process
 * that has not acknowledged a message by then waits for an effect that does not stop.
 */
const MAX_POLLS = 250;

/** Returns the first value that `check` finds; undefined when the polls are used up. */
export async function pollProcess<T>(
  clock: EffectClock,
  check: () => Promise<T | undefined>,
): Promise<T | undefined> {
  for (let polls = 1; ; polls++) {
    const found = await check();
    if (found !== undefined || polls >= MAX_POLLS) return found;
    await sleep(clock, POLL_MS);
  }
}
