/** A tool that has got a part of its work done: its payload and its errors, side by side everywhere. */
import { afterEach, describe, expect, it } from 'vitest';
import { failure, partial, tool, workflow } from '../../src/index.ts';
import { spyModel } from './spy-model.ts';
import { closeAll, eventsOf, open } from './stage.ts';

afterEach(closeAll);

const output = {
  type: 'object',
  properties: { found: { type: 'array', items: { type: 'number' } } },
  required: ['found'],
  additionalProperties: false,
} as const;

const failures = [
  failure('page.gone', 'Page 4 is gone', { page: 4 }),
  new Error('page 5 broke, at /home/ann/secret'),
];

const pages = tool({
  description: 'Fetches five pages',
  output,
  run: () => partial({ found: [1, 2, 3] }, failures),
});
const wrong = tool({ output, run: () => partial({ found: 'none' }, failures) });
const whole = tool({ output, run: () => partial({ found: [1] }, []) });

describe('a partial result', () => {
  it('of a node is its output, with the errors beside it for the next node', async () => {
    const errand = await open({ tools: { pages } });
    const run = await errand.start(
      workflow({
        name: 't',
        entryPoint: 'fetch',
        nodes: [
          {
            name: 'fetch',
            type: 'tool',
            tool: 'pages',
            routes: [{ to: 'told', when: '{{ errors | length > 0 }}' }, { to: '$end' }],
          },
          {
            name: 'told',
            type: 'set',
            values: {
              found: '{{ fetch.output.found }}',
              kinds: "{{ fetch.errors | map(attribute='kind') | list }}",
            },
          },
        ],
      }),
    );
    expect(await run.result()).toMatchObject({
      status: 'completed',
      output: { found: [1, 2, 3], kinds: ['page.gone', 'tool.failed'] },
    });
    const events = await eventsOf(errand, run.id);
    for (const type of ['effect:succeeded', 'node:completed'])
      expect(events.find((event) => event.type === type)).toMatchObject({
        output: { found: [1, 2, 3] },
        errors: [
          { kind: 'page.gone', details: { page: 4 }, location: { node: 'fetch' } },
          { kind: 'tool.failed', retryable: null },
        ],
      });
    const ids = events.flatMap((event) =>
      event.type === 'effect:succeeded' ? (event.errors ?? []).map(({ id }) => id) : [],
    );
    expect(new Set(ids).size).toBe(2);
  });

  it('may be held to be too little by an assertion', async () => {
    const errand = await open({ tools: { pages, whole } });
    const checking = (name: string): ReturnType<typeof workflow> =>
      workflow({
        name: 't',
        entryPoint: 'fetch',
        nodes: [
          {
            name: 'fetch',
            type: 'tool',
            tool: name,
            assert: [{ that: '{{ errors | length == 0 }}', raise: 'pages.incomplete' }],
          },
        ],
      });
    expect(await (await errand.start(checking('pages'))).result()).toMatchObject({
      status: 'failed',
      error: { kind: 'pages.incomplete' },
    });
    expect(await (await errand.start(checking('whole'))).result()).toEqual({
      status: 'completed',
      output: { found: [1] },
    });
  });

  it('is shown to a model as a result and typed errors, never mixed, and without what is internal', async () => {
    const spy = spyModel([{ name: 'pages' }], 'done');
    const errand = await open({ tools: { pages }, models: { 'house/spy': spy.model } });
    const run = await errand.start(
      workflow({
        name: 't',
        entryPoint: 'a',
        nodes: [{ name: 'a', prompt: 'Fetch', model: 'house/spy' }],
      }),
    );
    expect(await run.result()).toMatchObject({ status: 'completed', output: { result: 'done' } });
    expect(spy.results().map(({ value }) => value)).toEqual([
      {
        result: { found: [1, 2, 3] },
        errors: [
          { kind: 'page.gone', message: 'Page 4 is gone', can_retry: false },
          { kind: 'tool.failed', message: expect.any(String), can_retry: null },
        ],
      },
    ]);
    expect(spy.shown.join()).not.toContain('/home/ann');
  });

  it('off the shape that its tool declares is a failure like any other', async () => {
    const errand = await open({ tools: { wrong } });
    const run = await errand.start(
      workflow({
        name: 't',
        entryPoint: 'a',
        nodes: [{ name: 'a', type: 'tool', tool: 'wrong' }],
      }),
    );
    expect(await run.result()).toMatchObject({
      status: 'failed',
      error: { kind: 'tool.output_malformed' },
    });
  });
});
