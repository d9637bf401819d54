import { expect, test } from 'vitest';
import { openMemoryStore } from '../../stores/memory.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { createEffectRunner } from './effect-runner.ts';
import { LocalBackend } from '../local/local-backend.ts';
import { asEvent } from './subscription.ts';

/** No file can cause this: the decision about the failed node throws, as a bug of ours would. */
function withBug(plan: WorkflowPlan): WorkflowPlan {
  const pay = plan.nodes.map((node) => ({
    ...node,
    routes: node.routes.map((route) =>
      route.move.type === 'park' ? { ...route, move: { ...route.move, forMs: 1e17 } } : route,
    ),
  }));
  return { ...plan, nodes: pay };
}

test('a defect in a decision loses nothing that is known of the world', async () => {
  let paid = 0;
  const functions = {
    pay: () => {
      paid++;
      throw Object.assign(new Error('Declined'), { kind: 'card.declined' });
    },
  };
  const { plan } = workflow({
    name: 'pay',
    entryPoint: 'pay',
    nodes: [
      {
        name: 'pay',
        type: 'call',
        function: 'pay',
        raises: ['card.declined'],
        routes: [{ to: '$end' }, { onError: 'card.declined', park: { for: '1h' } }],
      },
    ],
  });
  const store = openMemoryStore({ now: Date.now });
  const effects = createEffectRunner({ env: {}, directory: '.', functions });
  const backend = new LocalBackend({ store, effects });
  const handle = await backend.start(withBug(plan), {});
  await expect(handle.result()).rejects.toThrow(RangeError);

  const kinds: string[] = [];
  for await (const { events } of store.read(handle.id))
    for (const event of events.map(asEvent))
      if (event.type === 'effect:failed') kinds.push(event.error.kind);
  expect(kinds).toEqual(['card.declined']);
  // a resume meets the bug again, and pays for nothing a second time
  await expect((await backend.resume(handle.id)).result()).rejects.toThrow(RangeError);
  expect(paid).toBe(1);
});
