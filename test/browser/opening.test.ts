/** The dashboard opens: its page, its files, its policy, its sign-in. */
import { expect, it } from 'vitest';
import { serve } from '../server/served.ts';
import { HELLO } from '../server/workflows.ts';
import { axeFindings, describeInBrowser, expectTrouble, open, styleAttributes } from './browser.ts';

const FILES = { 'hello.yaml': HELLO };

describeInBrowser('the dashboard', () => {
  it('opens with the token of its address, takes it out, and stays signed in', async () => {
    const served = await serve({ files: FILES });
    const { page } = await open(served);
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    expect(page.url()).toBe(`${served.url}/`);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await styleAttributes(page)).toBe(0);
    // a page that glides is behind the focus of somebody who presses Tab quickly
    const scrolling = await page.evaluate(
      () => getComputedStyle(document.documentElement).scrollBehavior,
    );
    expect(scrolling).toBe('auto');
  });

  it('asks for the token in place, refuses a wrong one in words, and continues where it was', async () => {
    const served = await serve({ files: FILES });
    expectTrouble();
    const { page } = await open(served, {
      path: '/workflows/hello',
      token: 'one of an earlier server',
    });
    const alert = page.getByRole('alert');
    await alert.getByText('The token is wrong').waitFor();
    await page.getByRole('textbox', { name: 'Token' }).fill('a wrong one, long enough');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await alert.waitFor();
    expect(await alert.textContent()).not.toBe('');
    await page.getByRole('textbox', { name: 'Token' }).fill(served.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'hello' }).waitFor();
    expect(page.url()).toBe(`${served.url}/workflows/hello`);
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('hello');
    expect(await alert.count()).toBe(0);
  });

  it('takes the printed address, pasted over its own or into the field', async () => {
    const served = await serve({ files: FILES });
    expectTrouble();
    const { page } = await open(served, { token: null });
    const field = page.getByRole('textbox', { name: 'Token' });
    await field.waitFor();
    await page.goto(`${served.url}/#token=${served.token}`);
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    expect(page.url()).toBe(`${served.url}/`);

    const { page: other } = await open(served, { token: null });
    await other
      .getByRole('textbox', { name: 'Token' })
      .fill(`${served.url}/#token=${served.token} `);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  });
});
