/**
 * The time that our call of a model adds to a bare one of the AI SDK, over loopback: at most 60 µs
 * at the median, and at least 0.9 of its requests per second with 32 at once. Both take turns in
 * small batches. The fastest of the batches' medians counts, since all other work of a machine only
 * ever adds.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { median, type Figure } from './measure.ts';
import { bareCall, ourCall, type Call } from './model-calls.ts';

const LIMIT_US = 60;
const LEAST_SHARE = 0.9;
const WARM_UP = 300;
const BATCHES = 40;
const BATCH = 15;
const AT_ONCE = 32;
const ROUNDS = 12;
const CALLS_AT_ONCE = 128;

interface Added extends Figure {
  readonly ratio: number;
}

export const name = 'model: a call beside a bare one of the AI SDK';

export async function run(): Promise<readonly Added[]> {
  const upstream = fork(join(import.meta.dirname, 'model-upstream.mjs'));
  try {
    const [port] = (await once(upstream, 'message')) as [number];
    const url = `http://127.0.0.1:${port}/v1`;
    const [bare, ours] = [bareCall(url), ourCall(url)];
    for (let call = 0; call < WARM_UP; call++) {
      await bare();
      await ours();
    }
    return [await added(bare, ours), await share(bare, ours)];
  } finally {
    upstream.disconnect();
  }
}

async function added(bare: Call, ours: Call): Promise<Added> {
  let [bareMs, oursMs] = [Infinity, Infinity];
  for (let batch = 0; batch < BATCHES; batch++) {
    // neither always runs second
    if (batch % 2 === 0) oursMs = Math.min(oursMs, await medianOf(ours));
    bareMs = Math.min(bareMs, await medianOf(bare));
    if (batch % 2 === 1) oursMs = Math.min(oursMs, await medianOf(ours));
  }
  const addedUs = (oursMs - bareMs) * 1000;
  return {
    name: `added at the median, to ${(bareMs * 1000).toFixed(0)} µs`,
    value: addedUs,
    unit: 'µs',
    limit: LIMIT_US,
    ratio: addedUs / LIMIT_US,
  };
}

async function medianOf(call: Call): Promise<number> {
  const times: number[] = [];
  for (let each = 0; each < BATCH; each++) {
    const start = performance.now();
    await call();
    times.push(performance.now() - start);
  }
  return median(times);
}

async function share(bare: Call, ours: Call): Promise<Added> {
  const shares: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const isOursFirst = round % 2 === 0;
    const first = await rate(isOursFirst ? ours : bare);
    const second = await rate(isOursFirst ? bare : ours);
    shares.push(isOursFirst ? first / second : second / first);
  }
  const value = median(shares);
  return {
    name: `share of its requests a second, ${AT_ONCE} at once`,
    value,
    unit: '×',
    limit: LEAST_SHARE,
    ratio: LEAST_SHARE / value,
  };
}

/** Calls per millisecond, with a fixed number of them open at any time. */
async function rate(call: Call): Promise<number> {
  let left = CALLS_AT_ONCE;
  const start = performance.now();
  const one = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return CALLS_AT_ONCE / (performance.now() - start);
}
