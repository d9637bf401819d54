import { expect, test } from 'vitest';
import type { RunEvent } from '../../machine/state/events.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import { createEffectRunner } from './effect-runner.ts';
import { LocalBackend } from '../local/local-backend.ts';

const PLAN = workflow({
  name: 'both',
  entryPoint: 'group',
  nodes: [
    { name: 'gate', type: 'human_gate', prompt: 'Go?', options: [{ label: 'Yes', value: 'yes' }] },
    {
      name: 'broken',
      type: 'set',
      values: { n: '{{ nothing.there }}' },
      routes: [{ to: '$end' }, { onError: true, halt: true }],
    },
  ],
  parallel: [{ name: 'group', agents: ['gate', 'broken'], failureMode: 'continue_on_error' }],
}).plan;

test('a gate that opens in the step that ends the run is not answered after the end', async () => {
  const events: RunEvent[] = [];
  const backend = new LocalBackend({
    store: openMemoryStore({ now: Date.now }),
    effects: createEffectRunner({ env: {}, directory: '.', functions: {} }),
    onEvent: (event) => void events.push(event),
  });
  const options = { answers: [{ gate: 'gate', value: 'yes' }] };
  const run = await backend.start(PLAN, {}, options);
  expect(await run.result()).toMatchObject({
    status: 'failed',
    error: { kind: 'halt.intentional' },
  });
  expect(events.map(({ type }) => type)).toContain('gate:opened');
  expect(events.at(-1)?.type).toBe('run:failed');
  await backend.close();
});
