/** A long run that rests leaves a checkpoint, which saves reading and decides nothing. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createErrand } from '../src/engine/errand.ts';
import type { RunResult } from '../src/engine/backend.ts';
import type { RunEvent } from '../src/machine/state/events.ts';
import type { RunStore } from '../src/machine/ports/store-port.ts';
import { openSqliteStore } from '../src/stores/sqlite/sqlite.ts';
import { watchedStore } from '../src/stores/watched-store.cases.ts';
import { workflow } from '../src/workflow/authoring/define.ts';

const STEPS = 200;

/** Some steps, a question, and the end. */
const asking = (steps: number): ReturnType<typeof workflow> =>
  workflow({
    name: 'asking',
    entryPoint: 'a',
    limits: { maxIterations: 1000 },
    state: { n: { type: 'number', default: 0 } },
    nodes: [
      {
        name: 'a',
        type: 'set',
        values: { n: 1 },
        state: { n: '{{ state.n + 1 }}' },
        routes: [{ to: 'gate', when: `{{ state.n >= ${steps} }}` }, { to: 'a' }],
      },
      {
        name: 'gate',
        type: 'human_gate',
        prompt: 'Go?',
        options: [{ label: 'Yes', value: 'yes' }],
        routes: [{ to: 'end' }],
      },
      { name: 'end', type: 'set', values: { total: '{{ state.n }}' } },
    ],
  });

let folder = '';
let path = '';
let run = '';

/** From which event on the log was read. */
const reads: number[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'errand-checkpoints-'));
  path = join(folder, 'errand.db');
  const errand = await createErrand({ store: await open() });
  const started = await errand.start(asking(STEPS));
  run = started.id;
  expect((await started.result()).status).toBe('paused');
  await errand.close();
  reads.length = 0;
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function open(): Promise<RunStore> {
  const store = await openSqliteStore({ path, now: Date.now });
  return watchedStore(store, (name, [, fromSeq]) => {
    if (name === 'read') reads.push(Number(fromSeq ?? 1));
  });
}

/** Answers the run, which continues to its end; returns its events. */
async function goOn(): Promise<{ result: RunResult; reported: readonly unknown[] }> {
  const errand = await createErrand({ store: await open() });
  const reported: RunEvent[] = [];
  const leg = await errand.resume(run, {
    answer: { value: 'yes', by: 'ann' },
    onEvent: (event) => reported.push(event),
  });
  const result = await leg.result();
  await errand.close();
  return { result, reported: reported.map(({ at: _at, ...rest }) => rest) };
}

function change(sql: string, ...values: (string | number)[]): void {
  const db = new DatabaseSync(path);
  expect(db.prepare(sql).run(...values).changes).toBeGreaterThan(0);
  db.close();
}

describe('the checkpoint of a run that rests', () => {
  it('spares the next process the log up to there', async () => {
    const { result } = await goOn();
    expect(result).toEqual({ status: 'completed', output: { total: STEPS } });
    expect(Math.min(...reads)).toBeGreaterThan(3 * STEPS);
  });

  it.each([
    ['was dropped', 'DELETE FROM checkpoints'],
    ['is damaged', `UPDATE checkpoints SET state = replace(state, '"paused"', '"failed"')`],
    ['has another place than the log', 'UPDATE checkpoints SET next_seq = next_seq - 1'],
  ])('changes nothing when it %s', async (_, sql) => {
    const copy = join(folder, 'copy.db');
    new DatabaseSync(path).exec(`VACUUM INTO '${copy}'`);
    const with_ = await goOn();
    path = copy;
    change(sql);
    const without = await goOn();
    expect(without).toEqual(with_);
    expect(Math.min(...reads)).toBe(1);
  });

  it('does not hide that what came after it is damaged', async () => {
    change(`UPDATE events SET events = replace(events, '"run:paused"', '"run:passed"')
            WHERE id = (SELECT max(id) FROM events)`);
    change('UPDATE checkpoints SET next_seq = 5');
    await expect(goOn()).rejects.toMatchObject({ kind: 'store.corrupt' });
  });

  it.each([
    ['is missing', 'DELETE FROM events WHERE seq = 1'],
    [
      'was altered',
      `UPDATE events SET events = replace(events, '"asking"', '"paying"') WHERE seq = 1`,
    ],
  ])('does not hide that an event before it %s', async (_, sql) => {
    change(sql);
    await expect(goOn()).rejects.toMatchObject({ kind: 'store.corrupt' });
    const store = await open();
    const errand = await createErrand({ store, workflows: [asking(STEPS)] });
    const answered = errand.answer(run, { value: 'yes' });
    await expect(answered).rejects.toMatchObject({ kind: 'store.corrupt' });
    expect(await store.summary(run)).toMatchObject({ status: 'paused', claim: null });
    await errand.close();
  });

  it('is left alone when another version of Errand wrote it', async () => {
    const store = await open();
    const { head } = await store.get(run);
    const owner = { id: 'other', host: 'h', pid: 1, processStartedAt: '' };
    const claim = await store.claim({ run, owner, leaseMs: 1000, isAlive: () => false });
    await store.saveCheckpoint(claim, { head, state: { v: 0, state: {}, shared: [] } });
    await store.release(claim);
    await store.close();
    expect((await goOn()).result).toEqual({ status: 'completed', output: { total: STEPS } });
  });

  it('is not made of a run that has little to read', async () => {
    const errand = await createErrand({ store: await open() });
    const short = await errand.start(asking(2));
    expect((await short.result()).status).toBe('paused');
    await errand.close();
    const store = await open();
    expect(await store.loadCheckpoint(short.id)).toBeNull();
    await store.close();
  });
});
