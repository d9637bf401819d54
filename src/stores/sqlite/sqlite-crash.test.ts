/** Real processes, killed or racing on a real file. `ERRAND_KILLS` sets how many are killed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { RunStore } from '../../machine/ports/store-port.ts';
import { listen, startChild } from './cases/child.cases.ts';
import { openSqliteStore } from './sqlite.ts';
import { loopEvents } from './cases/store-child.cases.ts';
import { newRun, readAll, rejects } from '../conformance/scene.ts';
import { runs } from '../../../test/runs.ts';

const KILLS = Number(process.env['ERRAND_KILLS'] ?? runs(8));
const directory = mkdtempSync(join(tmpdir(), 'errand-crash-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function open(path: string): Promise<RunStore> {
  return openSqliteStore({ path, now: () => Date.now(), durability: 'normal' });
}

/** Lets a process append until it has printed so many commits, and kills it there. */
async function appendAndKill(path: string, commits: number): Promise<Map<string, number>> {
  const child = startChild({ path, task: 'append-loop', argument: 'full' });
  const acknowledged = new Map<string, number>();
  const note = (fact: Record<string, unknown> | undefined): void => {
    if (fact !== undefined) acknowledged.set(String(fact['run']), Number(fact['through']));
  };
  for (let commit = 0; commit < commits; commit++) note(await child.next());
  child.process.kill('SIGKILL');
  for (let fact = await child.next(); fact !== undefined; fact = await child.next()) note(fact);
  await child.gone;
  return acknowledged;
}

describe('a process that is killed while it appends', () => {
  it(`has lost nothing that was acknowledged, ${KILLS} times over one store`, async () => {
    const path = join(directory, 'killed', 'errand.db');
    let total = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const acknowledged = await appendAndKill(path, 3 + ((kill * 29) % 70));
      const store = await open(path);
      for (const [run, through] of acknowledged) {
        const commits = await readAll(store, run);
        const last = commits.at(-1)?.head.nextSeq ?? 1;
        // two events are one commit, and at most one commit was being written
        expect(last - 1 - through).toBeGreaterThanOrEqual(0);
        expect(last - 1 - through).toBeLessThanOrEqual(2);
        for (const { seq, events } of commits) expect(events).toEqual(loopEvents(run, seq));
        total = Math.max(total, last);
      }
      await store.close();
    }
    expect(total).toBeGreaterThan(KILLS);
  });
});

describe('processes that race', () => {
  it('get a claim one at a time', async () => {
    const path = join(directory, 'race', 'errand.db');
    const store = await open(path);
    for (const run of ['first', 'second']) {
      const { claim } = await store.create(newRun(run));
      await store.release(claim);
      const children = Array.from({ length: 4 }, () =>
        startChild({ path, task: 'claim', argument: run }),
      );
      await Promise.all(children.map((child) => child.next()));
      for (const child of children) child.tell();
      const answers = await Promise.all(children.map((child) => child.next()));
      expect(answers.filter((answer) => 'claimed' in (answer ?? {}))).toHaveLength(1);
      expect(answers.filter((answer) => answer?.['failed'] === 'run.already_active')).toHaveLength(
        3,
      );
      await rejects(
        store.claim({ run, owner: newRun('x').owner, leaseMs: 1, isAlive: () => true }),
        'run.already_active',
      );
      for (const child of children) child.tell();
      await Promise.all(children.map((child) => child.gone));
    }
    await store.close();
  });

  it('may come and go while another one writes', async () => {
    const path = join(directory, 'visited', 'errand.db');
    const writer = startChild({ path, task: 'append-loop', argument: 'normal' });
    await writer.next();
    for (const wave of ['a', 'b', 'c']) {
      const visitors = Array.from({ length: 4 }, (_, index) =>
        startChild({ path, task: 'create', argument: `${wave}-${index}` }),
      );
      await Promise.all(visitors.map(listen));
      // a file that is opened and closed beside SQLite would have taken away its locks
      for (const { said } of visitors) expect(said[0]).toHaveProperty('done');
    }
    expect(writer.process.exitCode ?? writer.process.signalCode).toBe(null);
    writer.process.kill('SIGKILL');
    await listen(writer);
    const store = await open(path);
    const runs = await store.list();
    expect(runs).toHaveLength(15);
    for (const { run } of runs) expect((await readAll(store, run)).length).toBeGreaterThan(0);
    await store.close();
  });

  it('may create the store and their runs at the same moment', async () => {
    const path = join(directory, 'creating', 'errand.db');
    const children = Array.from({ length: 6 }, (_, index) =>
      startChild({ path, task: 'create', argument: `run-${index}` }),
    );
    await Promise.all(children.map(listen));
    expect(children.map(({ said }) => said[0])).toEqual(
      children.map((_, index) => ({ done: `run-${index}` })),
    );
    const store = await open(path);
    expect((await store.list()).map(({ run }) => run).toSorted()).toEqual(
      children.map((_, index) => `run-${index}`),
    );
    await store.close();
  });
});
