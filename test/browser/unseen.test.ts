/** Characters that nobody sees and marks that turn text around: on every page, and in the file, they are escapes. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { serve } from '../server/served.ts';
import { describeInBrowser, open, openFile } from './browser.ts';
import { errandIn } from './errand-in.ts';

/** Without its mark, the name of a program is that of a picture. */
const TURNED = 'photo\u202egpj.exe';
const SHOWN = String.raw`photo\u202egpj.exe`;

const TURNING = `
workflow: { name: turning, entry_point: name_it }
nodes:
  - { name: name_it, type: set, value: ['${TURNED}'], routes: [{ to: ask }] }
  - name: ask
    type: human_gate
    prompt: 'Open ${TURNED}?'
    options: [{ label: 'Open ${TURNED}', value: open, route: $end }]
output: { file: '{{ name_it.output }}' }
`;

/** Texts of the page that turn what follows them. */
function turning(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const texts = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
    const found: string[] = [];
    while (texts.nextNode() !== null) found.push(texts.currentNode.textContent ?? '');
    return found.filter((text) => text.includes('\u202e'));
  });
}

describeInBrowser('a mark that turns text around', () => {
  it('is an escape on every page that shows it, and in the file of the run', async () => {
    const served = await serve({ files: { 'turning.yaml': TURNING } });
    const { run } = await served.run('turning');
    const { page } = await open(served, { path: '/gates' });
    const isShown = async (): Promise<void> => {
      await page.locator('main', { hasText: SHOWN }).waitFor();
      expect(await turning(page), page.url()).toEqual([]);
    };
    await isShown();
    for (const path of [`/runs/${run}`, `/runs/${run}?step=name_it`]) {
      await page.goto(served.url + path);
      await isShown();
    }
    await page.goto(`${served.url}/runs/${run}`);
    await page.getByRole('button', { name: `Open ${SHOWN}` }).click();
    await expect.poll(() => page.title()).toMatch(/^completed/);
    await page.getByRole('region', { name: 'Output' }).getByText(SHOWN).waitFor();
    expect(await turning(page)).toEqual([]);
    const file = join(served.folder, 'run.html');
    expect(errandIn(served.folder, 'show', run, '--html', file).status).toBe(0);
    const { page: written } = await openFile(file);
    expect(await written.getByRole('region', { name: 'Output' }).textContent()).toContain(SHOWN);
    expect(await written.content()).not.toContain('\u202e');
  });
});
