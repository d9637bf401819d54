/**
 * Traces of a removed run in the files of a SQLite store, and the effect of a row deleted by hand.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isKind } from '../../errors/thrown/errand-error.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import type { RunStore } from '../../machine/ports/store-port.ts';
import { openSqliteStore } from './sqlite.ts';
import { claiming, commitAt, newRun, rejects, RIVAL, seqsOf } from '../conformance/scene.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'errand-removal-'));
  path = join(folder, 'errand.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(): Promise<RunStore> {
  return openSqliteStore({ path, now: () => 1_000_000 });
}

const REMOVAL = { by: 'me', at: '2026-12-24T18:00:00.000Z', isAlive: () => false };

/** Whether any file of the store has the text. */
function isAnywhere(text: string): boolean {
  return readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(text));
}

/** Runs with texts of their own, of many sizes, written and changed as in real use. */
async function fill(store: RunStore): Promise<void> {
  for (const id of ['a', 'b', 'c']) {
    const secret = `SECRET-OF-${id}`;
    const events = [{ seq: 1, run: id, type: 'run:started', workflow: 'triage', input: secret }];
    const { claim, head } = await store.create(
      newRun(id, { input: { secret }, events, plan: JSON.stringify({ only: secret }) }),
    );
    for (let seq = 2; seq < 60; seq++)
      await store.append({ claim, seq, events: [{ seq, run: id, text: secret.repeat(seq * 3) }] });
    for (const times of [1, 800, 30])
      await store.saveCheckpoint(claim, { head, state: secret.repeat(times) });
    await store.send(id, { value: secret.repeat(50) });
    await store.append({ ...commitAt(claim, 60), messagesThrough: 1 });
    await store.release(claim);
  }
}

describe('a run that was removed', () => {
  it.each(['other processes have it open', 'nobody else has it open'])(
    'is in no file of the store any more, when %s',
    async (who) => {
      const store = await open();
      const other = who.startsWith('nobody') ? undefined : await open();
      await fill(store);
      expect(isAnywhere('SECRET-OF-b')).toBe(true);
      await store.remove({ run: 'b', ...REMOVAL });
      await store.compact();
      expect(isAnywhere('SECRET-OF-b')).toBe(false);
      for (const id of ['a', 'c']) expect(await seqsOf(other ?? store, id)).toHaveLength(60);
      await other?.close();
      await store.close();
      expect(isAnywhere('SECRET-OF-b')).toBe(false);
      expect(isAnywhere('SECRET-OF-a')).toBe(true);
    },
  );
});

describe('a run whose row was deleted by hand', () => {
  beforeEach(async () => {
    const store = await open();
    await fill(store);
    await store.close();
    const db = new DatabaseSync(path);
    db.exec(`DELETE FROM runs WHERE id = 'b'`);
    db.close();
  });

  it('is damage of that run, and of no other', async () => {
    const store = await open();
    const { report } = await rejects(store.summary('b'), 'store.corrupt');
    expect(report.details).toMatchObject({ runs: ['b'] });
    await rejects(store.list(), 'store.corrupt');
    const damages: unknown[] = [];
    const listed = await store.list({ onDamage: (damage) => damages.push(damage) });
    expect(listed.map(({ run }) => run)).toEqual(['c', 'a']);
    expect(damages).toHaveLength(1);
    expect(isKind(damages[0], 'store.corrupt')).toBe(true);
    expect(toReport(damages[0]).message).toContain('events of b');
    const claim = await store.claim(claiming('c', RIVAL));
    await store.append(commitAt(claim, 61));
    await store.close();
  });

  it('can be removed, and then nothing is damaged', async () => {
    const store = await open();
    expect(await store.remove({ run: 'b', ...REMOVAL })).toMatchObject({ workflow: 'triage' });
    await store.compact();
    expect((await store.list()).map(({ run }) => run)).toEqual(['c', 'a']);
    await rejects(store.summary('b'), 'run.not_found');
    await rejects(store.summary('nobody'), 'run.not_found');
    expect(isAnywhere('SECRET-OF-b')).toBe(false);
    await store.close();
  });
});

it.each([
  ['row', `UPDATE runs SET workflow = 'other' WHERE id = 'b'`],
  ['status_row', `UPDATE statuses SET status = 'paused' WHERE run = 2`],
  ['claim', `DELETE FROM claims WHERE run = 2`],
  ['head', `DELETE FROM heads WHERE run = 2`],
  ['log', `DELETE FROM events WHERE run = 2 AND seq = 7`],
])('a run whose %s is damaged can be removed whole', async (_, damage) => {
  const filling = await open();
  await fill(filling);
  await filling.close();
  const db = new DatabaseSync(path);
  db.exec(damage);
  db.close();
  const store = await open();
  const before = await store.list({ onDamage: () => undefined });
  expect(before.map(({ run }) => run)).toEqual(expect.arrayContaining(['c', 'a']));
  await store.remove({ run: 'b', ...REMOVAL });
  await store.compact();
  expect(isAnywhere('SECRET-OF-b')).toBe(false);
  expect((await store.list()).map(({ run }) => run)).toEqual(['c', 'a']);
  await store.close();
});
