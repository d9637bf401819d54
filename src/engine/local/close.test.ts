/** A close waits for what holds a claim: the store must be open until the claim is released. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RunStore } from '../../machine/ports/store-port.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import type { RunHandle } from '../backend.ts';
import { createEffectRunner } from '../run/effect-runner.ts';
import { LocalBackend } from './local-backend.ts';

const PLAN = workflow({
  name: 'gated',
  entryPoint: 'gate',
  nodes: [
    { name: 'gate', type: 'human_gate', prompt: 'Go?', options: [{ label: 'Yes', value: 'yes' }] },
  ],
}).plan;

type Held = 'create' | 'claim' | 'messages' | 'append' | 'saveCheckpoint' | 'release';

interface Stage {
  readonly backend: LocalBackend;
  readonly store: RunStore;
  readonly warnings: readonly string[];
  /** What the store did, the held call when it was let through. */
  readonly calls: readonly string[];
  /** Holds the next call of this function; fulfilled once it is made. */
  readonly hold: (name: Held) => Promise<void>;
  readonly letThrough: () => void;
}

function newStage(): Stage {
  const whole = openMemoryStore({ now: Date.now });
  const calls: string[] = [];
  const warnings: string[] = [];
  const gate = Promise.withResolvers<void>();
  let held: { readonly name: Held; readonly made: () => void } | undefined;
  const store = new Proxy(whole, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...given: readonly unknown[]): unknown => {
        const call = (): unknown => Reflect.apply(value, target, given);
        if (name === 'close') {
          calls.push('closed');
          // what is in it is read after that
          return Promise.resolve();
        }
        if (name !== held?.name) return call();
        held.made();
        held = undefined;
        return gate.promise.then(() => {
          calls.push(name);
          return call();
        });
      };
    },
  });
  const backend = new LocalBackend({
    store,
    effects: createEffectRunner({ env: {}, directory: '.', functions: {} }),
    checkpointEvents: 1,
    onWarning: ({ kind }) => void warnings.push(kind),
  });
  return {
    backend,
    store: whole,
    warnings,
    calls,
    hold: (name) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = { name, made: resolve };
      return promise;
    },
    letThrough: () => gate.resolve(),
  };
}

const start = ({ backend }: Stage): Promise<RunHandle> => backend.start(PLAN, {}, { id: 'known' });
const resume = ({ backend }: Stage): Promise<RunHandle> => backend.resume('known');
const cancel = async ({ backend }: Stage): Promise<RunHandle> => {
  const handle = await backend.cancel('known', 'me');
  if (handle === undefined) throw new Error('Another process has the run');
  return handle;
};

test.each<[string, Held, (stage: Stage) => Promise<RunHandle>]>([
  ['a start', 'create', start],
  ['a start', 'saveCheckpoint', start],
  ['a start', 'release', start],
  ['a resume', 'claim', resume],
  ['a resume', 'messages', resume],
  ['a resume', 'append', resume],
  ['a resume', 'release', resume],
  ['a cancel', 'claim', cancel],
  ['a cancel', 'messages', cancel],
  ['a cancel', 'release', cancel],
])('a close during %s that has called %s', async (_, held, begin) => {
  const stage = newStage();
  const { backend, store, calls } = stage;
  if (begin !== start) await (await start(stage)).result();
  const isHeld = stage.hold(held);
  const begun = begin(stage);
  await isHeld;

  const closing = backend.close();
  // as long as a close takes that does not wait
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  stage.letThrough();
  await closing;
  const { status } = await (await begun).result();

  expect(calls).toEqual([held, 'closed']);
  expect(['paused', 'interrupted', 'cancelled']).toContain(status);
  expect((await store.summary('known')).claim).toBeNull();
  expect(stage.warnings).toEqual([]);
});

test('what is begun after a close is refused, and claims nothing', async () => {
  const stage = newStage();
  await (await start(stage)).result();
  const closing = stage.backend.close();
  for (const begin of [resume, cancel])
    await expect(begin(stage)).rejects.toMatchObject({
      kind: 'store.unavailable',
      report: { details: { reason: 'closed' } },
    });
  await closing;
  expect((await stage.store.summary('known')).claim).toBeNull();
});
