import { expect, test } from 'vitest';
import { MACHINE_CLOCK, type EffectClock } from '../../effects/clock.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import { createEffectRunner } from './effect-runner.ts';
import { LocalBackend } from '../local/local-backend.ts';
import { asEvent } from './subscription.ts';

const PLAN = workflow({
  name: 'waiting',
  entryPoint: 'gate',
  nodes: [
    {
      name: 'gate',
      type: 'human_gate',
      prompt: 'Go?',
      options: [{ label: 'Yes', value: 'yes' }],
      routes: [{ to: 'wait' }],
    },
    { name: 'wait', type: 'wait', duration: '20ms' },
  ],
}).plan;

test('a run resumes after the clock was set back: its time does not go back, and waits keep their length', async () => {
  const store = openMemoryStore({ now: Date.now });
  const effects = createEffectRunner({ env: {}, directory: '.', functions: {} });
  const setBack: EffectClock = { ...MACHINE_CLOCK, now: () => MACHINE_CLOCK.now() - 3_600_000 };
  const paused = await new LocalBackend({ store, effects }).start(PLAN, {});
  expect(await paused.result()).toMatchObject({ status: 'paused' });

  const later = new LocalBackend({ store, effects, clock: setBack });
  const next = await later.answer(paused.id, { value: 'yes', by: 'someone' });
  expect(await next?.result()).toMatchObject({ status: 'completed' });
  const times: string[] = [];
  for await (const { events } of store.read(paused.id))
    times.push(...events.map((event) => asEvent(event).at));
  expect(times).toEqual(times.toSorted((one, other) => Date.parse(one) - Date.parse(other)));
});
