import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { Journal } from './journal.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'errand-journal-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function event(seq: number): RunEvent {
  return { seq, run: 'r', at: '2026-03-01T12:00:00.000Z', type: 'run:completed', output: seq };
}

function exported(): readonly number[] {
  const text = readFileSync(join(home, 'runs', 'r', 'events.jsonl'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { seq: number }).seq);
}

function log(...seqs: readonly number[]): Promise<readonly RunEvent[]> {
  return Promise.resolve(seqs.map(event));
}

it('writes each event once, and reads them back from the log', async () => {
  const journal = new Journal({
    home,
    run: 'r',
    read: () => log(1, 2, 3, 4),
    warn: () => undefined,
  });
  journal.repair([event(1), event(2)], [event(2), event(3)]);
  for (const seq of [3, 4]) journal.add(event(seq));
  expect(exported()).toEqual([1, 2, 3, 4]);
  expect((await journal.events()).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
});

it('reads its own export where the log is unavailable', async () => {
  const away = (): never => {
    throw new ErrandError({ kind: 'store.unavailable', message: 'away' });
  };
  const journal = new Journal({ home, run: 'r', read: away, warn: () => undefined });
  journal.repair([event(1)]);
  journal.add(event(2));
  expect((await journal.events()).map(({ seq }) => seq)).toEqual([1, 2]);
});

it('rewrites from the log what could not be written', async () => {
  const warnings: string[] = [];
  const journal = new Journal({
    home,
    run: 'r',
    read: () => log(1, 2, 3),
    warn: (text) => void warnings.push(text),
  });
  journal.repair([event(1)]);
  rmSync(join(home, 'runs'), { recursive: true });
  for (const seq of [2, 3]) journal.add(event(seq));
  expect(warnings).toHaveLength(1);
  await journal.finish();
  expect(exported()).toEqual([1, 2, 3]);
});
