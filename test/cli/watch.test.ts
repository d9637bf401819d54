import { describe, expect, it } from 'vitest';
import { openEngine } from '../../src/engine/errand.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import type { ClaimOwner, RunStatusRow, RunStore } from '../../src/machine/ports/store-port.ts';
import { newOwner } from '../../src/engine/local/claim-owner.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';

const AT = '2026-03-01T12:00:00.000Z';
const RUNNING: RunStatusRow = { status: 'running', costUsdMicros: 0 };
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
    statusRow: RUNNING,
    owner,
    leaseMs: 60_000,
  });
  return { store, claim };
}

/** As `errand watch` follows it; `wait` is called in place of each wait. */
async function* follow(
  store: RunStore,
  wait: (ms: number) => Promise<unknown>,
  options: { readonly throughPauses?: boolean } = {},
): AsyncGenerator<readonly RunEvent[]> {
  const failed = Promise.withResolvers<never>();
  const after = (ms: number, fire: () => void): (() => void) => {
    wait(ms).then(fire, failed.reject);
    return () => undefined;
  };
  const runs = await openEngine({ store }, { now: Date.now, after });
  const batches = runs.follow('r', options);
  for (;;) {
    const next = await Promise.race([batches.next(), failed.promise]);
    if (next.done === true) return;
    yield next.value;
  }
}

describe('following a run', () => {
  it('yields new events while it waits, and ends with the leg', async () => {
    const { store, claim } = await storeWith(ALIVE);
    const waits: number[] = [];
    const types: string[] = [];
    const wait = async (ms: number): Promise<void> => {
      waits.push(ms);
      if (waits.length < 3) return;
      await store.append({ claim, seq: 2, events: [event(2, 'run:completed')] });
    };
    for await (const fresh of follow(store, wait)) types.push(...fresh.map(({ type }) => type));
    expect(types).toEqual(['run:started', 'run:completed']);
    expect(waits).toEqual([200, 200, 200]);
  });

  it('ends with a pause, unless it follows through pauses', async () => {
    const { store, claim } = await storeWith(ALIVE);
    const statusRow = { status: 'paused', costUsdMicros: 0 } as const;
    await store.append({ claim, seq: 2, events: [event(2, 'run:paused')], statusRow });
    const typesOf = async (throughPauses: boolean): Promise<string[]> => {
      const types: string[] = [];
      const resume = (): Promise<unknown> =>
        store.append({ claim, seq: 3, events: [event(3, 'run:completed')] });
      for await (const fresh of follow(store, resume, { throughPauses }))
        types.push(...fresh.map(({ type }) => type));
      return types;
    };
    expect(await typesOf(false)).toEqual(['run:started', 'run:paused']);
    expect(await typesOf(true)).toEqual(['run:started', 'run:paused', 'run:completed']);
  });

  it('ends when the process that ran it is gone', async () => {
    const { store } = await storeWith(DEAD);
    const seen: number[] = [];
    const never = (): Promise<never> => Promise.reject(new Error('there is nothing to wait for'));
    for await (const fresh of follow(store, never)) seen.push(...fresh.map(({ seq }) => seq));
    expect(seen).toEqual([1]);
  });
});
