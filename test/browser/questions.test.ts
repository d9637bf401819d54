/** Questions: every form of an answer, and what the second of two people sees. */
import { expect, it } from 'vitest';
import { serve } from '../server/served.ts';
import { axeFindings, describeInBrowser, expectTrouble, isTooWide, open } from './browser.ts';
import { DETAILS, DOUBT, ESSAY, REVIEW } from './workflows.ts';

const FILES = { 'review.yaml': REVIEW, 'doubt.yaml': DOUBT };

describeInBrowser('questions', () => {
  it('are answered by a button, and the run continues', async () => {
    const served = await serve({ files: FILES });
    const { run } = await served.run('review');
    const { page, context } = await open(served, { path: '/gates' });
    const { page: other } = await open(served, { path: '/gates', context });
    await other.getByRole('article', { name: 'review decide' }).waitFor();
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Questions 1' })
      .waitFor();
    const article = page.getByRole('article', { name: 'review decide' });
    await article.getByText('Publish the text about tea?').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await article.getByRole('button', { name: 'Publish it' }).dblclick();
    await article.waitFor({ state: 'detached' });
    await page.getByText('review: Answered decide with Publish it.').waitFor();
    await other.getByText('Last, http:local answered decide: publish.', { exact: false }).waitFor();
    await expect
      .poll(async () => (await served.ask(`/v1/runs/${run}`)).json.status)
      .toBe('completed');
    const { json } = await served.ask(`/v1/runs/${run}/audit`);
    expect(json).toMatchObject([{ who: 'http:local', what: 'answer', detail: 'publish' }]);
  });

  it('about a budget name the amount, take another one, and hand the focus to the next question', async () => {
    const served = await serve({ files: { ...FILES, 'essay.yaml': ESSAY } });
    const asked = [await served.run('essay'), await served.run('essay'), await served.run('essay')];
    const { page } = await open(served, { path: '/gates' });
    const essays = page.getByRole('article', { name: 'essay write#budget' });
    await expect.poll(() => essays.count()).toBe(3);
    await essays
      .first()
      .getByText(/Raise the budget by \$0\.02\d*, or abort\?/)
      .waitFor();
    const following = await essays.nth(2).getByRole('heading').getAttribute('id');
    await essays.nth(1).getByRole('spinbutton', { name: 'usd' }).fill('0.5');
    await essays.nth(1).getByRole('button', { name: 'Answer' }).click();
    await expect.poll(() => essays.count()).toBe(2);
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe(following);
    await page.goto(served.url);
    await page.getByText('a larger budget for write', { exact: true }).first().waitFor();
    const runs = await Promise.all(
      asked.map(async ({ run }) => {
        const headers = { prefer: 'wait=30' };
        return (await served.ask(`/v1/runs/${run}`, { headers })).json;
      }),
    );
    expect(runs.filter(({ status }) => status === 'paused')).toHaveLength(2);
    expect(runs.filter(({ status }) => status === 'completed')).toHaveLength(1);
  });

  it('take a text where an option asks for one', async () => {
    const served = await serve({ files: FILES });
    const { run } = await served.run('review');
    const { page } = await open(served, { path: '/gates' });
    const article = page.getByRole('article', { name: 'review decide' });
    await article.getByRole('button', { name: 'Answer' }).click();
    await article.getByText('This answer needs a text.').waitFor();
    await article.getByRole('textbox', { name: 'reason' }).fill('too long');
    await article.getByRole('button', { name: 'Answer' }).click();
    await article.waitFor({ state: 'detached' });
    const { json } = await served.ask(`/v1/runs/${run}`, { headers: { prefer: 'wait=30' } });
    expect(json.output).toEqual({ decision: { selected: 'back', additional_input: 'too long' } });
  });

  it('of a list have a field each, with its choices, its default, and what it needs', async () => {
    const served = await serve({ files: { 'trip.yaml': DETAILS } });
    const { run } = await served.run('trip');
    const { page } = await open(served, { path: '/gates' });
    const article = page.getByRole('article', { name: 'trip details' });
    const send = article.getByRole('button', { name: 'Answer', exact: true });
    await send.click();
    await article.getByText('This question needs an answer.').waitFor();
    const region = article.getByRole('combobox', { name: 'Which region is it for?' });
    expect(await region.getAttribute('aria-invalid')).toBe('true');
    await expect
      .poll(() => region.evaluate((field) => field === document.activeElement))
      .toBe(true);
    expect(await axeFindings(page)).toEqual([]);
    await region.selectOption('us');
    const start = article.getByRole('textbox', { name: 'When does it begin?' });
    expect(await start.inputValue()).toBe('tomorrow');
    await article.getByRole('textbox', { name: 'Anything else?' }).fill('two\nlines');
    // the form is not the way out of it
    expect(await article.locator('button.primary').allTextContents()).toEqual(['Answer']);
    await send.click();
    await article.waitFor({ state: 'detached' });
    const { json } = await served.ask(`/v1/runs/${run}`, { headers: { prefer: 'wait=30' } });
    expect(json.output).toEqual({
      answers: { region: 'us', when: 'tomorrow', note: 'two\nlines' },
    });
  });

  it('take a result in place of the failed one, by the fields of its schema', async () => {
    const served = await serve({ files: FILES });
    const { run } = await served.run('doubt');
    const { page } = await open(served, { path: '/gates' });
    const article = page.getByRole('article', { name: 'doubt classify' });
    await article.getByRole('link', { name: 'internal.script_error' }).waitFor();
    await article.getByRole('combobox', { name: 'label' }).selectOption('bug');
    const score = article.getByRole('spinbutton', { name: 'score' });
    expectTrouble();
    for (const [typed, refused] of [
      ['', 'It must have the property "score".'],
      ['0.5', '/score must be an integer.'],
    ] as const) {
      await score.fill(typed);
      await article.getByRole('button', { name: 'Answer' }).click();
      await article.getByRole('alert').getByText(refused).waitFor();
      await article.locator('.field-error', { hasText: refused }).waitFor();
      await expect
        .poll(() => score.evaluate((field) => field === document.activeElement))
        .toBe(true);
      expect(await score.getAttribute('aria-invalid')).toBe('true');
      expect(await score.inputValue()).toBe(typed);
    }
    await article.getByRole('spinbutton', { name: 'score' }).fill('3');
    await article.getByRole('button', { name: 'Answer' }).click();
    await article.waitFor({ state: 'detached' });
    const { json } = await served.ask(`/v1/runs/${run}`, { headers: { prefer: 'wait=30' } });
    expect(json.output).toEqual({ label: 'bug', score: 3 });
  });

  it('of two tabs the second one sees what is now, and who answered', async () => {
    const served = await serve({ files: FILES });
    const { run } = await served.run('review');
    const { page, context } = await open(served, { path: `/runs/${run}` });
    const { page: other } = await open(served, { path: `/runs/${run}`, context });
    const answer = page
      .getByRole('region', { name: 'Next moves' })
      .getByRole('button', { name: 'Drop it' });
    await answer.waitFor();
    await other.getByRole('button', { name: 'Publish it' }).waitFor();
    // the other tab does not hear of it before it clicks
    for (const unheard of ['**/events?*', '**/moves', '**/view'])
      await other.route(unheard, (route) => route.abort());
    expectTrouble();
    await answer.click();
    await expect.poll(() => page.title()).toContain('completed');
    await other.getByRole('button', { name: 'Publish it' }).click();
    const alert = other.getByRole('alert');
    await alert
      .getByText('The run is now completed. Last, http:local answered decide: drop.')
      .waitFor();
  });

  it('that somebody else answers leave what was typed, and say who it was', async () => {
    const served = await serve({ files: FILES });
    for (const at of ['/runs/RUN', '/gates']) {
      const { run } = await served.run('review');
      const { page } = await open(served, { path: at.replace('RUN', run) });
      await page.getByRole('textbox', { name: 'reason' }).fill('far too long');
      await served.ask(`/v1/runs/${run}/answers`, { json: { value: 'drop' } });
      const notice = page.locator('.notice');
      await notice.getByText('Last, http:local answered decide: drop.').waitFor();
      await notice.getByText('far too long').waitFor();
      await notice.getByRole('button', { name: 'Copy it' }).waitFor();
    }
  });

  it('are shown without buttons to someone who may only read', async () => {
    const served = await serve({ files: FILES, args: ['--read-only'] });
    const { page } = await open(served, { path: '/gates', viewport: { width: 320, height: 640 } });
    await page.getByText('No question is open.').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await isTooWide(page)).toBe(false);
  });
});
