import { expect, test } from 'vitest';
import { openMemoryStore } from '../../stores/memory.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import { createEffectRunner } from './effect-runner.ts';
import { LocalBackend } from '../local/local-backend.ts';

test('a resume keeps what a member did before another one ended the workflow', async () => {
  const paid: string[] = [];
  const { plan } = workflow({
    name: 'two',
    entryPoint: 'both',
    nodes: [
      { name: 'pay', type: 'call', function: 'pay' },
      { name: 'stop', type: 'terminate', status: 'failed', reason: 'Enough' },
    ],
    parallel: [{ name: 'both', agents: ['pay', 'stop'], maxConcurrent: 1 }],
  });
  const functions = {
    pay: (_input: unknown, { idempotencyKey }: { readonly idempotencyKey: string }) => {
      paid.push(idempotencyKey);
      return 'paid';
    },
  };
  const effects = createEffectRunner({ env: {}, directory: '.', functions });
  const backend = new LocalBackend({ store: openMemoryStore({ now: Date.now }), effects });
  const first = await backend.start(plan, {});
  const failed = { status: 'failed', error: { kind: 'terminate.failed' } };
  expect(await first.result()).toMatchObject(failed);
  expect(await (await backend.resume(first.id)).result()).toMatchObject(failed);
  expect(paid).toHaveLength(1);
  await backend.close();
});
