/**
 * Every command that the documentation shows is run, page by page, and prints what the page says; with each commit
 * those of the README and of half of the other pages.
 */
import { chmodSync, globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { renderPanel, reportFrom } from '../../src/browser.ts';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { fencesOf, notPrinted, stepsOf, type Command } from './page.ts';
import { pageCases, read, ROOT } from './page-cases.ts';
import { Shell } from './shell.ts';
import { triedPages } from './tried-pages.ts';
import { howToRepeat } from '../sampled.ts';

const PAGES = ['README.md', ...globSync('docs/{*,guide/*}.md', { cwd: ROOT }).toSorted()];
/** Its commands need a server, so `test/temporal/guide.test.ts` runs them. */
const ELSEWHERE = 'docs/guide/temporal.md';
/** A page of commands, and what they may hold that no test runs. */
const RUNNABLE = PAGES.filter(
  (page) => page !== ELSEWHERE && stepsOf(read(page)).some(({ type }) => type === 'command'),
);

const shell = new Shell('docs');
afterAll(() => {
  shell.remove();
  process.stdout.write(
    `\n${TRIED.length} of ${RUNNABLE.length} pages (${howToRepeat('test/docs/docs.test.ts')})\n`,
  );
});
afterEach(() => shell.endBackground());
const { root } = shell;

const FIRST = 'README.md';
const TRIED = [
  FIRST,
  ...triedPages(
    RUNNABLE.filter((page) => page !== FIRST),
    'pages of the documentation',
  ),
];

describe.each(TRIED)('%s', (page) => {
  it('does what it says', { timeout: 300_000 }, async () => {
    const folder = join(root, page.replaceAll(/[^a-z]/g, '-'));
    // where pages have a program, Errand is installed
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    symlinkSync(dirname(dirname(LAUNCHER)), join(folder, 'node_modules', 'errand'), 'dir');
    const sdks = read(page).includes("from 'ai'") ? ['ai', '@ai-sdk'] : [];
    for (const sdk of sdks)
      symlinkSync(
        join(ROOT, 'test/sdks/node_modules', sdk),
        join(folder, 'node_modules', sdk),
        'dir',
      );
    let run = 'RUN';
    for (const step of stepsOf(read(page))) {
      if (step.type === 'file') write(join(folder, step.name), step.text);
      else {
        // a person puts the id there that they were shown
        const typed = step.typed.replaceAll(/\bRUN\b/g, run);
        const { exit, printed } = await shell.type(typed, folder, step.exit);
        run = /\b(?=[a-z]*\d)[0-9a-hjkmnp-tv-z]{24}\b/.exec(printed)?.[0] ?? run;
        expectShown(page, step, { exit, printed });
      }
    }
  });
});

describe('the documentation', () => {
  pageCases(PAGES);
});

/** What a page shows as a whole workflow and does not run itself; what begins otherwise is a part of one. */
const WORKFLOWS = PAGES.flatMap((page) => {
  const steps = stepsOf(read(page));
  const isRun = (text: string): boolean =>
    steps.some(
      (step) =>
        step.type === 'file' &&
        step.text === text &&
        steps.some((other) => other.type === 'command' && other.typed.includes(step.name)),
    );
  return fencesOf(read(page))
    .filter(({ language, text }) => language === 'yaml' && /^workflow:/m.test(text))
    .filter(({ text }) => !isRun(text))
    .map(({ text, line }) => ({ page, line, text }));
});

describe('the panel of the README', () => {
  it('is what its program prints', () => {
    const error = { code: 'insufficient_quota', message: 'You exceeded your current quota' };
    const thrown = Object.assign(new Error('429'), { status: 429, headers: {}, ...error, error });
    const printed = renderPanel(reportFrom(thrown, { provider: 'openai' }));
    const panel = fencesOf(read(FIRST)).find(({ text }) => text.startsWith('╭'))?.text ?? '';
    const shown = panel.trimEnd().split('\n');
    const anyRows = shown.map((row) => (/^│ … +│$/.test(row) ? '…' : row));
    expect(shown.length).toBeGreaterThan(5);
    expect(notPrinted(anyRows, printed), printed).toBeUndefined();
  });
});

describe('a workflow on a page', () => {
  it('is there', () => {
    expect(WORKFLOWS[0]?.page).toBe('README.md');
  });

  it.each(WORKFLOWS)('is valid: $page:$line', async ({ page, line, text }) => {
    const folder = join(root, `valid-${page.replaceAll(/[^a-z]/g, '-')}-${line}`);
    write(join(folder, 'shown.yaml'), text);
    const { printed } = await shell.type('errand validate shown.yaml --format json', folder);
    const { files } = JSON.parse(printed) as {
      files: { diagnostics: { severity: string; code: string }[] }[];
    };
    // a host may register what a file without a module calls
    const wrong = files
      .flatMap(({ diagnostics }) => diagnostics)
      .filter(({ severity, code }) => severity === 'error' && code !== 'unknown-function');
    expect(wrong, `${page}:${line}`).toEqual([]);
  });

  it('the first of the README, runs as it says', { timeout: 300_000 }, async () => {
    const folder = join(root, 'first');
    // as it stands there, with models that need no key
    const text = (WORKFLOWS[0]?.text ?? '')
      .replace(/model: \[.*?\].*/, 'model: [sim/first, sim/second]')
      .replace(
        'nodes:',
        `  runtime: {simulate: {first: [{fail: {kind: provider.overloaded}}], second: [{answer: {label: refund}}]}}\nnodes:`,
      );
    write(join(folder, 'orders.yaml'), text);
    write(join(folder, 'refund.sh'), '#!/bin/sh\necho \'{"paid": true}\'\n');
    chmodSync(join(folder, 'refund.sh'), 0o755);
    const { exit, printed } = await shell.type(
      'errand run orders.yaml -i ticket="It broke"',
      folder,
    );
    expect(exit, printed).toBe(0);
    expect(printed).toContain('"paid": true');
    expect((await shell.type('errand run orders.yaml', folder)).exit).toBe(2);
  });

  it('the first of the README, takes every route and keeps every promise of a move', async () => {
    const folder = join(root, 'rehearsed');
    write(join(folder, 'orders.yaml'), WORKFLOWS[0]?.text ?? '');
    const all = 'routes=100,moves=100,kinds=100,doubt=100';
    const { exit, printed } = await shell.type(`errand rehearse orders.yaml --min ${all}`, folder);
    expect(exit, printed).toBe(0);
  }, 300_000);
});

function expectShown(
  page: string,
  { typed, exit, prints, line }: Command,
  ended: { readonly exit: number | null; readonly printed: string },
): void {
  const place = `${page}:${line} $ ${typed}\n${ended.printed}`;
  expect(ended.exit, place).toBe(exit);
  expect(notPrinted(prints, ended.printed), place).toBeUndefined();
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
