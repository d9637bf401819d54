/** The sign-in of the guide: one gate, answered too early, then in time. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { raise } from '../../src/index.ts';
import { closeAll, eventsOf, open } from './stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'errand-sign-in-'));
afterEach(async () => {
  await closeAll();
  rmSync(folder, { recursive: true, force: true });
});

describe('the sign-in of the guide', () => {
  it('shows the code, asks again until the provider agrees, and continues', async () => {
    const text = readFileSync(join(import.meta.dirname, '../../docs/guide/people.md'), 'utf8');
    const [, file = ''] = [...text.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(
      ([, block]) => block,
    );
    writeFileSync(join(folder, 't.yaml'), file);
    let hasSignedIn = false;
    const errand = await open({
      directory: folder,
      functions: {
        beginSignIn: () => ({ url: 'https://example.com/device', code: 'WDJB-MJHT', device: 'd1' }),
        checkSignIn: (input) => {
          expect(input).toEqual({ device: 'd1' });
          if (!hasSignedIn) throw raise('auth.pending', 'Not yet');
          return { user: 'ann' };
        },
      },
    });
    const run = await errand.start(await errand.load('t.yaml'));
    const waiting = { status: 'paused', waiting: { gate: 'sign_in', options: ['done', 'cancel'] } };
    expect(await run.result()).toMatchObject(waiting);
    const early = await errand.answer(run.id, { value: 'done' });
    expect(await early?.result()).toMatchObject(waiting);
    hasSignedIn = true;
    const last = await errand.answer(run.id, { value: 'done', by: 'ann' });
    expect(await last?.result()).toEqual({ status: 'completed', output: { user: 'ann' } });
    const prompts = (await eventsOf(errand, run.id)).flatMap((event) =>
      event.type === 'gate:opened' ? [event.prompt] : [],
    );
    expect(prompts).toEqual(
      Array.from({ length: 2 }, () => 'Open https://example.com/device and enter WDJB-MJHT.'),
    );
    await expect(errand.answer(run.id, { value: 'done' })).rejects.toMatchObject({
      kind: 'run.already_ended',
    });
  });
});
