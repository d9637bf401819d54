/**
 * W6: the time that our call of a model adds to a bare one of the AI SDK, over loopback. Both run
 * once per pair, in a random order, so that other work of the machine disturbs both alike.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { median } from '../measure.ts';
import { bareCall, ourCall, type Call } from '../model-calls.ts';
import type { ComparedBench } from '../result.ts';
import { shuffled } from '../rounds.ts';

const WARM_UP = 400;
const ROUNDS = 40;
const PAIRS = 50;

const BENCH = dirname(import.meta.dirname);

export const bench: ComparedBench = {
  name: 'door: a model call over loopback',
  compare: async () => {
    const upstream = fork(join(BENCH, 'model-upstream.mjs'));
    try {
      const [port] = (await once(upstream, 'message')) as [number];
      const url = `http://127.0.0.1:${port}/v1`;
      const calls = { bare: bareCall(url), ours: ourCall(url) };
      for (let call = 0; call < WARM_UP; call++) {
        await calls.bare();
        await calls.ours();
      }
      const wall = { bare: [] as number[], ours: [] as number[] };
      const cpu = { bare: [] as number[], ours: [] as number[] };
      for (let round = 0; round < ROUNDS; round++) {
        const spent = await pairs(calls);
        for (const way of ['bare', 'ours'] as const) {
          wall[way].push(median(spent.map((pair) => pair[way].wallUs)));
          cpu[way].push(spent.reduce((sum, pair) => sum + pair[way].cpuUs, 0) / spent.length);
        }
      }
      const row = (by: string, { bare, ours }: typeof wall) => ({
        work: 'W6',
        name: `a model call over loopback, ${by}`,
        unit: 'µs' as const,
        ours,
        limit: { is: 'the AI SDK alone', rounds: bare },
        goal: { plus: 60 },
      });
      return {
        rows: [row('median by the clock', wall), row('CPU of the process', cpu)],
      };
    } finally {
      upstream.disconnect();
    }
  },
};

interface Spent {
  readonly wallUs: number;
  readonly cpuUs: number;
}

async function pairs(
  calls: Readonly<Record<'bare' | 'ours', Call>>,
): Promise<readonly Readonly<Record<'bare' | 'ours', Spent>>[]> {
  const spent: Record<'bare' | 'ours', Spent>[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const both: Partial<Record<'bare' | 'ours', Spent>> = {};
    for (const way of shuffled(['bare', 'ours'] as const)) both[way] = await spentOn(calls[way]);
    const { bare, ours } = both;
    if (bare !== undefined && ours !== undefined) spent.push({ bare, ours });
  }
  return spent;
}

async function spentOn(call: Call): Promise<Spent> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await call();
  const wallUs = (performance.now() - start) * 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { wallUs, cpuUs: user + system };
}
