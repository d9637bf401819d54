/** The list of runs, and the form that starts one. */
import { expect, it } from 'vitest';
import { serve } from '../server/served.ts';
import { axeFindings, describeInBrowser, expectTrouble, isTooWide, open } from './browser.ts';
import { BROKEN, DOUBT, FORM, NO_QUOTA, REVIEW } from './workflows.ts';

describeInBrowser('the list of runs', () => {
  it('has the kind and message of the failure that a run asks about, as its JSON has', async () => {
    const served = await serve({ files: { 'doubt.yaml': DOUBT } });
    const { run } = await served.run('doubt');
    const { json } = await served.ask('/v1/runs');
    const [row] = json.runs as readonly {
      readonly waiting: { readonly error: { readonly kind: string; readonly message: string } };
    }[];
    const { error } = row?.waiting ?? {};
    expect(error?.kind).toBe('internal.script_error');
    const { page } = await open(served);
    const shown = page.getByRole('row').filter({ has: page.getByRole('link', { name: run }) });
    const failure = shown.getByRole('cell').nth(2);
    await expect.poll(() => failure.textContent()).toBe(`internal.script_error${error?.message}`);
  });

  it('filters by status, keeps kinds in their places, and says which runs failed again', async () => {
    const served = await serve({
      files: { 'a.yaml': NO_QUOTA, 'b.yaml': BROKEN, 'c.yaml': REVIEW },
    });
    for (const name of ['report', 'broken', 'broken', 'review']) await served.run(name);
    const { page } = await open(served);
    const table = page.getByRole('table', { name: 'Runs' });
    const runs = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Runs' });
    const kinds = page.getByRole('list', { name: 'Failures by kind' });
    await expect
      .poll(() => kinds.getByRole('link').allTextContents())
      .toEqual(['provider.quota_exhausted', 'validation.template']);
    expect(await runs.getAttribute('aria-current')).toBe('page');
    await page.getByRole('combobox', { name: 'Status' }).selectOption('paused');
    await expect.poll(() => table.getByRole('row').count()).toBe(2);
    expect(page.url()).toBe(`${served.url}/?status=paused`);
    expect(await table.textContent()).toContain('an answer to decide');
    await page.getByRole('button', { name: 'Clear filters' }).click();

    const item = kinds.getByRole('listitem').filter({ hasText: 'validation.template' });
    await item.getByRole('button', { name: 'Resume all' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 of broken').waitFor();
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('2 of them failed again').waitFor();
    await table.getByText('broken').first().click();
    await page.getByText(/^once, .*, by http:local$/).waitFor();
    expect(await runs.getAttribute('aria-current')).toBe('true');
  });

  it('has the reason of each failure, filters in the address, and resumes all of a kind', async () => {
    const served = await serve({
      files: { 'a.yaml': NO_QUOTA, 'b.yaml': BROKEN, 'c.yaml': REVIEW },
    });
    const ids: string[] = [];
    for (let index = 0; index < 3; index++) ids.push((await served.run('report')).run);
    await served.run('broken');
    await served.run('review');
    const { page } = await open(served);
    const table = page.getByRole('table', { name: 'Runs' });
    await table.waitFor();
    expect(await table.getByRole('columnheader').allTextContents()).toEqual([
      'Status',
      'Workflow',
      'Failure',
      'Where',
      'Started',
      'Cost',
      'Waits for',
    ]);
    expect(await table.getByRole('row').count()).toBe(6);
    const row = table
      .getByRole('row')
      .filter({ has: page.getByRole('link', { name: ids[0] ?? '' }) });
    const words = (await row.textContent()) ?? '';
    for (const each of ['failed', 'report', 'provider.quota_exhausted', 'The quota', 'write'])
      expect(words).toContain(each);
    expect(await table.textContent()).toContain('waiting person');
    await row.getByText('The quota').click();
    await page.getByRole('heading', { level: 1, name: ids[0] ?? '' }).waitFor();
    await page.goBack();
    await table.waitFor();
    expect(await axeFindings(page)).toEqual([]);

    await page.getByRole('combobox', { name: 'Attention' }).selectOption('failed');
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('provider.quota_exhausted');
    await expect.poll(() => table.getByRole('row').count()).toBe(4);
    expect(page.url()).toBe(`${served.url}/?attention=failed&kind=provider.quota_exhausted`);
    await page.reload();
    await expect.poll(() => table.getByRole('row').count()).toBe(4);
    await page.goBack();
    await expect.poll(() => table.getByRole('row').count()).toBe(5);

    const kinds = page.getByRole('list', { name: 'Failures by kind' });
    const item = kinds.getByRole('listitem').filter({ hasText: 'provider.quota_exhausted' });
    expect(await item.textContent()).toContain('3 ×');
    await item.getByRole('button', { name: 'Resume all' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.textContent()).toContain('3 runs');
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Resumed 3 runs').waitFor();
    for (const id of ids)
      await expect
        .poll(async () => (await served.ask(`/v1/runs/${id}`)).json.status)
        .toBe('completed');
    await item.waitFor({ state: 'detached' });
    // the button that was clicked is gone
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain(
      'Resumed 3 runs',
    );
  });

  it('has fifty at a time, and the older ones behind a button', async () => {
    const served = await serve({ files: { 'form.yaml': FORM } });
    const first = await served.run('form', { input: { ticket: 'the oldest' } });
    await Promise.all(
      Array.from({ length: 50 }, (_, at) => served.run('form', { input: { ticket: String(at) } })),
    );
    const { page } = await open(served);
    const rows = page.getByRole('table', { name: 'Runs' }).locator('tbody').getByRole('row');
    await expect.poll(() => rows.count()).toBe(50);
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByRole('link', { name: first.run }).waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    await page.reload();
    await page.getByRole('link', { name: first.run }).waitFor();
  });

  it('is followed live, fits a phone, and is empty in words', async () => {
    const served = await serve({ files: { 'c.yaml': REVIEW } });
    const { page } = await open(served, { viewport: { width: 320, height: 640 } });
    await page.getByText('There is no run yet.').waitFor();
    const { run } = await served.run('review');
    await page.getByRole('link', { name: run }).waitFor();
    await expect.poll(() => page.getByRole('status').textContent()).toBe('review asks: decide');
    expect(await isTooWide(page)).toBe(false);
    expect(await axeFindings(page)).toEqual([]);
  });
});

describeInBrowser('the form of a workflow', () => {
  it('has a field for each input, shows refusals at them, loses nothing, and leads to the run', async () => {
    const served = await serve({ files: { 'form.yaml': FORM } });
    const { page } = await open(served, { path: '/workflows' });
    await page.getByRole('link', { name: 'form', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'form' }).waitFor();
    const form = page.getByRole('form', { name: 'Start' });
    await form.waitFor();
    expect(await page.getByText('Keeps what it is given.').isVisible()).toBe(true);
    expect(await page.getByRole('table', { name: 'Failure routes' }).isVisible()).toBe(true);
    expect(await form.getByRole('spinbutton', { name: 'pages' }).inputValue()).toBe('2');
    expect(await form.getByRole('combobox', { name: 'tone' }).inputValue()).toBe('plain');
    expect(await form.getByRole('checkbox', { name: 'send' }).isChecked()).toBe(true);
    expect(await axeFindings(page)).toEqual([]);

    await form.getByRole('textbox', { name: 'tags' }).fill('[1,');
    await form.getByRole('button', { name: 'Start' }).click();
    await form.getByText('It is not JSON').waitFor();
    await form.getByRole('textbox', { name: 'tags' }).fill('["a"]');
    expectTrouble();
    await form.getByRole('button', { name: 'Start' }).click();
    await form.getByText('form needs the input ticket').waitFor();
    const ticket = form.getByRole('textbox', { name: 'ticket' });
    await expect
      .poll(() => ticket.evaluate((field) => field === document.activeElement))
      .toBe(true);
    expect(await ticket.getAttribute('aria-invalid')).toBe('true');
    await form.getByRole('spinbutton', { name: 'pages' }).fill('1.5');
    await ticket.fill('Where is my money?');
    await form.getByRole('button', { name: 'Start' }).click();
    await form.getByText('The input pages does not fit').waitFor();
    expect(await ticket.inputValue()).toBe('Where is my money?');
    await form.getByRole('spinbutton', { name: 'pages' }).fill('3');
    await form.getByRole('checkbox', { name: 'send' }).uncheck();
    await form.getByRole('button', { name: 'Start' }).dblclick();
    await page.getByRole('region', { name: 'Output' }).getByText('Where is my money?').waitFor();
    const { json } = await served.ask('/v1/runs');
    expect(json.runs).toHaveLength(1);
    const { json: run } = await served.ask(`/v1/runs/${json.runs[0].run}`);
    expect(run.input).toEqual({
      ticket: 'Where is my money?',
      pages: 3,
      tone: 'plain',
      send: false,
      tags: ['a'],
    });
  });

  it('is not there for someone who may only read', async () => {
    const served = await serve({ files: { 'form.yaml': FORM }, args: ['--read-only'] });
    const { page } = await open(served, { path: '/workflows/form' });
    await page.getByRole('table', { name: 'Failure routes' }).waitFor();
    expect(await page.getByRole('form').count()).toBe(0);
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByText('There is no run yet. Start one with errand run.').waitFor();
  });
});
