/** The code that V8 compiled for the installed command, kept for the next process. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { builtLauncher } from '../../src/cli/built-errand.cases.ts';

const EXPLAINED = 'provider.rate_limited';
/** Digits of the checksum. */
const SUM = 8;

let folder: string;
let cache: string;
let launcher: string;
let expected: string;

beforeAll(() => {
  launcher = builtLauncher();
  expected = explain({ NODE_DISABLE_COMPILE_CACHE: '1' }).stdout;
  expect(expected).toContain(EXPLAINED);
});

beforeEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  folder = mkdtempSync(join(tmpdir(), 'errand-compiled-'));
  cache = join(folder, 'cache');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('is kept by the first process, and used by the second', () => {
  explain();
  const [name = ''] = kept();
  const { ino } = statSync(join(cache, name));
  expect(explain()).toMatchObject({ status: 0, stdout: expected, stderr: '' });
  expect(kept()).toEqual([name]);
  expect(statSync(join(cache, name)).ino).toBe(ino);
});

it('is not kept where a person has switched that off, or typed what is no command', () => {
  explain({ NODE_DISABLE_COMPILE_CACHE: '1' });
  expect(errand(['explian', EXPLAINED])).toMatchObject({ status: 2 });
  expect(kept()).toEqual([]);
});

it.each<[string, (bytes: Buffer) => Buffer]>([
  ['empty', () => Buffer.alloc(0)],
  ['cut off', (bytes) => bytes.subarray(0, bytes.length - 8)],
  ['longer', (bytes) => Buffer.concat([bytes, bytes])],
  // V8 would crash
  [
    'damaged inside',
    (bytes) => Buffer.from(bytes).fill(0, bytes.length / 2, bytes.length / 2 + 4096),
  ],
  ['of another V8', ofAnotherV8],
])('is made again where it is %s', (_, damage) => {
  explain();
  const [name = ''] = kept();
  const whole = readFileSync(join(cache, name));
  writeFileSync(join(cache, name), damage(whole));
  expect(explain()).toMatchObject({ status: 0, stdout: expected, stderr: '' });
  // as long as before, but for what the two compiled beside it
  const { length } = readFileSync(join(cache, name));
  expect(Math.abs(length - whole.length)).toBeLessThan(whole.length / 10);
});

it('gives way to a file that was changed after it', () => {
  const copy = join(folder, 'errand');
  cpSync(dirname(dirname(launcher)), copy, { recursive: true });
  const command = join(copy, 'bin/errand.mjs');
  expect(explain({}, command).stdout).toBe(expected);
  const chunks = join(copy, 'dist/chunks');
  for (const file of readdirSync(chunks).filter((name) => name.endsWith('.cjs'))) {
    const text = readFileSync(join(chunks, file), 'utf8');
    // of the same length, which is all that V8 looks at
    writeFileSync(join(chunks, file), text.replaceAll('Rate limit', 'RATE LIMIT'));
  }
  expect(explain({}, command).stdout).toBe(expected.replaceAll('Rate limit', 'RATE LIMIT'));
  expect(expected).toContain('Rate limit');
});

function explain(env: NodeJS.ProcessEnv = {}, command = launcher) {
  return errand(['explain', EXPLAINED], env, command);
}

function errand(args: readonly string[], env: NodeJS.ProcessEnv = {}, command = launcher) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: cache, ...env },
  });
  return { status, stdout, stderr };
}

/** Names of the command's own files in the cache, beside those of Node. */
function kept(): readonly string[] {
  try {
    const names = readdirSync(cache, { recursive: true, encoding: 'utf8' });
    return names.filter((name) => basename(name).startsWith('errand-'));
  } catch {
    return [];
  }
}

/** Every part begins with a number of its V8, at a multiple of eight bytes; a checksum is at the head of all. */
function ofAnotherV8(bytes: Buffer): Buffer {
  const [head = '[]'] = bytes.toString('latin1', SUM).split('\n', 1);
  const changed = Buffer.from(bytes);
  let at = SUM + Math.ceil((head.length + 1) / 8) * 8;
  for (const { length } of JSON.parse(head) as readonly { readonly length: number }[]) {
    changed.writeInt32LE(changed.readInt32LE(at) ^ 1, at);
    at += Math.ceil(length / 8) * 8;
  }
  changed.write(crc32(changed.subarray(SUM)).toString(16).padStart(SUM, '0'));
  return changed;
}
