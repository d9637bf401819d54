/** The bundle of the workflow that a worker keeps for its next start. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keep, readKept } from './workflow-bundle.ts';

const CODE = 'exports.run = () => 1;\n//# sourceMappingURL=data:application/json;base64,e30=\n';
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'errand-bundle-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('is read as it was made', () => {
  const file = join(root, '.cache', 'errand', 'workflow-1.js');
  expect(readKept(file)).toBeUndefined();
  keep(file, CODE);
  expect(readKept(file)).toBe(CODE);
});

it.each([
  ['cut short', (text: string) => text.slice(0, -10)],
  ['cut short by the code', (text: string) => text.slice(0, 12)],
  ['empty', () => ''],
  ['changed', (text: string) => text.replace('1', '2')],
])('is made again when it is %s', (_, damaged) => {
  const file = join(root, 'workflow-1.js');
  keep(file, CODE);
  writeFileSync(file, damaged(readFileSync(file, 'utf8')));
  expect(readKept(file)).toBeUndefined();
  keep(file, CODE);
  expect(readKept(file)).toBe(CODE);
});

it('replaces those of other versions, and no other file', () => {
  writeFileSync(join(root, 'notes.txt'), 'mine');
  keep(join(root, 'workflow-1.js'), CODE);
  keep(join(root, 'workflow-2.js'), CODE);
  expect(readdirSync(root).toSorted()).toEqual(['notes.txt', 'workflow-2.js']);
});

it('is not kept where nothing can be written', () => {
  writeFileSync(join(root, '.cache'), 'no folder');
  const file = join(root, '.cache', 'errand', 'workflow-1.js');
  keep(file, CODE);
  expect(readKept(file)).toBeUndefined();
});
