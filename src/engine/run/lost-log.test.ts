import { expect, it } from 'vitest';
import { openMemoryStore } from '../../stores/memory.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import { LocalBackend } from '../local/local-backend.ts';
import { createEffectRunner } from './effect-runner.ts';
import { witnessed, type Witness } from './lost-log.ts';

const GATED = workflow({
  name: 'gated',
  entryPoint: 'gate',
  nodes: [
    { name: 'gate', type: 'human_gate', prompt: 'Go?', options: [{ label: 'Yes', value: 'yes' }] },
  ],
}).plan;

const ANSWER = { gate: 'gate', value: 'yes', by: 'me' };

const DOORS = {
  resume: (backend: LocalBackend) => backend.resume('known'),
  answer: (backend: LocalBackend) => backend.answer('known', ANSWER),
  'leave an answer': (backend: LocalBackend) => backend.leaveAnswer('known', ANSWER),
  cancel: (backend: LocalBackend) => backend.cancel('known', 'me'),
};

it.each(Object.keys(DOORS) as (keyof typeof DOORS)[])(
  'a log that has lost its end is refused before anything is written by: %s',
  async (door) => {
    const store = openMemoryStore({ now: Date.now });
    const seen = new Map<string, Witness>();
    const ids = ['backend', 'known'];
    const backend = new LocalBackend({
      store: witnessed(store, (run) => seen.get(run)),
      effects: createEffectRunner({ env: {}, directory: '.', functions: {} }),
      newId: () => ids.shift() ?? '',
    });
    await (await backend.start(GATED, {})).result();
    const before = await store.get('known');
    seen.set('known', { seq: before.head.nextSeq });

    await expect(DOORS[door](backend)).rejects.toMatchObject({
      kind: 'store.corrupt',
      report: { details: { run: 'known', seq: before.head.nextSeq } },
    });
    expect(await store.get('known')).toEqual(before);
    expect(await store.messages('known')).toEqual([]);
    await backend.close();
  },
);
