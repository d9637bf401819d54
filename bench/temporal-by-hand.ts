/**
 * A workflow as somebody would write it for Temporal without Errand: the same activities, no
 * machine.
 */
import { proxyActivities } from '@temporalio/workflow';
import type { EffectDone, EffectTask } from '../src/engine/temporal/messages.ts';

const { errandEffect } = proxyActivities<{
  errandEffect: (task: EffectTask) => Promise<EffectDone>;
}>({
  startToCloseTimeout: 3_600_000,
  heartbeatTimeout: 300_000,
  retry: { maximumAttempts: 1 },
});

export async function steps(tasks: readonly EffectTask[]): Promise<unknown> {
  let last: unknown;
  for (const task of tasks) last = (await errandEffect(task)).output;
  return last;
}

export async function fanOut(tasks: readonly EffectTask[], atOnce: number): Promise<unknown[]> {
  const outputs: unknown[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < tasks.length; at = next++) {
      const task = tasks[at];
      if (task !== undefined) outputs[at] = (await errandEffect(task)).output;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return outputs;
}
