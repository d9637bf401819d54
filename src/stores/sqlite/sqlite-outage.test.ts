/**
 * The store cannot be used for a while: the error names the reason, nothing is lost, and work
 * continues afterwards.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Claim, RunStore } from '../../machine/ports/store-port.ts';
import { listen, startChild } from './cases/child.cases.ts';
import { openSqliteStore, type SqliteStoreOptions } from './sqlite.ts';
import { commitAt, newRun, readAll, rejects } from '../conformance/scene.ts';

const root = mkdtempSync(join(tmpdir(), 'errand-outage-'));
const tmpfs = join(root, 'tmpfs');
const canMount = mountTmpfs(tmpfs);
afterAll(() => {
  if (canMount) execFileSync('umount', [tmpfs]);
  rmSync(root, { recursive: true, force: true });
});

let folder: string;
let path: string;
let places = 0;
beforeEach(() => {
  folder = join(root, String(++places));
  path = join(folder, 'errand.db');
});

function open(options: Partial<SqliteStoreOptions> = {}): Promise<RunStore> {
  return openSqliteStore({ path, now: () => 1_000_000, patienceMs: 20, ...options });
}

/** A run with some commits, and what makes the next one. */
async function begin(store: RunStore, id = 'r'): Promise<{ claim: Claim; seq: number }> {
  const { claim } = await store.create(newRun(id));
  await store.append(commitAt(claim, 2));
  return { claim, seq: 3 };
}

async function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  const error = await rejects(promise, 'store.unavailable');
  return error.report.details?.['reason'];
}

async function seqs(store: RunStore, id = 'r'): Promise<number[]> {
  return (await readAll(store, id)).map(({ seq }) => seq);
}

const FILES = ['errand.db', 'errand.db-wal', 'errand.db-shm'];

describe('a file that is taken away', () => {
  it.each([
    ['the database alone', ['errand.db']],
    ['all files', FILES],
  ])('stops every call, and none is lost when it is back: %s', async (_, names) => {
    const store = await open();
    const { claim } = await begin(store);
    for (const name of names) renameSync(join(folder, name), join(folder, `away-${name}`));
    expect(await reasonOf(store.append(commitAt(claim, 3)))).toBe('file_missing');
    expect(await reasonOf(store.summary('r'))).toBe('file_missing');
    expect(await reasonOf(readAll(store, 'r'))).toBe('file_missing');
    expect(existsSync(path)).toBe(false);
    for (const name of names) renameSync(join(folder, `away-${name}`), join(folder, name));
    await store.append(commitAt(claim, 3));
    expect(await seqs(store)).toEqual([1, 2, 3]);
    await store.close();
  });

  it('and with it its folder', async () => {
    const store = await open();
    const { claim } = await begin(store);
    renameSync(folder, `${folder}-away`);
    expect(await reasonOf(store.append(commitAt(claim, 3)))).toBe('file_missing');
    expect(existsSync(folder)).toBe(false);
    renameSync(`${folder}-away`, folder);
    await store.append(commitAt(claim, 3));
    expect(await seqs(store)).toEqual([1, 2, 3]);
    await store.close();
  });

  it('for good fails each call, and closing does no harm', async () => {
    const store = await open();
    const { claim } = await begin(store);
    rmSync(folder, { recursive: true });
    for (const seq of [3, 3, 3]) {
      expect(await reasonOf(store.append(commitAt(claim, seq)))).toBe('file_missing');
    }
    await store.close();
    expect(existsSync(folder)).toBe(false);
  });

  it('is noticed with durability normal within a moment', async () => {
    const store = await open({ durability: 'normal' });
    const { claim } = await begin(store);
    rmSync(folder, { recursive: true });
    let seq = 3;
    const untilRefused = async (): Promise<void> => {
      for (;;) await store.append(commitAt(claim, seq++));
    };
    expect(await reasonOf(untilRefused())).toBe('file_missing');
    await store.close();
  });
});

