/** An unknown outcome is not forgotten when its node has another name and other arguments in the file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openErrand } from '../src/index.ts';

it('asks before a step that may be the renamed one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'errand-renamed-'));
  let calls = 0;
  const charge = (): never => {
    calls += 1;
    throw new DOMException('This operation was aborted', 'AbortError');
  };
  const write = (name: string, amount: number): void =>
    writeFileSync(
      join(folder, 't.yaml'),
      JSON.stringify({
        workflow: { name: 't', entry_point: 'a', on_unhandled: 'fail' },
        nodes: [
          { name: 'a', type: 'set', value: 1, routes: [{ to: name }] },
          { name, type: 'call', function: 'charge', arguments: { amount } },
        ],
      }),
    );
  const errand = await openErrand({ store: 'memory', directory: folder, functions: { charge } });
  write('charge', 1);
  const run = await errand.start(await errand.load('t.yaml'));
  expect(await run.result()).toMatchObject({ status: 'paused', waiting: { reason: 'outcome' } });
  write('charge2', 2);
  const workflow = await errand.load('t.yaml');
  const again = await errand.resume(run.id, { workflow, from: 'a', acceptDrift: true });
  expect(await again.result()).toMatchObject({
    status: 'paused',
    waiting: { reason: 'outcome', node: 'charge2' },
  });
  expect(calls).toBe(1);
  const asked: string[] = [];
  for await (const event of errand.history(run.id))
    if (event.type === 'gate:opened') asked.push(event.prompt);
  expect(asked.at(-1)).toContain(
    'repeat does charge with {"amount":2} and not the other, edit is the result of charge2, which then does neither',
  );
  // it did not happen: the new step is made
  const answered = await errand.resume(run.id, { answer: { value: 'repeat', by: 'ann' } });
  expect(await answered.result()).toMatchObject({ status: 'paused' });
  expect(calls).toBe(2);
  await errand.close();
  rmSync(folder, { recursive: true, force: true });
});
