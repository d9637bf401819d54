/** A page ends where its contents end, however tall the picture is that scrolls inside it; what failed is in sight there. */
import { expect, it } from 'vitest';
import { serve } from '../server/served.ts';
import { describeInBrowser, open } from './browser.ts';

const NODES = 60;
const LONG = `
workflow: { name: long, entry_point: n1, limits: { max_iterations: 1000 } }
nodes:
${Array.from({ length: NODES }, (_, at) => `  - { name: n${at + 1}, type: set, value: 1, routes: [{ to: ${at + 1 < NODES ? `n${at + 2}` : '$end'} }] }`).join('\n')}
`;

describeInBrowser('a page with a tall graph', () => {
  it.each(['run', 'workflow'] as const)('ends with its contents: %s', async (which) => {
    const served = await serve({ files: { 'long.yaml': LONG } });
    const { run } = await served.run('long');
    const path = which === 'run' ? `/runs/${run}` : '/workflows/long';
    const { page } = await open(served, { path });
    const graph = page.getByRole('img', { name: 'Workflow graph' });
    await graph.waitFor();
    if (which === 'run') await page.getByRole('table', { name: 'Steps' }).waitFor();
    const beyond = await page.evaluate(() => {
      const { scrollHeight, clientHeight } = document.documentElement;
      const end = document.querySelector('main')?.getBoundingClientRect().bottom ?? 0;
      return scrollHeight - Math.max(clientHeight, Math.ceil(end + window.scrollY));
    });
    expect(beyond).toBeLessThanOrEqual(1);
  });

  it('shows the node that failed, which is the last of many', async () => {
    const last = `name: n${NODES}, type: set, value:`;
    const file = LONG.replace(`${last} 1`, `${last} "{{ 1 / (1 - 1) }}"`);
    const served = await serve({ files: { 'long.yaml': file } });
    const { run } = await served.run('long');
    const { page } = await open(served, { path: `/runs/${run}` });
    const box = page.locator(`[data-node="n${NODES}"][data-bad]`);
    await box.waitFor();
    const isInSight = await box.evaluate((element) => {
      const frame = element.closest('.graph')?.getBoundingClientRect();
      const { top, bottom } = element.getBoundingClientRect();
      return frame !== undefined && top >= frame.top && bottom <= frame.bottom;
    });
    expect(isInSight).toBe(true);
  });
});
