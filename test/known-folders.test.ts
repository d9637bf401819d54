/** The folder of a project is hidden whatever it is called, from people, clients and models. */
import { expect, it } from 'vitest';
import { forPerson } from '../src/errors/report/audiences.ts';
import { openErrand, workflow } from '../src/index.ts';

const FOLDER = '/scratch/carol/shop';

it('a tool that names the folder of its project shows neither a model nor a person where it is', async () => {
  const errand = await openErrand({
    store: 'memory',
    directory: FOLDER,
    tools: {
      look: () => {
        throw new Error(`cannot open ${FOLDER}/keys/a.pem`);
      },
      see: () => {
        throw new Error(`cannot open ${FOLDER}/keys/b.pem`);
      },
    },
  });
  const run = await errand.start(
    workflow({
      name: 't',
      entryPoint: 'a',
      runtime: {
        simulate: { m: [{ toolCalls: [{ name: 'look', arguments: {} }] }, { answer: 'done' }] },
      },
      nodes: [
        {
          name: 'a',
          type: 'agent',
          prompt: 'x',
          model: 'sim/m',
          tools: ['look'],
          routes: [{ to: 'b' }],
        },
        { name: 'b', type: 'tool', tool: 'see' },
      ],
    }),
  );
  const calls: unknown[] = [];
  for await (const event of run.events()) if (event.type === 'effect:requested') calls.push(event);
  const result = await run.result();
  expect(result).toMatchObject({ status: 'failed', error: { kind: 'tool.failed' } });
  // what the model read is part of its request
  expect(JSON.stringify(calls)).not.toContain('carol');
  const { error } = result as Extract<typeof result, { status: 'failed' }>;
  expect(forPerson(error).message).toBe('cannot open …/b.pem');
  await errand.close();
});
