/** The page of a run as a file: `errand show RUN --html`. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newFolder } from '../server/served.ts';
import { axeFindings, describeInBrowser, isTooWide, openFile, styleAttributes } from './browser.ts';
import { errandIn } from './errand-in.ts';
import { NO_QUOTA, REVIEW } from './workflows.ts';

function ranIn(folder: string): string {
  const { stdout } = errandIn(folder, 'runs', '--limit', '1', '--format', 'json');
  const [row] = JSON.parse(stdout) as readonly { readonly run: string }[];
  return row?.run ?? '';
}

describeInBrowser('the file of a run', () => {
  it('has all facts of the page, no script and no request, in light and dark', async () => {
    const folder = newFolder({ 'report.yaml': NO_QUOTA });
    errandIn(folder, 'run', 'report.yaml', '--quiet');
    const run = ranIn(folder);
    const file = join(folder, 'failure.html');
    writeFileSync(file, 'an older one');
    expect(errandIn(folder, 'show', run, '--html', 'failure.html').status).toBe(0);
    expect(readdirSync(folder).filter((name) => name.includes('.new'))).toEqual([]);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toMatch(/<script|<link|src=|@import|url\((?!#)/i);
    const { page, requests } = await openFile(file);
    expect(await page.title()).toBe(`failed report ${run}`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(`report ${run}`);
    const failure = page.getByRole('region', { name: 'Failure' });
    expect(await failure.textContent()).toContain('provider.quota_exhausted');
    for (const name of ['Failure', 'Next moves', 'Timeline', 'Output', 'Costs'])
      expect(await page.getByRole('region', { name, exact: true }).count(), name).toBe(1);
    expect(await page.getByRole('table', { name: 'Steps' }).count()).toBe(1);
    expect(await page.getByRole('img', { name: 'Workflow graph' }).count()).toBe(1);
    expect(await page.getByRole('list', { name: 'Routes taken' }).count()).toBe(1);
    expect(
      await page.getByRole('region', { name: 'Next moves' }).locator('code').first().textContent(),
    ).toBe(`errand resume ${run}`);
    expect(await page.getByRole('button').count()).toBe(0);
    expect(requests).toEqual([]);
    expect(await styleAttributes(page)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 700 });
    expect(await isTooWide(page)).toBe(false);
  });

  it('has no control character, whatever a script or a model wrote', () => {
    const file = String.raw`workflow: {name: loud, entry_point: a, on_unhandled: fail}
nodes: [{name: a, type: human_gate, prompt: "\e[31mred\e[2J \u202eevil", options: [{label: Yes, value: y}]}]
`;
    const folder = newFolder({ 'loud.yaml': file });
    errandIn(folder, 'run', 'loud.yaml', '--quiet');
    expect(errandIn(folder, 'show', ranIn(folder), '--html', 'loud.html').status).toBe(0);
    const text = readFileSync(join(folder, 'loud.html'), 'utf8');
    expect(text).toContain('red');
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  });

  it('is written of any run, also to stdout', () => {
    const folder = newFolder({ 'review.yaml': REVIEW });
    errandIn(folder, 'run', 'review.yaml', '--quiet');
    const run = ranIn(folder);
    const { status, stdout } = errandIn(folder, 'show', run, '--html', '-');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
    expect(stdout).toContain(run);
    expect(existsSync(join(folder, '-'))).toBe(false);
    expect(errandIn(folder, 'show', 'nobody', '--html', '-').status).not.toBe(0);
  });
});
