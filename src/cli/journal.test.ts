import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ErrandError } from '../errors/errand-error.ts';
import type { RunEvent } from '../machine/events.ts';
import type { StoredCommit } from '../machine/store-port.ts';
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

async function* log(...seqs: readonly number[]): AsyncGenerator<StoredCommit> {
  for (const seq of seqs)
    yield {
      seq,
      // the same event, as a store gives it
      events: [event(seq) as unknown as StoredCommit['events'][number]],
      head: { nextSeq: seq + 1, digest: '' },
    };
}

it('writes each event once, and gives them back from the log', async () => {
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

it('gives back what it has written where the log is away', async () => {
  const away = (): never => {
    throw new ErrandError({ kind: 'store.unavailable', message: 'away' });
  };
  const journal = new Journal({ home, run: 'r', read: away, warn: () => undefined });
  journal.repair([event(1)]);
  journal.add(event(2));
  expect((await journal.events()).map(({ seq }) => seq)).toEqual([1, 2]);
});

it('makes up from the log for what could not be written', async () => {
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
