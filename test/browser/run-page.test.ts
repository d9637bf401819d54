/** The page of a run: its failure, its moves, its steps and its graph, found by roles and names. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serve } from '../server/served.ts';
import {
  axeFindings,
  describeInBrowser,
  expectTrouble,
  isTooWide,
  open,
  styleAttributes,
} from './browser.ts';
import { errandIn } from './errand-in.ts';
import { BROKEN, CALLED, CALLING, impatient, MISREAD, NO_QUOTA, REVIEW } from './workflows.ts';

describeInBrowser('the page of a run', () => {
  it('shows what failed, what to do, what was tried and what it cost', async () => {
    const served = await serve({ files: { 'report.yaml': NO_QUOTA } });
    const { run } = await served.run('report');
    const { page } = await open(served, { path: `/runs/${run}` });
    const failure = page.getByRole('region', { name: 'Failure' });
    await failure.waitFor();
    const text = (await failure.textContent()) ?? '';
    expect(await page.title()).toBe(`failed report ${run}`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(`report ${run}`);
    expect(
      await failure.getByRole('link', { name: 'provider.quota_exhausted' }).first().isVisible(),
    ).toBe(true);
    for (const words of [
      'Quota exhausted',
      'What to do',
      'capacity (goes away by paying',
      'err_',
      'insufficient_quota',
    ])
      expect(text).toContain(words);
    const attempts = failure.getByRole('table', { name: 'Every attempt' });
    await attempts.waitFor();
    expect(await attempts.getByRole('row').count()).toBe(3);
    expect(await attempts.textContent()).toContain('provider.server_error');
    expect(await page.getByRole('region', { name: 'Costs' }).textContent()).toContain(
      'for failed attempts',
    );
    for (const name of ['Next moves', 'Timeline', 'Output', 'Costs'])
      expect(await page.getByRole('region', { name, exact: true }).count()).toBe(1);
    expect(await axeFindings(page)).toEqual([]);
    expect(await styleAttributes(page)).toBe(0);
  });

  it('leads from the failure of a called workflow to its lines, its request and what it crossed', async () => {
    const served = await serve({ files: { 'calling.yaml': CALLING, 'called.yaml': CALLED } });
    const { run } = await served.run('calling');
    const { page } = await open(served, { path: `/runs/${run}` });
    const failure = page.getByRole('region', { name: 'Failure' });
    await failure.getByText('called.yaml, line 15').waitFor();
    const text = (await failure.textContent()) ?? '';
    for (const words of [
      'name: say',
      'request req_011CabcDEF',
      'Crossed, from the inside out',
      'outer in calling',
      'Caused by',
      'provider.overloaded',
    ])
      expect(text).toContain(words);
    await page.getByRole('link', { name: 'Repair the workflow file' }).click();
    await page.getByText('another file: outer/say in called (called.yaml:15:').waitFor();
    expect(await page.getByRole('button', { name: 'Go to line' }).count()).toBe(0);
  });

  it('says why it cannot resume a run, and what to do instead', async () => {
    const served = await serve({ files: { 'broken.yaml': BROKEN, 'review.yaml': REVIEW } });
    const { run } = await served.run('broken');
    const asking = await served.run('review');
    writeFileSync(join(served.folder, 'broken.yaml'), BROKEN.replace('to: sum_up', 'to: nowhere'));
    const { page } = await open(served, { path: `/runs/${run}` });
    const moves = page.getByRole('region', { name: 'Next moves' });
    const repair = moves.getByRole('link', { name: 'Repair the workflow file' });
    await moves.getByText('The file of broken has errors').waitFor();
    await repair.click();
    await page.getByRole('region', { name: 'Diagnostics' }).getByText('nowhere').first().waitFor();

    for (const name of ['broken', 'review']) rmSync(join(served.folder, `${name}.yaml`));
    await page.goto(`${served.url}/runs/${run}`);
    await moves.getByText('This server does not serve broken').waitFor();
    expect(await moves.getByRole('code').allTextContents()).toEqual([
      `errand resume ${run}`,
      `errand cancel ${run}`,
    ]);
    expect(await moves.getByRole('button', { name: 'Resume' }).count()).toBe(0);
    expect(await repair.count()).toBe(0);
    expect(await page.getByRole('link', { name: 'broken.yaml', exact: true }).count()).toBe(0);
    await page.goto(served.url);
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: run }) });
    await row.getByText('not served here').waitFor();
    expect(await row.getByRole('button').allTextContents()).toEqual(['Cancel']);
    await page.getByRole('button', { name: 'Resume all' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('cannot be resumed by this server: 1 of broken (not served').waitFor();
    expect(await dialog.getByText('will be resumed').count()).toBe(0);
    expect(await dialog.getByRole('button', { name: 'Confirm' }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Back' }).click();
    writeFileSync(join(served.folder, 'broken.yaml'), BROKEN);
    await expect
      .poll(async () => (await served.ask('/v1/workflows')).json.workflows.length)
      .toBe(1);
    await page.getByRole('button', { name: 'Resume all' }).click();
    await dialog.getByText('(1 of broken) will be resumed where it stopped').waitFor();
    await dialog.getByRole('button', { name: 'Back' }).click();
    await row.getByRole('button', { name: 'Resume' }).waitFor();
    await page.goto(`${served.url}/runs/${asking.run}`);
    await moves.getByText('It keeps an answer until the run is resumed').waitFor();
    expect(await repair.count()).toBe(0);
  });

  it('shows the reply that has the wrong form, and every attempt that was paid for', async () => {
    const served = await serve({ files: { 'misread.yaml': MISREAD } });
    const { run } = await served.run('misread');
    const { page } = await open(served, { path: `/runs/${run}` });
    const failure = page.getByRole('region', { name: 'Failure' });
    await failure.getByText('{"total":12}', { exact: true }).waitFor();
    const attempts = failure.getByRole('table', { name: 'Every attempt' });
    const costs = attempts.locator('td:last-child');
    await expect
      .poll(() => costs.allTextContents())
      .toEqual(['$0.0141', '$0.0171', '$0.0171', '$0.0171']);
    const notTheForm = 'The reply did not have the required form';
    await expect
      .poll(() => attempts.locator('.message').allTextContents())
      .toEqual([expect.stringContaining('has no capacity'), notTheForm, notTheForm, notTheForm]);
    // a kind takes one line where the message beside it may take two
    const lines = await attempts
      .locator('.kind')
      .evaluateAll((all) =>
        all.map((each) => new Set([...each.getClientRects()].map(({ top }) => top)).size),
      );
    expect(lines).toEqual([1, 1, 1, 1]);
    const file = errandIn(served.folder, 'show', run, '--html', '-').stdout;
    expect(file).toContain('The last reply of the model');
  });

  it('reads no history of failures for a run that asks and has none', async () => {
    const served = await serve({ files: { 'review.yaml': REVIEW } });
    const { run } = await served.run('review');
    const { page } = await open(served);
    await page.getByRole('link', { name: run }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${served.url}/runs/${run}?step=decide`);
    await page.getByRole('button', { name: 'Publish it' }).waitFor();
    await page.getByRole('region', { name: 'Step decide' }).getByText('gate:opened').waitFor();
    expect(asked.filter((path) => path.includes(run))).toContain(`/v1/runs/${run}/view`);
    expect(asked.filter((path) => path.endsWith('/explain'))).toEqual([]);
  });

  it('resumes where the failure is shown, and follows the run to its end without a reload', async () => {
    const served = await serve({ files: { 'report.yaml': NO_QUOTA } });
    const { run } = await served.run('report');
    const { page } = await open(served, { path: `/runs/${run}` });
    const moves = page.getByRole('region', { name: 'Next moves' });
    expect(await moves.locator('code').first().textContent()).toBe(`errand resume ${run}`);
    await moves.getByRole('button', { name: 'Resume' }).dblclick();
    await page.getByRole('region', { name: 'Output' }).getByText('All is well').waitFor();
    await expect.poll(() => page.title()).toBe(`completed report ${run}`);
    expect(await page.getByRole('region', { name: 'Failure' }).count()).toBe(0);
    await expect.poll(() => page.getByRole('status').textContent()).toBe('report completed');
    const { json } = await served.ask(`/v1/runs/${run}/audit`);
    expect(json.filter(({ what }: { what: string }) => what === 'resume')).toHaveLength(1);
  });

  it('says which failure it backs off from, until when, and tries again at once', async () => {
    const files = { 'busy.yaml': impatient('busy', 60), 'parked.yaml': impatient('parked', 3600) };
    const served = await serve({ files });
    const { run: busy } = (await served.ask('/v1/runs', { json: { workflow: 'busy' } })).json;
    const { page } = await open(served, { path: `/runs/${busy}` });
    const failure = page.getByRole('region', { name: 'Failure' });
    await expect.poll(() => failure.textContent()).toContain('provider.rate_limited');
    const head = page.locator('.page-head');
    await expect.poll(() => head.textContent()).toMatch(/retrying.*the next try of say, in \d+ s/s);
    const steps = page.getByRole('table', { name: 'Steps' });
    expect(await steps.textContent()).toContain('provider.rate_limited retrying');
    await page.goto(served.url);
    const row = page.getByRole('row', { name: busy });
    await expect
      .poll(() => row.textContent())
      .toMatch(/provider\.rate_limited.*say.*the next try, in \d+ s/s);
    const { run: parked } = await served.run('parked');
    await page.goto(`${served.url}/runs/${parked}`);
    await expect.poll(() => failure.textContent()).toContain('provider.rate_limited');
    await expect.poll(() => head.textContent()).toMatch(/the next try of say, in \d+ min/);
    await page
      .getByRole('region', { name: 'Next moves' })
      .getByRole('button', { name: 'Resume' })
      .click();
    await expect.poll(() => page.title()).toBe(`completed parked ${parked}`);
    expect(await failure.count()).toBe(0);
  });

  it('opens a step from its row by keyboard, and gives the focus back', async () => {
    const served = await serve({ files: { 'broken.yaml': BROKEN } });
    const { run } = await served.run('broken');
    const { page } = await open(served, { path: `/runs/${run}` });
    const steps = page.getByRole('table', { name: 'Steps' });
    await steps.waitFor();
    expect(await steps.getByRole('columnheader').allTextContents()).toEqual([
      'Step',
      'Status',
      'Attempts',
      'Failure',
      'Cost',
    ]);
    await steps.getByRole('button', { name: 'fetch' }).focus();
    await page.keyboard.press('Enter');
    const step = page.getByRole('region', { name: 'Step fetch' });
    await step.waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe('Step fetch');
    expect(page.url()).toContain('?step=fetch');
    await step.getByText('node:failed').waitFor();
    expect(await step.getByRole('button', { name: 'Retry from here' }).isVisible()).toBe(true);
    expect(await axeFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 1100, height: 900 });
    const kind = steps.getByRole('link', { name: 'internal.script_error' });
    expect(await kind.evaluate(brokenWords)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 900 });
    await step.getByRole('button', { name: 'Retry from here' }).click();
    await expect
      .poll(async () => (await served.ask(`/v1/runs/${run}/audit`)).json)
      .toMatchObject([{ who: 'http:local', what: 'retry', path: 'fetch' }]);
    await step.getByText('2 tries').waitFor();
    await step.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('fetch');
    await page.goBack();
    await step.waitFor();
  });

  it('draws the routes taken; only the way of the open failure is red', async () => {
    const served = await serve({ files: { 'broken.yaml': BROKEN } });
    const { run } = await served.run('broken');
    const { page } = await open(served, { path: `/runs/${run}` });
    const graph = page.getByRole('img', { name: 'Workflow graph' });
    await graph.waitFor();
    expect(
      await page
        .getByRole('list', { name: 'Routes taken' })
        .getByRole('listitem')
        .allTextContents(),
    ).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^fetch: .* → apologise$/),
        'apologise → sum_up',
      ]),
    );
    expect(await graph.locator('[data-route="error"]').count()).toBe(1);
    expect(await graph.locator('[data-route="error"].open').count()).toBe(0);
    expect(await graph.locator('[data-node="sum_up"]').getAttribute('data-status')).toBe('failed');
    expect(await graph.locator('[data-node="fetch"][data-bad]').count()).toBe(0);
    expect(await graph.locator('[data-node="sum_up"][data-bad]').count()).toBe(1);
  });

  it('cancels after asking once', async () => {
    const served = await serve({ files: { 'review.yaml': REVIEW } });
    const { run } = await served.run('review');
    const { page } = await open(served, { path: `/runs/${run}` });
    const cancel = page
      .getByRole('region', { name: 'Next moves' })
      .getByRole('button', { name: 'Cancel' });
    await cancel.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent))
      .toBe('Cancel');
    await cancel.click();
    // a key that is pressed before the dialog is drawn does not reach it
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await cancel.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
    await expect.poll(() => page.title()).toBe(`cancelled review ${run}`);
    await expect
      .poll(() =>
        page.getByRole('heading', { level: 1 }).evaluate((h1) => h1.parentElement?.textContent),
      )
      .toContain('http:local');
  });

  it('copies the failure and the command, also without a secure context', async () => {
    const served = await serve({ files: { 'broken.yaml': BROKEN } });
    const { run } = await served.run('broken');
    const { page, context } = await open(served, { path: `/runs/${run}` });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const copied = async (name: string): Promise<string> => {
      await page.getByRole('button', { name }).first().click();
      await page.getByText('Copied').first().waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    await page.getByRole('region', { name: 'Failure' }).waitFor();
    await expect.poll(() => copied('Copy as Markdown')).toContain('### ');
    await expect
      .poll(async () => JSON.parse(await copied('Copy as problem JSON')) as unknown)
      .toMatchObject({
        kind: 'validation.template',
      });
    await page.evaluate(() => Object.defineProperty(window, 'isSecureContext', { value: false }));
    await expect.poll(() => copied('Copy command')).toBe(`errand resume ${run}`);
  });

  it('fits a phone, and says in the words of the server that a run is not there', async () => {
    const served = await serve({ files: { 'broken.yaml': BROKEN } });
    const { run } = await served.run('broken');
    const viewport = { width: 320, height: 640 };
    const { page, context } = await open(served, { path: `/runs/${run}?step=fetch`, viewport });
    await page.getByRole('region', { name: 'Step fetch' }).getByText('node:failed').waitFor();
    expect(await isTooWide(page)).toBe(false);
    await page.getByText('Every attempt (1)').click();
    for (const name of ['Every attempt and its cost', 'By node', 'By model and tool']) {
      const table = page.getByRole('table', { name, exact: true });
      expect(await table.getByRole('cell').first().isVisible()).toBe(true);
      expect(
        await table.evaluate(({ parentElement: frame }) =>
          frame === null ? 0 : frame.scrollWidth - frame.clientWidth,
        ),
        name,
      ).toBe(0);
    }
    expectTrouble();
    const { page: other } = await open(served, { path: '/runs/nope', context });
    await other.getByRole('alert').waitFor();
    expect(await other.getByRole('alert').textContent()).toContain(
      'There is no run nope in this store',
    );
  });
});

/** Texts of an element that take more than one line. */
function brokenWords(element: Element): readonly string[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const found: string[] = [];
  for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
    range.selectNodeContents(text);
    if (range.getClientRects().length > 1) found.push(text.textContent ?? '');
  }
  return found;
}
