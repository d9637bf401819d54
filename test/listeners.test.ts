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
