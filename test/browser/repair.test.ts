/** Repair: the file is mended on the page, and the same run continues with it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serve } from '../server/served.ts';
import { axeFindings, describeInBrowser, expectTrouble, isTooWide, open } from './browser.ts';
import { BROKEN } from './workflows.ts';

const FILES = { 'broken.yaml': BROKEN };
const WRONG = '{{ apologise.output.missing.field }}';
const MENDED = BROKEN.replace(WRONG, '{{ apologise.output }}');

describeInBrowser('repair', () => {
  it('saves the mended file and resumes the same run to its end', async () => {
    const served = await serve({ files: FILES, args: ['--allow-edit'] });
    const { run } = await served.run('broken');
    const { page } = await open(served, { path: `/runs/${run}` });
    await page.getByRole('link', { name: 'Repair the workflow file' }).click();
    await page.getByRole('heading', { level: 1, name: 'Repair' }).waitFor();
    const file = page.getByRole('textbox', { name: 'Workflow file' });
    const save = page.getByRole('button', { name: 'Save and resume' });
    const drift = page.getByRole('region', { name: 'Drift' });
    await file.waitFor();
    expect(await axeFindings(page)).toEqual([]);
    // its node begins above it
    const wrongLine = BROKEN.split('\n').findIndex((line) => line.includes(WRONG)) + 1;
    await page.getByRole('button', { name: `Go to line ${wrongLine}` }).waitFor();

    await file.fill(BROKEN.replace('entry_point: fetch', 'entry_point: nowhere'));
    await page.getByRole('region', { name: 'Diagnostics' }).getByText('error').first().waitFor();
    expect(await save.isDisabled()).toBe(true);

    await file.fill(BROKEN.replace(WRONG, '{{ apologise.output }}'));
    await page.getByRole('region', { name: 'Diagnostics' }).getByText('Nothing is wrong').waitFor();
    expect(await drift.getByRole('list', { name: 'Keeps its result' }).textContent()).toContain(
      'apologise',
    );
    const again = drift.getByRole('list', { name: 'Runs again' }).getByRole('listitem');
    await again.getByText('with its new text').waitFor();
    // the failure of fetch was handled, so it is not asked again
    expect(await again.allTextContents()).toEqual(['sum_up with its new text']);
    expect(await drift.getByRole('checkbox', { name: 'Accept drift' }).count()).toBe(0);
    const worst = page.getByRole('region', { name: 'Worst case' });
    expect(await worst.getByRole('columnheader').allTextContents()).toEqual([
      'At most',
      'Before',
      'After',
    ]);
    await expect.poll(() => save.isEnabled()).toBe(true);
    await save.click();
    await page.getByRole('region', { name: 'Output' }).getByText('Sorry').waitFor();
    await expect.poll(() => page.title()).toBe(`completed broken ${run}`);
    expect(readFileSync(join(served.folder, 'broken.yaml'), 'utf8')).toContain(
      '{{ apologise.output }}',
    );
  });

  it('asks to accept that finished nodes have changed', async () => {
    const served = await serve({ files: FILES, args: ['--allow-edit'] });
    const { run } = await served.run('broken');
    const { page } = await open(served, { path: `/runs/${run}/repair` });
    const file = page.getByRole('textbox', { name: 'Workflow file' });
    await file.fill(
      BROKEN.replace(WRONG, '{{ apologise.output }}').replace('value: Sorry', 'value: So sorry'),
    );
    const accept = page.getByRole('checkbox', { name: 'Accept drift' });
    await accept.waitFor();
    const save = page.getByRole('button', { name: 'Save and resume' });
    expect(await save.isDisabled()).toBe(true);
    await accept.check();
    await save.click();
    await page.getByRole('region', { name: 'Output' }).getByText('Sorry').waitFor();
    const { json } = await served.ask(`/v1/runs/${run}`);
    expect(json.output).toEqual({ text: 'Sorry' });
  });

  it('shows the changes to apply to someone who may not edit', async () => {
    const served = await serve({ files: FILES });
    const { run } = await served.run('broken');
    const viewport = { width: 320, height: 640 };
    const { page } = await open(served, { path: `/runs/${run}/repair`, viewport });
    await page.getByRole('textbox', { name: 'Workflow file' }).fill(BROKEN.replace(WRONG, 'fine'));
    const changes = page.getByRole('region', { name: 'Changes to apply' });
    await changes.getByText(`-    value: '${WRONG}'`).waitFor();
    expect(await changes.textContent()).toContain("+    value: 'fine'");
    expect(await page.getByRole('button', { name: 'Save and resume' }).count()).toBe(0);
    expect(await isTooWide(page)).toBe(false);
    expect(await axeFindings(page)).toEqual([]);
  });

  it('keeps a text that was not saved when its page is left or loaded again', async () => {
    const served = await serve({ files: FILES, args: ['--allow-edit'] });
    const { run } = await served.run('broken');
    const viewport = { width: 1280, height: 800 };
    const { page } = await open(served, { path: `/runs/${run}/repair`, viewport });
    const file = page.getByRole('textbox', { name: 'Workflow file' });
    const mine = `${MENDED}# mine\n`;
    await file.fill(mine);
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    await page.goBack();
    await expect.poll(() => file.inputValue()).toBe(mine);
    await page.reload();
    await expect.poll(() => file.inputValue()).toBe(mine);
    // the buttons stand below the text, not over it
    const [field, save] = await Promise.all([
      file.boundingBox(),
      page.getByRole('button', { name: 'Save and resume' }).boundingBox(),
    ]);
    expect((field?.y ?? 0) + (field?.height ?? 0)).toBeLessThanOrEqual(save?.y ?? 0);
    await page.getByRole('button', { name: 'Load the file as it is now' }).click();
    expect(await file.inputValue()).toBe(BROKEN);
    await page.getByRole('button', { name: 'Take my text back' }).click();
    expect(await file.inputValue()).toBe(mine);
    expect(await axeFindings(page)).toEqual([]);
  });

  it('shows what another has written, and loses neither text', async () => {
    expectTrouble();
    const served = await serve({ files: FILES, args: ['--allow-edit'] });
    const { run } = await served.run('broken');
    const { page } = await open(served, { path: `/runs/${run}/repair` });
    const file = page.getByRole('textbox', { name: 'Workflow file' });
    const save = page.getByRole('button', { name: 'Save and resume' });
    const path = join(served.folder, 'broken.yaml');
    const mine = `${MENDED}# mine\n`;
    await file.fill(mine);
    writeFileSync(path, `# theirs\n${BROKEN}`);
    await expect.poll(() => save.isEnabled()).toBe(true);
    await save.click();
    const alert = page.getByRole('alert');
    await alert.getByText('+# theirs').waitFor();
    expect(await file.inputValue()).toBe(mine);
    await alert.getByRole('button', { name: 'Load the file as it is now' }).click();
    expect(await file.inputValue()).toBe(`# theirs\n${BROKEN}`);
    await page.getByRole('button', { name: 'Take my text back' }).click();
    expect(await file.inputValue()).toBe(mine);

    writeFileSync(path, `# again\n${BROKEN}`);
    await expect.poll(() => save.isEnabled()).toBe(true);
    await save.click();
    await alert.getByText('+# again').waitFor();
    await alert.getByRole('button', { name: 'Keep my text' }).click();
    await alert.waitFor({ state: 'detached' });
    await expect.poll(() => save.isEnabled()).toBe(true);
    await save.click();
    await page.getByRole('region', { name: 'Output' }).getByText('Sorry').waitFor();
    expect(readFileSync(path, 'utf8')).toBe(mine);
    // the run says that it was resumed, and a text that was saved is not brought back
    await page.getByText(/^once, .*, by http:local$/).waitFor();
    await page.goBack();
    await expect.poll(() => file.inputValue()).toBe(mine);
    expect(await page.getByRole('button', { name: 'Take my text back' }).count()).toBe(0);
  });
});
