import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadModule } from './load-module.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'errand-digests-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

it('a file that two modules import has the digest of what both of them run', async () => {
  write('fee.mjs', 'export const fee = 1;\n');
  const text = `import { fee } from './fee.mjs';\nexport const pay = () => fee;\n`;
  const first = await loadModule(write('first.mjs', text));
  // this process keeps the file that it has loaded
  write('fee.mjs', 'export const fee = 2;\n');
  const second = await loadModule(write('second.mjs', text));
  expect([...second.files.keys()]).toEqual(['second.mjs', 'fee.mjs']);
  expect(second.files.get('fee.mjs')).toBe(first.files.get('fee.mjs'));
});