describe('a file that is replaced', () => {
  it('by a copy of itself is taken as what it is', async () => {
    const store = await open();
    const { claim } = await begin(store);
    mkdirSync(join(folder, 'copy'));
    for (const name of FILES) copyFileSync(join(folder, name), join(folder, 'copy', name));
    for (const name of FILES) renameSync(join(folder, 'copy', name), join(folder, name));
    await store.append(commitAt(claim, 3));
    await store.close();
    const again = await open();
    expect(await seqs(again)).toEqual([1, 2, 3]);
    await again.close();
  });

  it('by an older one is found out, and nothing is written to it', async () => {
    const store = await open();
    const { claim } = await begin(store);
    mkdirSync(join(folder, 'copy'));
    for (const name of FILES) copyFileSync(join(folder, name), join(folder, 'copy', name));
    await store.append(commitAt(claim, 3));
    for (const name of FILES) renameSync(join(folder, 'copy', name), join(folder, name));
    await rejects(store.append(commitAt(claim, 4)), 'store.corrupt');
    expect(await seqs(store)).toEqual([1, 2]);
    await store.close();
  });

  it('by an empty one is not taken for a new store', async () => {
    const store = await open();
    const { claim } = await begin(store);
    renameSync(path, `${path}.away`);
    writeFileSync(path, '');
    expect(await reasonOf(store.append(commitAt(claim, 3)))).toBe('file_replaced');
    expect(await reasonOf(store.list())).toBe('file_replaced');
    renameSync(`${path}.away`, path);
    await store.append(commitAt(claim, 3));
    expect(await seqs(store)).toEqual([1, 2, 3]);
    await store.close();
  });

  it('by something that is no database cannot be trusted', async () => {
    const store = await open();
    const { claim } = await begin(store);
    for (const name of FILES) renameSync(join(folder, name), join(folder, `away-${name}`));
    writeFileSync(path, 'What is this?'.repeat(1000));
    await rejects(store.append(commitAt(claim, 3)), 'store.corrupt');
    await rejects(open(), 'store.corrupt');
    for (const name of FILES) renameSync(join(folder, `away-${name}`), join(folder, name));
    await store.append(commitAt(claim, 3));
    expect(await seqs(store)).toEqual([1, 2, 3]);
    await store.close();
  });
});

describe('another process that holds a lock', () => {
  it.each([
    ['against writing', 'BEGIN IMMEDIATE'],
    ['against everything', 'PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT'],
  ])('is waited for by the caller: %s', async (_, sql) => {
    const first = await open();
    const { claim } = await begin(first);
    await first.close();
    const child = startChild({ path, task: 'lock', argument: sql });
    if (sql.includes('locking_mode')) {
      await child.next();
      expect(await reasonOf(open())).toBe('busy');
      child.tell();
      await child.gone;
    }
    const store = await open();
    if (!sql.includes('locking_mode')) {
      await child.next();
      const error = await rejects(store.append(commitAt(claim, 3)), 'store.unavailable');
      expect(error.report.details).toMatchObject({ reason: 'busy', errcode: 5, run: 'r' });
      expect(error.report).toMatchObject({ retryable: true });
      expect(await seqs(store)).toEqual([1, 2]);
      child.tell();
      await child.gone;
    }
    await store.append(commitAt(claim, 3));
    expect(await seqs(store)).toEqual([1, 2, 3]);
    await store.close();
  });

  it('is waited for without holding up anything else, while patience lasts', async () => {
    const store = await open({ patienceMs: 20_000 });
    const { claim } = await begin(store);
    const child = startChild({ path, task: 'lock', argument: 'BEGIN IMMEDIATE' });
    await child.next();
    const waiting = store.append(commitAt(claim, 3));
    // turns pass, and reading continues
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    expect(await seqs(store)).toEqual([1, 2]);
    const second = store.append(commitAt(claim, 4));
    child.tell();
    expect((await waiting).nextSeq).toBe(4);
    expect((await second).nextSeq).toBe(5);
    await child.gone;
    await store.close();
  });

  it('fails all writes of the turn alike, and each can be made again', async () => {
    const store = await open();
    const claims = await Promise.all(['a', 'b', 'c'].map((id) => begin(store, id)));
    const child = startChild({ path, task: 'lock', argument: 'BEGIN IMMEDIATE' });
    await child.next();
    const write = (): Promise<unknown>[] =>
      claims.map(({ claim, seq }) => store.append(commitAt(claim, seq)));
    for (const answer of await Promise.allSettled(write())) expect(answer.status).toBe('rejected');
    child.tell();
    await child.gone;
    await Promise.all(write());
    for (const id of ['a', 'b', 'c']) expect(await seqs(store, id)).toEqual([1, 2, 3]);
    await store.close();
  });
});

