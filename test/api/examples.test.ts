/**
 * Every value that the package exports has a doc comment with an example, and every example prints
 * what it says behind its `console.log`. Those that need a server of others are only parsed.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTRY_FILES, exportedValues } from './exported-values.ts';

const SOURCES = join(import.meta.dirname, '../../src');
const TEMPORAL = join(import.meta.dirname, '../temporal-sdk/node_modules/@temporalio');
const NEEDS_A_SERVER: readonly string[] = ['openPostgresStore', 'startWorker'];

const values = exportedValues();
const examples = values.map((value) => ({
  ...value,
  module: `${value.file.replaceAll(/\W/g, '-')}-${value.name}.mts`,
  code: /@example\n```ts\n([^]*?)\n```/.exec(value.comment)?.[1] ?? '',
}));
const runnable = examples.filter(({ name }) => !NEEDS_A_SERVER.includes(name));

let folder = '';
let results: Readonly<
  Record<string, { readonly logged: readonly string[]; readonly thrown?: string }>
>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'errand-examples-'));
  for (const { module, code } of runnable) writeFileSync(join(folder, module), fromSources(code));
  // an optional package that an example needs
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(TEMPORAL, join(folder, 'node_modules', '@temporalio'));
  const runner = join(import.meta.dirname, 'run-examples.mjs');
  const printed = execFileSync(process.execPath, [runner, folder], {
    cwd: folder,
    encoding: 'utf8',
  });
  results = JSON.parse(printed) as typeof results;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The same code, on the sources instead of an installed package. */
function fromSources(code: string): string {
  return code.replaceAll(/ from '(errand(?:\/[\w-]+)?)';/g, (whole, entry: string) => {
    const file = ENTRY_FILES[entry];
    return file === undefined ? whole : ` from '${pathToFileURL(join(SOURCES, file)).href}';`;
  });
}

describe('every exported value', () => {
  it.each(examples)('$name of $file has a doc comment and an example', ({ comment, code }) => {
    expect(comment.split('@example')[0]?.trim()).not.toBe('');
    expect(code).not.toBe('');
    expect(() => stripTypeScriptTypes(code)).not.toThrow();
  });
});

describe('an example prints what it says', () => {
  it.each(runnable)('$name of $file', ({ module, code }) => {
    const said = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);
    expect(said.length).toBeGreaterThan(0);
    expect(results[module]).toEqual({ logged: said });
  });
});
