/**
 * W5: the cost of `withResilience` around a call that succeeds, beside the same promises written by
 * hand and beside packages that make some of them. Processor time of sequential calls.
 */
import { withResilience } from '../../src/judging.ts';
import type { ComparedBench, Goal, Peer, Row } from '../result.ts';
import { loadPeer, peerVersion } from './peers.ts';
import { inShuffledRounds, type Way } from '../rounds.ts';

const CALLS = 5000;
const ROUNDS = 40;
const DEADLINE_MS = 30_000;
/**
 * Node keeps a list of timers for each duration; our timer that keeps our list must not help this
 * one.
 */
const BY_HAND_MS = DEADLINE_MS + 1;

const ANSWER = { text: 'A refund.' };
const call = async (): Promise<typeof ANSWER> => ANSWER;

type Work = () => PromiseLike<unknown>;

export const bench: ComparedBench = {
  name: 'door: withResilience',
  compare: async ({ withPeers }) => {
    const peers: Readonly<Record<string, { work: Work; version: string }>> = withPeers
      ? { 'p-retry + opossum': retryAndBreaker(), cockatiel: cockatiel() }
      : {};
    const ways: Readonly<Record<string, Work>> = {
      byHand: () => callByHand('by-hand'),
      plain: () => withResilience(call),
      breaker: () => withResilience(call, { breaker: 'bench', retry: { max: 2 } }),
      deadline: () =>
        withResilience(call, { breaker: 'bench', retry: { max: 2 }, deadlineMs: DEADLINE_MS }),
      ...Object.fromEntries(Object.entries(peers).map(([name, { work }]) => [name, work])),
    };
    for (const work of Object.values(ways)) await usPerCall(work);
    const timed = Object.entries(ways).map(([name, work]): [string, Way] => [
      name,
      () => usPerCall(work),
    ]);
    const rounds = await inShuffledRounds(ROUNDS, Object.fromEntries(timed));
    const limit = { is: 'retry, breaker and deadline by hand', rounds: rounds['byHand'] ?? [] };
    const beside = Object.entries(peers).map(([name, { version }]): Peer => ({
      name,
      version,
      rounds: rounds[name] ?? [],
    }));
    const row = (name: string, of: string, goal: Goal): Row => ({
      work: 'W5',
      name,
      unit: 'µs',
      ours: rounds[of] ?? [],
      limit,
      goal,
    });
    return {
      rows: [
        row('`withResilience` without options', 'plain', { times: 1 }),
        row('with a retry and a breaker', 'breaker', { times: 1 }),
        {
          ...row('with a retry, a breaker and a deadline', 'deadline', { times: 1 }),
          peers: beside,
        },
      ],
    };
  },
};

async function usPerCall(work: Work): Promise<number> {
  const start = process.cpuUsage();
  for (let index = 0; index < CALLS; index++) await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / CALLS;
}

const counts = new Map<string, { failures: number; openUntilMs: number }>();

/** The code of an application that does not want a package for it. */
async function callByHand(breaker: string): Promise<unknown> {
  const state = counts.get(breaker) ?? { failures: 0, openUntilMs: 0 };
  if (state.openUntilMs > Date.now()) throw new Error(`${breaker} is open`);
  for (let attempt = 1; ; attempt++) {
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        controller.abort();
        reject(new Error('The deadline passed'));
      }, BY_HAND_MS);
    });
    try {
      const value = await Promise.race([call(), late]);
      state.failures = 0;
      counts.set(breaker, state);
      return value;
    } catch (error) {
      state.failures++;
      if (attempt > 2) throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function retryAndBreaker(): { work: Work; version: string } {
  const retry = (
    loadPeer('p-retry') as { default: (work: Work, options: object) => Promise<unknown> }
  ).default;
  const Breaker = loadPeer('opossum') as new (
    work: Work,
    options: object,
  ) => { fire(): Promise<unknown> };
  const breaker = new Breaker(call, { timeout: DEADLINE_MS });
  return {
    work: () => retry(() => breaker.fire(), { retries: 2 }),
    version: `${peerVersion('p-retry')} + ${peerVersion('opossum')}`,
  };
}

function cockatiel(): { work: Work; version: string } {
  // only the parts in use are declared
  const { retry, handleAll, circuitBreaker, ConsecutiveBreaker, timeout, TimeoutStrategy, wrap } =
    loadPeer('cockatiel') as {
      retry: (on: unknown, options: object) => unknown;
      handleAll: unknown;
      circuitBreaker: (on: unknown, options: object) => unknown;
      ConsecutiveBreaker: new (failures: number) => unknown;
      timeout: (ms: number, strategy: unknown) => unknown;
      TimeoutStrategy: { Aggressive: unknown };
      wrap: (...policies: unknown[]) => { execute(work: Work): Promise<unknown> };
    };
  const policy = wrap(
    retry(handleAll, { maxAttempts: 2 }),
    circuitBreaker(handleAll, { halfOpenAfter: 60_000, breaker: new ConsecutiveBreaker(5) }),
    timeout(DEADLINE_MS, TimeoutStrategy.Aggressive),
  );
  return { work: () => policy.execute(call), version: peerVersion('cockatiel') };
}
