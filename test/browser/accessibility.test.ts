/**
 * Every page, its dialogs and its refusals, with a screen reader, a keyboard, a narrow screen and a large zoom. Axe
 * takes most of the time, so each commit has it look at a page in one size and one theme (`test/sampled.ts`).
 */
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { howToRepeat, sampled } from '../sampled.ts';
import { serve } from '../server/served.ts';
import { axFaults, axTree } from './ax-tree.ts';
import { axeFindings, describeInBrowser, expectTrouble, isTooWide, open } from './browser.ts';
import { BROKEN, DOUBT, FORM, LONG, NO_QUOTA, REVIEW } from './workflows.ts';

const FILES = {
  'broken.yaml': BROKEN,
  'doubt.yaml': DOUBT,
  'form.yaml': FORM,
  'long.yaml': LONG,
  'report.yaml': NO_QUOTA,
  'review.yaml': REVIEW,
};
const WIDE = { width: 1280, height: 900 };
/** A desk, a phone, and 1,280 pixels at a zoom of 200 %. */
const SIZES = [WIDE, { width: 320, height: 640 }, { width: 640, height: 450 }];
const LANDMARKS: ReadonlySet<string> = new Set(['banner', 'navigation', 'main', 'contentinfo']);

/** The page as it stands: read, checked by axe in light or dark, wide, narrow or zoomed. */
async function expectAccessible(page: Page, what: string): Promise<void> {
  const nodes = await axTree(page);
  expect(axFaults(nodes), what).toEqual([]);
  const isModal = nodes.some(({ role }) => role === 'dialog');
  if (!isModal) {
    const landmarks = nodes.filter(({ role }) => LANDMARKS.has(role));
    expect(
      landmarks.map(({ role, name }) => `${role} ${name}`.trim()),
      what,
    ).toEqual(['banner', 'navigation Main', 'main']);
    expect(
      nodes.filter(({ role, level }) => role === 'heading' && level === 1),
      what,
    ).toHaveLength(1);
    const live = nodes.filter((node) => node.live !== undefined && node.role === 'status');
    expect(
      live.map((node) => node.live),
      what,
    ).toEqual(['polite']);
  }
  // ids differ from run to run, and the choice may not
  const place = what.replace(/(?<=^\/runs\/)[0-9a-z]{24}/, 'RUN');
  const checked = sampled(SIZES, { oneOf: SIZES.length, what: place });
  for (const size of SIZES) {
    await page.setViewportSize(size);
    expect(await isTooWide(page), `${what} at ${size.width}`).toBe(false);
    if (checked.includes(size))
      expect(await axeFindings(page, place), `${what} at ${size.width}`).toEqual([]);
  }
  await page.setViewportSize(WIDE);
}

async function isLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForFunction(() => !/Loading…|Reading the log/.test(document.body.innerText));
}

describeInBrowser('for everyone', () => {
  afterAll(() => {
    const file = 'test/browser/accessibility.test.ts';
    process.stdout.write(`\npages wide, narrow or zoomed: ${howToRepeat(file)}\n`);
  });

  it('every page is named and ordered, at any width and zoom', async () => {
    // what a page asks of a broken file may be refused while the page is open
    expectTrouble();
    const served = await serve({ files: FILES, args: ['--allow-edit'] });
    const { run: broken } = await served.run('broken');
    const { run: doubt } = await served.run('doubt');
    const { run: asking } = await served.run('review');
    const { run: long } = await served.run('long');
    const { page } = await open(served);
    for (const path of [
      '/',
      `/runs/${broken}`,
      `/runs/${broken}?step=fetch`,
      `/runs/${asking}?step=decide`,
      `/runs/${doubt}?step=classify`,
      `/runs/${broken}/repair`,
      '/gates',
      '/workflows',
      '/workflows/form',
      '/kinds/internal.script_error',
    ]) {
      await page.goto(served.url + path);
      await isLoaded(page);
      await expectAccessible(page, path);
    }
    // it has links to its parts besides, and lists that scroll
    await page.goto(`${served.url}/runs/${long}`);
    await isLoaded(page);
    expect(await axeFindings(page, 'a long run')).toEqual([]);
  });

  it('so are what is not there, the sign-in, and every dialog', async () => {
    expectTrouble();
    const served = await serve({ files: FILES });
    const { run: doubt } = await served.run('doubt');
    await served.run('report');
    const { page: stranger } = await open(served, { token: null });
    await stranger.getByRole('button', { name: 'Sign in' }).waitFor();
    await expectAccessible(stranger, 'sign-in');
    await stranger.getByRole('textbox', { name: 'Token' }).fill('wrong');
    await stranger.getByRole('button', { name: 'Sign in' }).click();
    await stranger.getByRole('alert').waitFor();
    await expectAccessible(stranger, 'a refused token');

    const { page } = await open(served, { path: '/runs/unknown' });
    await isLoaded(page);
    await expectAccessible(page, 'an unknown run');
    await page.goto(`${served.url}/nowhere`);
    await isLoaded(page);
    await expectAccessible(page, 'an unknown page');
    await page.goto(`${served.url}/workflows/unknown`);
    await isLoaded(page);
    await expectAccessible(page, 'an unknown workflow');

    await page.goto(served.url);
    await page.getByRole('button', { name: 'Resume all' }).click();
    await page.getByRole('dialog').waitFor();
    await expectAccessible(page, 'resume all');
    await page.goto(`${served.url}/runs/${doubt}`);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor();
    await expectAccessible(page, 'cancel');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('Cancel');
  });

  it('the keyboard alone answers a question, and mends a file and resumes', async () => {
    const served = await serve({ files: FILES, args: ['--allow-edit'] });
    const { run: review } = await served.run('review');
    const { run: broken } = await served.run('broken');
    const { page } = await open(served, { path: '/gates' });
    await page.getByRole('article').waitFor();
    await tabTo(page, 'Drop it');
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => (await served.ask(`/v1/runs/${review}`)).json.status)
      .toBe('completed');

    await page.goto(`${served.url}/runs/${broken}`);
    await isLoaded(page);
    await tabTo(page, 'Repair the workflow file');
    await page.keyboard.press('Enter');
    const file = page.getByRole('textbox', { name: 'Workflow file' });
    await file.waitFor();
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press('Tab');
      if (await file.evaluate((element) => element === document.activeElement)) break;
    }
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(BROKEN.replace('.output.missing.field', '.output'));
    const save = page.getByRole('button', { name: 'Save and resume' });
    await expect.poll(() => save.isEnabled()).toBe(true);
    await tabTo(page, 'Save and resume');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.title()).toBe(`completed broken ${broken}`);
  });
});

function focused(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
}

async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab');
    if ((await focused(page)) === name) return;
  }
  throw new Error(`no Tab leads to ${name}`);
}
