/** The page when the server goes away and comes back, and when a lot happens at once. */
import { expect, it } from 'vitest';
import { freePort } from '../free-port.ts';
import { serve } from '../server/served.ts';
import { axeFindings, describeInBrowser, expectTrouble, isTooWide, open } from './browser.ts';
import { REVIEW } from './workflows.ts';

const TOKEN = { ERRAND_TOKEN: 'a-token-of-the-environment' };

describeInBrowser('the page when the server goes', () => {
  it('says so, and recovers without a reload, a sign-in or a doubled event', async () => {
    const served = await serve({
      port: await freePort(),
      files: { 'review.yaml': REVIEW },
      env: TOKEN,
    });
    const token = TOKEN.ERRAND_TOKEN;
    const { json: started } = await served.ask('/v1/runs', {
      json: { workflow: 'review' },
      headers: { prefer: 'wait=60' },
      token,
    });
    const run: string = started.run;
    const { page } = await open(served, { path: `/runs/${run}`, token });
    await page.getByRole('button', { name: 'Publish it' }).waitFor();
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));
    expectTrouble();
    await served.stop('SIGKILL');
    await expect.poll(() => page.getByRole('status').textContent()).toBe('Reconnecting');
    const again = await serve({ folder: served.folder, port: served.port, env: TOKEN });
    await expect.poll(() => page.getByRole('status').textContent()).not.toBe('Reconnecting');
    await again.ask(`/v1/runs/${run}/answers`, { json: { value: 'publish' }, token });
    await page.getByRole('region', { name: 'Output' }).getByText('publish').waitFor();
    const steps = page.getByRole('table', { name: 'Steps' });
    expect(await steps.getByRole('button').allTextContents()).toEqual([
      'draft',
      'decide',
      'publish',
    ]);
    const routes = page.getByRole('list', { name: 'Routes taken' });
    expect(await routes.getByRole('listitem').allTextContents()).toEqual([
      'draft → decide',
      'decide → publish',
      'publish → $end',
    ]);
    expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true);
  });

  it('says that an answer given meanwhile may not have been taken', async () => {
    const served = await serve({ files: { 'review.yaml': REVIEW } });
    const { run } = await served.run('review');
    expectTrouble();
    for (const path of [`/runs/${run}`, '/gates', '/']) {
      const { page, context } = await open(served, { path });
      const [pressed, spoken] = path === '/' ? ['Cancel', 'Confirm'] : ['Drop it', undefined];
      await page.getByRole('button', { name: pressed }).waitFor();
      await context.setOffline(true);
      await page.getByRole('button', { name: pressed }).click();
      if (spoken !== undefined) await page.getByRole('button', { name: spoken }).click();
      await page.getByRole('alert').getByText('The server does not answer').waitFor();
      await context.setOffline(false);
    }
    expect((await served.ask(`/v1/runs/${run}`)).json.status).toBe('paused');
  });

  it('asks for the new token after a restart, and continues where it was', async () => {
    const served = await serve({ port: await freePort(), files: { 'review.yaml': REVIEW } });
    const { run } = await served.run('review');
    const { page } = await open(served, { path: `/runs/${run}` });
    await page.getByRole('textbox', { name: 'reason' }).fill('typed before');
    expectTrouble();
    await served.stop('SIGKILL');
    const again = await serve({ folder: served.folder, port: served.port });
    await page.getByRole('textbox', { name: 'Token' }).fill(again.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const reason = page.getByRole('textbox', { name: 'reason' });
    await reason.waitFor();
    expect(await reason.inputValue()).toBe('typed before');
    await expect.poll(() => page.title()).toBe(`paused review ${run}`);
    expect(page.url()).toContain(`/runs/${run}`);
  });

  it('is offline and back', async () => {
    const served = await serve({ files: { 'review.yaml': REVIEW } });
    const { page, context } = await open(served);
    await page.getByText('There is no run yet.').waitFor();
    expectTrouble();
    await context.setOffline(true);
    await expect.poll(() => page.getByRole('status').textContent()).toBe('Reconnecting');
    const { run } = await served.run('review');
    await context.setOffline(false);
    await page.getByRole('link', { name: run }).waitFor();
    await expect.poll(() => page.getByRole('status').textContent()).not.toBe('Reconnecting');
  });
});

const HOSTILE = '</script><img src=x onerror=alert(1)>\u202Egnp.exe\u0000 {{ 7*7 }} "\'`';

const HOSTILE_FILE = `
workflow:
  name: hostile
  entry_point: fail
  description: ${JSON.stringify(HOSTILE)}
  input: { text: { type: string, default: ${JSON.stringify(HOSTILE.replaceAll('{{', '{ {'))} } }
nodes:
  - name: fail
    type: script
    command: node
    args: ['-e', 'process.stderr.write(process.argv[1].repeat(300)); process.exit(2)', '{{ workflow.input.text }}']
    routes:
      - { to: $end }
      - { on_error: true, ask: { options: [retry, abort] } }
`;

describeInBrowser('hostile strings', () => {
  it('are shown as text on every page', async () => {
    const served = await serve({
      files: { 'hostile.yaml': HOSTILE_FILE.replaceAll('\u0000', '') },
    });
    const { run } = await served.run('hostile');
    const viewport = { width: 320, height: 640 };
    const { page } = await open(served, { path: `/runs/${run}?step=fail`, viewport });
    await page.getByRole('region', { name: 'Step fail' }).getByText('effect:failed').waitFor();
    expect(await isTooWide(page)).toBe(false);
    for (const path of ['/', '/gates', '/workflows', '/workflows/hostile', `/runs/${run}/repair`]) {
      await page.goto(served.url + path);
      await expect.poll(() => page.locator('main').textContent()).toContain('hostile');
      expect(await page.locator('main img[src]').count()).toBe(0);
      expect(await isTooWide(page)).toBe(false);
      expect(await axeFindings(page)).toEqual([]);
    }
  });
});
