/** A store that several Errands of one test share, and workflows to carry on. */
import { raise } from '../../../errors/thrown/errand-error.ts';
import type { RunStore } from '../../../machine/ports/store-port.ts';
import { VirtualClock } from '../../../rehearsal/world/virtual-clock.ts';
import { openMemoryStore } from '../../../stores/memory.ts';
import { storeWith } from '../../../stores/watched-store.cases.ts';
import { workflow } from '../../../workflow/authoring/define.ts';
import { openEngine, type Engine } from '../../errand.ts';
import type { EngineOptions } from '../../open-backend.ts';

export const HOUR_MS = 3_600_000;

export const PARKS = workflow({
  name: 'parks',
  entryPoint: 'work',
  nodes: [
    {
      name: 'work',
      type: 'call',
      function: 'work',
      raises: ['bank.closed'],
      routes: [{ to: '$end' }, { onError: 'bank.closed', park: { for: '1h' } }],
    },
  ],
});

export const ASKS = workflow({
  name: 'asks',
  entryPoint: 'ask',
  nodes: [
    {
      name: 'ask',
      type: 'human_gate',
      prompt: 'Go on?',
      options: [{ value: 'yes' }, { value: 'no' }],
      timeout: '1h',
      default: 'yes',
    },
  ],
});

export const WORKS = workflow({
  name: 'works',
  entryPoint: 'work',
  nodes: [
    {
      name: 'work',
      type: 'call',
      function: 'work',
      idempotent: true,
      routes: [{ to: 'tell' }],
    },
    { name: 'tell', type: 'call', function: 'tell' },
  ],
});

export function closed(): never {
  return raise('bank.closed', 'The bank is closed');
}

export interface Place {
  readonly clock: VirtualClock;
  readonly store: RunStore;
  /** A process of its own; closing it leaves the store open. */
  readonly open: (options?: EngineOptions) => Promise<Engine>;
  readonly pass: (ms: number) => Promise<void>;
  readonly statuses: () => Promise<readonly string[]>;
}

export function newPlace(): Place {
  const clock = new VirtualClock(Date.parse('2026-11-17T06:00:00.000Z'));
  const store = openMemoryStore({ now: () => clock.now() });
  const workflows = [PARKS, ASKS, WORKS];
  return {
    clock,
    store,
    open: (options = {}) =>
      openEngine({ store: withoutClose(store), workflows, ...options }, clock),
    pass: async (ms) => void (await clock.passUntil(clock.sleep(ms))),
    statuses: async () => (await store.list()).map(({ status }) => status),
  };
}

function withoutClose(store: RunStore): RunStore {
  return storeWith(store, { close: () => Promise.resolve() });
}
