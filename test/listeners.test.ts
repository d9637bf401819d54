/** Listeners of an application may fail in any way, at once or later: what they listen to does not notice, nor does the process. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resilientModel } from '../src/ai-sdk/index.ts';
import { openErrand, workflow } from '../src/index.ts';

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeAll(() => void process.on('unhandledRejection', note));
afterAll(() => void process.off('unhandledRejection', note));

const FAILING: Readonly<Record<string, () => never>> = {
  'throws at once': () => {
    throw new Error('listener');
  },
  // typed as returning nothing, and JavaScript takes any function
  'rejects later': (() => Promise.reject(new Error('listener'))) as unknown as () => never,
  'returns what throws when awaited': (() => ({
    // oxlint-disable-next-line unicorn/no-thenable
    then: () => {
      throw new Error('listener');
    },
  })) as unknown as () => never,
};

/** Rejections that nobody handles are noticed when the queue of the turn is empty. */
const nextTurns = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

const failing = workflow({
  name: 'failing',
  entryPoint: 'try',
  nodes: [
    {
      name: 'try',
      type: 'call',
      function: 'boom',
      routes: [{ to: '$end' }, { onError: true, to: 'after' }],
    },
    { name: 'after', type: 'set', value: 'reached' },
  ],
});

test.each(Object.entries(FAILING))('of a run: one that %s', async (_, listener) => {
  const errand = await openErrand({
    store: 'memory',
    onWarning: listener,
    onInternal: listener,
    functions: {
      boom: (_input, { progress }) => {
        progress({ at: 1 });
        throw new Error('boom');
      },
    },
  });
  const run = await errand.start(failing, { onEvent: listener, onProgress: listener });
  expect(await run.result()).toMatchObject({ status: 'completed', output: 'reached' });
  await errand.close();
  await nextTurns();
  expect(unhandled.splice(0)).toEqual([]);
});

test.each(Object.entries(FAILING))('of a chain of models: one that %s', async (_, onAttempt) => {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const finishReason = { unified: 'stop', raw: 'stop' };
  const model = {
    specificationVersion: 'v4',
    provider: 'any',
    modelId: 'model',
    supportedUrls: {},
    doGenerate: () =>
      Promise.resolve({
        content: [{ type: 'text', text: 'hi' }],
        finishReason,
        usage,
        warnings: [],
      }),
    doStream: () => Promise.reject(new Error('not asked')),
  } as unknown as Parameters<typeof resilientModel>[0][number];
  const answer = await resilientModel([model], { onAttempt }).doGenerate({ prompt: [] });
  expect(answer.content).toEqual([{ type: 'text', text: 'hi' }]);
  await nextTurns();
  expect(unhandled.splice(0)).toEqual([]);
});

/** Changes everything in place, as an application may that shortens what it logs. */
function deface(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    deface(inner);
    if (inner === 'kept') Object.assign(value, { [key]: 'defaced' });
  }
}

test.each([
  ['onEvent', { onEvent: deface }],
  ['events()', {}],
])(
  '%s: what a listener changes in an event reaches neither the run nor others',
  async (_, ofRun) => {
    const given: unknown[] = [];
    const seen: unknown[] = [];
    const errand = await openErrand({
      store: 'memory',
      functions: {
        find: () => Promise.resolve({ deep: { text: 'kept' } }),
        use: (input) => void given.push(input),
      },
    });
    const passing = workflow({
      name: 'passing',
      entryPoint: 'find',
      input: { order: { type: 'object' } },
      nodes: [
        { name: 'find', type: 'call', function: 'find', routes: [{ to: 'use' }] },
        {
          name: 'use',
          type: 'call',
          function: 'use',
          arguments: { found: '{{ find.output }}', order: '{{ workflow.input.order }}' },
        },
      ],
      output: { found: '{{ find.output.deep }}' },
    });
    const order = { id: 'kept' };
    const run = await errand.start(passing, { input: { order }, ...ofRun });
    const others = run.events();
    for await (const event of run.events()) deface(event);
    for await (const event of others) seen.push(event);
    expect(given).toEqual([{ found: { deep: { text: 'kept' } }, order: { id: 'kept' } }]);
    expect(await run.result()).toMatchObject({ output: { found: { text: 'kept' } } });
    expect(JSON.stringify(seen)).not.toContain('defaced');
    await errand.close();
  },
);
