/** What holds on every page: its heading and title, its navigation, its width, the keyboard. For axe see `accessibility.test.ts`. */
import { expect, it } from 'vitest';
import { serve } from '../server/served.ts';
import { describeInBrowser, isTooWide, open, styleAttributes } from './browser.ts';
import { BROKEN, FORM, RAISING, REVIEW } from './workflows.ts';

const FILES = { 'broken.yaml': BROKEN, 'review.yaml': REVIEW, 'form.yaml': FORM };

describeInBrowser('every page', () => {
  it('has one heading with its title, the navigation, one live region, and fits a phone', async () => {
    const served = await serve({ files: FILES });
    const { run } = await served.run('broken');
    const { run: asking } = await served.run('review');
    const pages: readonly (readonly [path: string, heading: string, title?: string])[] = [
      ['/', 'Runs'],
      [`/runs/${run}`, `broken ${run}`, `failed broken ${run}`],
      [`/runs/${run}?step=sum_up`, `broken ${run}`, `failed broken ${run}`],
      [`/runs/${asking}?step=decide`, `review ${asking}`, `paused review ${asking}`],
      [`/runs/${run}/repair`, 'Repair'],
      ['/gates', 'Questions'],
      ['/workflows', 'Workflows'],
      ['/workflows/form', 'form'],
      ['/kinds/validation.template', 'validation.template'],
    ];
    const { page } = await open(served);
    // signed in: to leave the page before that would ask for the token again
    await page.getByRole('link', { name: run }).waitFor();
    for (const [path, heading, title = heading] of pages) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(served.url + path);
      await expect.poll(() => page.title()).toBe(title);
      expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual([heading]);
      expect(await page.getByRole('status').count()).toBe(1);
      const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
      await expect
        .poll(() => links.allTextContents())
        .toEqual(['Runs', 'Questions 1', 'Workflows']);
      expect(await styleAttributes(page)).toBe(0);
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await isTooWide(page)).toBe(false);
    }
  });

  it('of a kind that an author made says what it means, what to do, where it occurred, and who declares it', async () => {
    const served = await serve({ files: { 'raising.yaml': RAISING } });
    const { run } = await served.run('raising');
    const { page } = await open(served, { path: '/kinds/payment.declined' });
    const occurred = page.getByRole('region', { name: 'Where it occurred' });
    await occurred.getByRole('link', { name: run }).waitFor();
    const declared = page.getByRole('region', { name: 'Nodes that can raise it' });
    await declared.getByText('pay').waitFor();
    const text = (await page.locator('main').textContent()) ?? '';
    for (const words of ['Raised by the workflow', 'Its author chose the name', 'What to do'])
      expect(text).toContain(words);
    expect(text).toContain('Add a route for this kind, or fix what raised it.');
  });

  it('is walked by keyboard alone: from the list to a failure, to its kind, and back', async () => {
    const served = await serve({ files: FILES });
    const { run } = await served.run('broken');
    const { page } = await open(served);
    await page.getByRole('link', { name: run }).waitFor();
    const focused = (): Promise<string> =>
      page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
    const tabTo = async (name: string): Promise<void> => {
      for (let presses = 0; presses < 60; presses++) {
        await page.keyboard.press('Tab');
        if ((await focused()) === name) return;
      }
      throw new Error(`no Tab leads to ${name}`);
    };
    await tabTo(run);
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe(`broken ${run}`);
    await tabTo('validation.template');
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('validation.template');
    expect(page.url()).toBe(`${served.url}/kinds/validation.template`);
    // where the person was: at the link that led away
    const place = (): Promise<string | null> =>
      page.evaluate(() => document.activeElement?.getAttribute('href') ?? null);
    await page.goBack();
    await expect.poll(place).toBe('/kinds/validation.template');
    await page.goBack();
    await expect.poll(place).toBe(`/runs/${run}`);
    await page.goForward();
    await expect.poll(place).toBe('/kinds/validation.template');
  });
});