describe('a disk without room', () => {
  const large = { output: 'x'.repeat(200_000) };

  it('refuses what does not fit and keeps what does', async () => {
    const store = await open({ maxBytes: 300_000 });
    const { claim } = await begin(store);
    await store.append({ claim, seq: 3, events: [large] });
    expect(await reasonOf(store.append({ claim, seq: 4, events: [large] }))).toBe('full');
    expect(await seqs(store)).toEqual([1, 2, 3]);
    await store.append(commitAt(claim, 4));
    await store.close();

    const roomier = await open({ maxBytes: 1_000_000 });
    await roomier.append({ claim, seq: 5, events: [large] });
    expect(await seqs(roomier)).toEqual([1, 2, 3, 4, 5]);
    await roomier.close();
  });

  it('fails only the process that has no room', async () => {
    const store = await open({ maxBytes: 300_000 });
    const { claim: small } = await begin(store, 'small');
    const { claim } = await begin(store);
    await store.append({ claim, seq: 3, events: [large] });
    const answers = await Promise.allSettled([
      store.append(commitAt(small, 3)),
      store.append({ claim, seq: 4, events: [large] }),
      store.append(commitAt(claim, 5)),
      store.append(commitAt(small, 4)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    // a commit after a failed one fails for the same reason, not for its number
    expect(answers[2]).toMatchObject({ reason: { kind: 'store.unavailable' } });
    await store.close();
  });

  it.skipIf(!canMount)('that is really full is used again when there is room', async () => {
    path = join(tmpfs, 'errand.db');
    const store = await open();
    const { claim } = await begin(store);
    writeFileSync(join(tmpfs, 'filler'), '');
    fillUp(join(tmpfs, 'filler'));
    let seq = 3;
    const untilFull = async (): Promise<void> => {
      for (; ; seq++) await store.append({ claim, seq, events: [{ seq, text: 'x'.repeat(5000) }] });
    };
    expect(await reasonOf(untilFull())).toBe('full');
    expect((await readAll(store, 'r')).length).toBe(seq - 1);
    rmSync(join(tmpfs, 'filler'));
    await store.append({ claim, seq, events: [{ seq, text: 'x'.repeat(5000) }] });
    expect((await readAll(store, 'r')).length).toBe(seq);
    await store.close();
  });
});

describe('a disk that is full from the start', () => {
  it.skipIf(!canMount)('is said to be full, with advice that helps', async () => {
    const place = join(tmpfs, 'new');
    mkdirSync(place);
    path = join(place, 'errand.db');
    writeFileSync(join(tmpfs, 'filler'), '');
    fillUp(join(tmpfs, 'filler'));
    const { report } = await rejects(open(), 'store.unavailable');
    expect(report).toMatchObject({
      message: 'There is no room left to write to the store',
      category: 'configuration',
      retryable: false,
      details: { reason: 'full' },
      action: { kind: 'fix_setup', detail: expect.stringContaining('Make room') },
    });
    rmSync(join(tmpfs, 'filler'));
    const store = await open();
    await begin(store);
    await store.close();
  });
});

describe('a file that may only be read', () => {
  const isRoot = process.getuid?.() === 0;
  // root may write to anything, so the test runs as another user
  const uid = isRoot ? { uid: 65_534 } : {};

  it.skipIf(process.platform === 'win32')('cannot be used until it may be written', async () => {
    const store = await open();
    await begin(store);
    await store.close();
    chmodSync(root, 0o755);
    if (isRoot) for (const place of [folder, path]) chownSync(place, 65_534, 65_534);
    const attempt = async (id: string): Promise<unknown> => {
      const child = startChild({ path, task: 'create', argument: id, ...uid });
      await listen(child);
      return child.said[0];
    };
    chmodSync(path, 0o444);
    expect(await attempt('x')).toEqual({ failed: 'store.unavailable' });
    chmodSync(path, 0o644);
    chmodSync(folder, 0o555);
    expect(await attempt('y')).toEqual({ failed: 'store.unavailable' });
    chmodSync(folder, 0o755);
    expect(await attempt('z')).toEqual({ done: 'z' });
    const again = await open();
    expect((await again.list()).map(({ run }) => run)).toEqual(['z', 'r']);
    await again.close();
  });

  it('in a location where no folder can be made fails at once', async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'file'), '');
    path = join(folder, 'file', 'errand.db');
    expect(await reasonOf(open())).toBe('cannot_open');
  });

  it.runIf(existsSync('/proc/self'))('in a file system that makes no folders too', async () => {
    path = '/proc/no-folder/deeper/errand.db';
    expect(await reasonOf(open())).toBe('cannot_open');
  });

  it('in something that is no file fails, and its rights stay as they are', async () => {
    mkdirSync(folder);
    execFileSync('mkfifo', ['-m', '644', path]);
    expect(await reasonOf(open())).toBe('cannot_open');
    expect(await reasonOf(open({ onlyReads: true }))).toBe('cannot_open');
    expect(statSync(path).mode & 0o777).toBe(0o644);
    expect(readdirSync(folder)).toEqual(['errand.db']);
    path = folder;
    expect(await reasonOf(open())).toBe('cannot_open');
  });
});

function mountTmpfs(place: string): boolean {
  mkdirSync(place, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', place], { stdio: 'ignore' });
    return true;
  } catch {
    process.emitWarning('No small disk to fill: to mount one needs root, so that case is skipped.');
    return false;
  }
}

/** Leaves nothing free. */
function fillUp(file: string): void {
  for (const size of [256 * 1024, 4096]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    }
  }
}
