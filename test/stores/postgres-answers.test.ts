/**
 * A commit that the server has made and whose answer never comes: the caller learns that the store
 * is away, asks again, and nothing is there twice or missing.
 */
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { createEffectRunner } from '../../src/engine/run/effect-runner.ts';
import type { RunResult } from '../../src/engine/backend.ts';
import { LocalBackend } from '../../src/engine/local/local-backend.ts';
import { readProperty } from '../../src/errors/support/safe-json.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import type { RunStore } from '../../src/machine/ports/store-port.ts';
import { openPostgresStore } from '../../src/stores/postgres/open-postgres-store.ts';
import {
  commitAt,
  LEASE_MS,
  newRun,
  OWNER,
  readAll,
  rejects,
} from '../../src/stores/conformance/scene.ts';
import { workflow } from '../../src/workflow/authoring/define.ts';
import { expectWholeLog } from '../survival/books.ts';
import { countingStore } from '../survival/kill-points.ts';
import { QUICK } from '../survival/outage-leg.ts';
import type { Loss } from './lossy-proxy.ts';
import { lossyPostgresOfFile } from './postgres-of-file.ts';

const postgres = lossyPostgresOfFile();
let places = 0;

function open(): Promise<RunStore> {
  const schema = `place_${++places}`;
  return openPostgresStore({ pg, url: postgres.proxy.url, schema });
}

/** A statement that the server knows already is only named. */
const CREATE = 'errand_create';
const ONE_STATEMENT = 'errand_append';
const RELEASE = 'errand_release';
const TRANSACTION = 'COMMIT';

describe.runIf(postgres.isInstalled).each<Loss>(['terminated', 'cut'])(
  'a connection that is %s before its answer',
  (loss) => {
    it('leaves a run that was created once, for the caller', async () => {
      const store = await open();
      const lost = postgres.proxy.loseAnswer(CREATE, loss);
      await rejects(store.create(newRun('r')), 'store.unavailable');
      await lost;
      const { claim } = await store.create(newRun('r'));
      await store.append(commitAt(claim, 2));
      expect(await seqs(store)).toEqual([1, 2]);
      await store.close();
    });

    it('leaves a commit that is there once, asked for again at once and later', async () => {
      const store = await open();
      const { claim } = await store.create(newRun('r'));
      const lost = postgres.proxy.loseAnswer(ONE_STATEMENT, loss);
      const { report } = await rejects(store.append(commitAt(claim, 2)), 'store.unavailable');
      expect(report.details).toMatchObject({ reason: 'disconnected' });
      await lost;
      const head = await store.append(commitAt(claim, 2));
      await store.append(commitAt(claim, 3));
      expect(await store.append(commitAt(claim, 2))).toEqual(head);
      expect(await seqs(store)).toEqual([1, 2, 3]);
      await store.close();
    });

    it('leaves a claim that was released once, and then another', async () => {
      const store = await open();
      const { claim } = await store.create(newRun('r'));
      const lost = postgres.proxy.loseAnswer(RELEASE, loss);
      await rejects(store.release(claim), 'store.unavailable');
      await lost;
      const request = { run: 'r', owner: OWNER, leaseMs: LEASE_MS, isAlive: () => true };
      const taken = await store.claim(request);
      // the release that is asked for again is of the earlier claim
      await store.release(claim);
      await store.append(commitAt(taken, 2));
      expect(await seqs(store)).toEqual([1, 2]);
      await store.close();
    });

    it('leaves signals that were taken with a commit taken once', async () => {
      const store = await open();
      const { claim } = await store.create(newRun('r'));
      await store.send('r', { n: 1 });
      const through = await store.send('r', { n: 2 });
      const commit = { ...commitAt(claim, 2), messagesThrough: through };
      const lost = postgres.proxy.loseAnswer(TRANSACTION, loss);
      await rejects(store.append(commit), 'store.unavailable');
      await lost;
      await store.append(commit);
      await store.send('r', { n: 3 });
      expect((await store.messages('r')).map(({ message }) => message)).toEqual([{ n: 3 }]);
      expect(await seqs(store)).toEqual([1, 2]);
      await store.close();
    });

    it('is nothing to a run, at whichever of its commits', async () => {
      const { appends } = await runLosing(0, loss);
      expect(appends).toBeGreaterThan(3);
      // the first is its creation
      for (let append = 2; append <= appends; append++) {
        const { result, events, said } = await runLosing(append, loss);
        const output = { said: 'abc' };
        expect(result, `at append ${append}`).toEqual({ status: 'completed', output });
        expect(said).toEqual(['a', 'b', 'c']);
        expectWholeLog(events);
        // the last commit has no later one that could tell
        if (append < appends)
          expect(events.filter(({ type }) => type === 'error:suppressed')).toHaveLength(1);
      }
    });
  },
);

const PLAN = workflow({
  name: 'three',
  entryPoint: 'a',
  nodes: [
    { name: 'a', type: 'call', function: 'say', arguments: { word: 'a' }, routes: [{ to: 'b' }] },
    { name: 'b', type: 'call', function: 'say', arguments: { word: 'b' }, routes: [{ to: 'c' }] },
    { name: 'c', type: 'call', function: 'say', arguments: { word: 'c' } },
  ],
  output: { said: '{{ a.output }}{{ b.output }}{{ c.output }}' },
}).plan;

interface Played {
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
  readonly said: readonly unknown[];
  readonly appends: number;
}

/** The answer to this append of the run is lost; 0: to none. */
async function runLosing(append: number, loss: Loss): Promise<Played> {
  const store = await open();
  const said: unknown[] = [];
  let appends = 0;
  const say = (given: unknown): unknown => {
    const word = readProperty(given, 'word');
    said.push(word);
    return word;
  };
  const driver = new LocalBackend({
    store: countingStore(store, (when, number) => {
      appends = number;
      if (when === 'before' && number === append)
        void postgres.proxy.loseAnswer(ONE_STATEMENT, loss);
    }),
    effects: createEffectRunner({ env: {}, directory: '.', functions: { say } }),
    clock: QUICK,
  });
  const handle = await driver.start(PLAN, {});
  const result = await handle.result();
  // written by the driver, and checked as it is read
  const events = (await readAll(store, handle.id)).flatMap(
    (commit) => commit.events as unknown as RunEvent[],
  );
  await driver.close();
  return { result, events, said, appends };
}

async function seqs(store: RunStore): Promise<readonly unknown[]> {
  return (await readAll(store, 'r')).map(({ seq }) => seq);
}
