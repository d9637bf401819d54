/** A message to a run whose process died before it read the message reaches the next process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite.ts';
import { expectWholeLog } from './books.ts';
import { logOf, oneLeg } from './one-leg.ts';
import { inPlace, prepare } from './place.ts';
import { killable } from './process.ts';
import { text } from './subjects.ts';
import { deedsIn, untilStill } from './world.ts';

const root = mkdtempSync(join(tmpdir(), 'errand-signals-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const subject = {
  name: 'signals',
  files: {
    't.yaml': text({
      workflow: { name: 't', entry_point: 'a' },
      nodes: [
        {
          name: 'a',
          type: 'script',
          command: 'sh',
          args: ['deed.sh', 'safe_a'],
          idempotent: true,
          routes: [{ to: 'gate' }],
        },
        {
          name: 'gate',
          type: 'human_gate',
          prompt: 'Go on?',
          options: [{ label: 'Yes', value: 'yes' }],
          routes: [{ to: 'last' }],
        },
        { name: 'last', type: 'set', value: 'done' },
      ],
    }),
  },
  input: {},
  answers: [],
};
const cancel = { type: 'cancel', by: 'someone' };
const answer = { type: 'answer', by: 'someone', gate: 'gate', value: 'yes' };

it.each([
  ['a cancel, in the middle of an effect', 1, [cancel], 'cancelled', 'run:cancelled'],
  ['a cancel, at a gate', 2, [cancel], 'cancelled', 'run:cancelled'],
  ['an answer, at its gate', 2, [answer], 'completed', 'run:completed'],
  ['an answer that came too early', 1, [answer], 'paused', 'run:paused'],
  ['an answer and then a cancel', 2, [answer, cancel], 'cancelled', 'run:cancelled'],
] as const)('%s', async (...row) => {
  const [, append, signals, status, last] = row;
  const prepared = prepare(subject, join(root, 'workflow'));
  await inPlace(prepared, root, async ({ job }) => {
    await killable({ ...job, kill: { when: 'after', append } });
    await untilStill(`WORLD=${job.world}`);
    const run = (await logOf(job.store))?.run ?? '';
    const store = await openSqliteStore({ path: job.store, now: Date.now });
    for (const signal of signals) await store.send(run, signal);
    await store.close();
    const done = deedsIn(job.world).length;
    const { result } = await oneLeg({ ...job, resume: { run } });
    expect(result.status).toBe(status);
    const { events = [] } = (await logOf(job.store)) ?? {};
    expectWholeLog(events);
    expect(events.at(-1)?.type).toBe(last);
    if (status === 'cancelled') expect(deedsIn(job.world).length).toBe(done);
    const after = await openSqliteStore({ path: job.store, now: Date.now });
    expect(await after.messages(run), 'it is read once').toEqual([]);
    await after.close();
  });
});
