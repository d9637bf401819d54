import { describe, expect, it } from 'vitest';
import { follow } from '../../src/cli/commands/watch.ts';
import type { RunEvent } from '../../src/machine/events.ts';
import type { ClaimOwner, RunStanding } from '../../src/machine/store-port.ts';
import { newOwner } from '../../src/drivers/owner.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';

const AT = '2026-03-01T12:00:00.000Z';
const RUNNING: RunStanding = { status: 'running', costUsdMicros: 0 };
const ALIVE: ClaimOwner = newOwner('me');
/** No process has this id: it is above what any system gives. */
const DEAD: ClaimOwner = { ...ALIVE, pid: 2 ** 30 };

function event(seq: number, type: 'run:started' | 'run:paused' | 'run:completed'): RunEvent {
  if (type === 'run:paused') {
    const waiting = { reason: 'person', all: [] } as const;
    return { seq, run: 'r', at: AT, type, waiting };
  }
  const body =
    type === 'run:started'
      ? ({ type, workflow: 'w', input: {} } as const)
      : ({ type, output: null } as const);
  return { seq, run: 'r', at: AT, ...body };
}

async function storeWith(owner: ClaimOwner) {
  const store = openMemoryStore({ now: Date.now });
  const { claim } = await store.create({
    id: 'r',
    workflow: 'w',
    file: null,
    plan: '{}',
    input: {},
    startedAt: AT,
    events: [event(1, 'run:started')],
    standing: RUNNING,
    owner,
    leaseMs: 60_000,
  });
  return { store, claim };
}

describe('following a run', () => {
  it('gives what is written while it waits, and ends with the leg', async () => {
    const { store, claim } = await storeWith(ALIVE);
    const waits: number[] = [];
    const types: string[] = [];
    const wait = async (ms: number): Promise<void> => {
      waits.push(ms);
      if (waits.length < 3) return;
      await store.append({ claim, seq: 2, events: [event(2, 'run:completed')] });
    };
    for await (const fresh of follow(store, 'r', wait))
      types.push(...fresh.map(({ type }) => type));
    expect(types).toEqual(['run:started', 'run:completed']);
    expect(waits).toEqual([200, 200, 200]);
  });

  it('ends with a pause, unless it is asked to wait it out', async () => {
    const { store, claim } = await storeWith(ALIVE);
    const standing = { status: 'paused', costUsdMicros: 0 } as const;
    await store.append({ claim, seq: 2, events: [event(2, 'run:paused')], standing });
    const typesOf = async (throughPauses: boolean): Promise<string[]> => {
      const types: string[] = [];
      const resume = (): Promise<unknown> =>
        store.append({ claim, seq: 3, events: [event(3, 'run:completed')] });
      for await (const fresh of follow(store, 'r', resume, { throughPauses }))
        types.push(...fresh.map(({ type }) => type));
      return types;
    };
    expect(await typesOf(false)).toEqual(['run:started', 'run:paused']);
    expect(await typesOf(true)).toEqual(['run:started', 'run:paused', 'run:completed']);
  });

  it('ends when the process that carried it on is gone', async () => {
    const { store } = await storeWith(DEAD);
    const seen: number[] = [];
    const never = (): Promise<never> => Promise.reject(new Error('there is nothing to wait for'));
    for await (const fresh of follow(store, 'r', never)) seen.push(...fresh.map(({ seq }) => seq));
    expect(seen).toEqual([1]);
  });
});
