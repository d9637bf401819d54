/** A close that comes while the store is being opened, or before it is. */
import { expect, it } from 'vitest';
import { extension } from '../machine/ports/extension-port.ts';
import type { RunStore } from '../machine/ports/store-port.ts';
import { openMemoryStore } from '../stores/memory.ts';
import { watchedStore } from '../stores/watched-store.cases.ts';
import { workflow } from '../workflow/authoring/define.ts';
import { openEngine, type Engine } from './errand.ts';
import type { RunLocation } from './open-backend.ts';

const HELLO = workflow({
  name: 'hello',
  entryPoint: 'say',
  nodes: [{ name: 'say', type: 'set', value: 'Hello' }],
});

const CLOSED = { kind: 'store.unavailable', report: { details: { reason: 'closed' } } };

interface Stage {
  readonly engine: Engine;
  /** Lets the store be opened. */
  readonly letOpen: () => void;
  /** Fulfilled once somebody wants it. */
  readonly wanted: Promise<void>;
  readonly done: readonly string[];
}

async function newStage(): Promise<Stage> {
  const done: string[] = [];
  const gate = Promise.withResolvers<void>();
  const wanted = Promise.withResolvers<void>();
  const locate = async (): Promise<RunLocation> => {
    wanted.resolve();
    await gate.promise;
    done.push('opened');
    return { store: closing(openMemoryStore({ now: Date.now }), () => done.push('closed')) };
  };
  const watch = extension({
    name: 'watch',
    contract: 1,
    start: () => void done.push('started'),
    stop: () => void done.push('stopped'),
  });
  const engine = await openEngine({ locate, extensions: [watch] });
  return { engine, letOpen: gate.resolve, wanted: wanted.promise, done };
}

function closing(store: RunStore, note: () => void): RunStore {
  return watchedStore(store, (name) => {
    if (name === 'close') note();
  });
}

it('closes a store that is being opened, and starts nothing in it', async () => {
  const { engine, letOpen, wanted, done } = await newStage();
  const started = engine.start(HELLO);
  const refused = expect(started).rejects.toMatchObject(CLOSED);
  await wanted;
  const closed = engine.close();
  letOpen();
  await Promise.all([closed, refused]);
  expect(done.filter((each) => each === 'closed' || each === 'opened')).toEqual([
    'opened',
    'closed',
  ]);
  // what was started for the run is stopped
  expect(done.filter((each) => each === 'started')).toHaveLength(
    done.filter((each) => each === 'stopped').length,
  );
});

it('opens no store any more', async () => {
  const { engine, letOpen, done } = await newStage();
  letOpen();
  await engine.close();
  await expect(engine.start(HELLO)).rejects.toMatchObject(CLOSED);
  await expect(engine.list()).rejects.toMatchObject(CLOSED);
  expect(done).toEqual([]);
});

it('closes all the same where the store could not be opened', async () => {
  const engine = await openEngine({ locate: () => Promise.reject(new Error('no such place')) });
  const started = expect(engine.start(HELLO)).rejects.toThrow('no such place');
  await engine.close();
  await started;
});
