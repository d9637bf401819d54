import { expect, it } from 'vitest';
import { asEvent } from '../../engine/run/subscription.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { RunStore } from '../../machine/ports/store-port.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import { SimulatedBackend } from '../simulated-run.ts';
import { withoutEnd } from './lost-end.ts';
import { randomFrom } from './random.ts';

const GATED = workflow({
  name: 'gated',
  entryPoint: 'gate',
  nodes: [
    { name: 'gate', type: 'human_gate', prompt: 'Go?', options: [{ label: 'Yes', value: 'yes' }] },
  ],
}).plan;

const BY_LAST_EVENT: Readonly<Record<string, string>> = {
  'run:paused': 'paused',
  'run:completed': 'completed',
  'run:cancelled': 'cancelled',
};

async function lastEvent(store: RunStore, run: string): Promise<RunEvent> {
  const all: RunEvent[] = [];
  for await (const { events } of store.read(run)) all.push(...events.map(asEvent));
  const last = all.at(-1);
  if (last === undefined) throw new Error('The log is empty');
  return last;
}

it.each(['completed', 'cancelled'] as const)(
  'a log that has lost its end has the status of what is left, also where the run is %s',
  async (end) => {
    const backend = new SimulatedBackend(GATED);
    const { world } = backend;
    const started = await backend.start(GATED, {});
    await started.result();
    const run = started.id;
    const answer = { gate: 'gate', value: 'yes', by: 'operator' };
    const ended = await (end === 'cancelled'
      ? backend.cancel(run, 'operator')
      : backend.resume(run, { answer }));
    expect(await ended.result()).toMatchObject({ status: end });
    const { seq: seenSeq } = await lastEvent(world.store, run);

    const met = new Set<string>();
    for (let seed = 0; seed < 20; seed++) {
      const random = randomFrom(seed);
      const how = { seenSeq, random, now: () => world.clock.now() };
      const lost = await withoutEnd(world.store, run, how);
      if (lost === undefined) throw new Error('Nothing is left of the log');
      const { type, seq } = await lastEvent(lost, run);
      const { status } = await lost.summary(run);
      expect(seq).toBeLessThan(seenSeq);
      expect([type, status]).toEqual([type, BY_LAST_EVENT[type] ?? 'running']);
      met.add(status);
    }
    expect(met).toContain('paused');
    backend.kill();
  },
);
