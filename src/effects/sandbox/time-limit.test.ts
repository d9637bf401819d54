/** The time limit counts the CPU time of the code, not the time that a busy machine keeps it waiting. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { limitTime, type CpuMeter } from './time-limit.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A worker that gets this share of a core, from `begunMs` of CPU time on. */
function meter(share: number, begunMs = 0): CpuMeter {
  const startMs = performance.now();
  return async () => begunMs + (performance.now() - startMs) * share;
}

/** The wall time at which it was over, in this long. */
async function overAtMs(cpuMs: CpuMeter, withinMs: number): Promise<number | undefined> {
  const startMs = performance.now();
  let over: number | undefined;
  const stop = limitTime(1000, cpuMs, () => (over = performance.now() - startMs));
  await vi.advanceTimersByTimeAsync(withinMs);
  stop();
  return over;
}

describe('the time limit', () => {
  it('is over after a second of a core', async () => {
    expect(await overAtMs(meter(1), 5000)).toBe(1000);
  });

  it('does not count what earlier jobs of the worker used', async () => {
    expect(await overAtMs(meter(1, 50_000), 5000)).toBe(1000);
  });

  it('lasts as much longer as the machine is busy with other work', async () => {
    const over = await overAtMs(meter(0.1), 20_000);
    expect(over).toBeGreaterThanOrEqual(9900);
    expect(over).toBeLessThanOrEqual(10_100);
  });

  it('ends what gets no time at all', async () => {
    expect(await overAtMs(meter(0), 90_000)).toBe(60_000);
  });

  it('ends what cannot say how much it used', async () => {
    expect(await overAtMs(() => new Promise(() => undefined), 90_000)).toBe(60_000);
  });

  it('leaves a worker that is over to its own report', async () => {
    const gone = () => Promise.reject(new Error('it is over'));
    expect(await overAtMs(gone, 50_000)).toBeUndefined();
  });

  it('is stopped by a result', async () => {
    const onOver = vi.fn<() => void>();
    const stop = limitTime(1000, meter(1), onOver);
    await vi.advanceTimersByTimeAsync(500);
    stop();
    await vi.advanceTimersByTimeAsync(90_000);
    expect(onOver).not.toHaveBeenCalled();
  });
});
