import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { nodeFiles } from './node-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'errand-files-'));
  mkdirSync(join(folder, 'project'));
  writeFileSync(join(folder, 'hosts.yml'), 'token: x');
  writeFileSync(join(folder, 'project/a.yaml'), 'é: 1');
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (path: string): unknown => nodeFiles(join(folder, 'project')).read(path);

it('reads a text, and resolves a link', () => {
  symlinkSync('../hosts.yml', join(folder, 'project/frag.yaml'));
  expect(read('a.yaml')).toEqual({ ok: true, text: 'é: 1', realPath: 'a.yaml' });
  expect(read('frag.yaml')).toEqual({ ok: true, text: 'token: x', realPath: '../hosts.yml' });
});

it.runIf(process.platform === 'linux')('refuses what never ends', () => {
  spawnSync('mkfifo', [join(folder, 'project/fifo')]);
  const refused = { ok: false, reason: 'it is not a regular file' };
  expect(read('/dev/zero')).toEqual(refused);
  expect(read('fifo')).toEqual(refused);
  expect(read('/proc/self/status')).toMatchObject({ ok: true });
});

it('refuses a folder, what is not there, and what is too large', () => {
  writeFileSync(join(folder, 'project/large'), Buffer.alloc(41 * 1024 * 1024, 97));
  expect(read('.')).toEqual({ ok: false, reason: 'it is a folder' });
  expect(read('none')).toEqual({ ok: false, reason: 'there is no such file' });
  expect(read('large')).toEqual({ ok: false, reason: 'it is too large' });
});
