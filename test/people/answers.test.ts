/** Answers of people: an answer means what the question asks, whatever words the file has for its options. */
import { afterEach, describe, expect, it } from 'vitest';
import { raise, workflow } from '../../src/index.ts';
import { closeAll, open } from './stage.ts';
import type { JsonValue } from '../../src/errors/support/safe-json.ts';

afterEach(closeAll);

/** The words that questions of Errand have: about failures, budgets and calls of tools. */
const WORDS = ['edit', 'raise', 'retry', 'skip', 'abort', 'repeat', 'approve', 'deny'];

const publishing = workflow({
  name: 'publishing',
  entryPoint: 'review',
  nodes: [
    {
      name: 'review',
      type: 'human_gate',
      prompt: 'Publish it?',
      options: WORDS.map((value) => ({ value, route: 'chosen' })),
      routes: [{ to: 'published' }],
    },
    { name: 'chosen', type: 'set', value: '{{ review.output.selected }}' },
    { name: 'published', type: 'set', value: 'published' },
  ],
});

const failing = workflow({
  name: 'failing',
  entryPoint: 'find',
  nodes: [
    {
      name: 'find',
      type: 'call',
      function: () => raise('order.missing', 'No such order'),
      raises: ['order.missing'],
      routes: [{ to: 'after' }, { onError: 'order.missing', ask: true }],
    },
    { name: 'after', type: 'set', values: { found: '{{ find.output }}' } },
  ],
});

const asking = (questions: readonly object[]): ReturnType<typeof workflow> =>
  workflow({
    name: 'asking',
    entryPoint: 'ask',
    nodes: [
      { name: 'ask', type: 'questions', questions, allow_abort: true, routes: [{ to: 'told' }] },
      { name: 'told', type: 'set', values: { outcome: '{{ ask.output.outcome }}' } },
    ],
  } as never);

async function answered(
  asked: ReturnType<typeof workflow>,
  value: JsonValue,
): Promise<JsonValue | undefined> {
  const errand = await open({ workflows: [asked] });
  const run = await errand.start(asked);
  expect(await run.result()).toMatchObject({ status: 'paused' });
  try {
    const result = await (await errand.answer(run.id, { value }))?.result();
    return result?.status === 'completed' ? result.output : result?.status;
  } catch (error) {
    expect(error).toMatchObject({ kind: 'validation.input' });
    return 'refused';
  }
}

describe('a gate of the file', () => {
  it.each(WORDS)('takes its option %s like any other', async (word) => {
    expect(await answered(publishing, word)).toBe(word);
    expect(await answered(publishing, { selected: word })).toBe(word);
  });

  it.each<JsonValue>([
    { edit: 5 },
    { edit: null },
    { raise: { usd: 1 } },
    { approve: { for: 'run' } },
    { selected: { edit: 5 } },
    { selected: { raise: { usd: 1 } } },
  ])('refuses %j, which is none of its options', async (value) => {
    expect(await answered(publishing, value)).toBe('refused');
  });

  it('tells the text of a number from the number', async () => {
    const numbers = workflow({
      name: 'numbers',
      entryPoint: 'gate',
      nodes: [
        {
          name: 'gate',
          type: 'human_gate',
          prompt: 'Which?',
          options: [{ value: 1 }, { value: '1' }],
        },
      ],
    });
    for (const value of [1, '1'])
      expect(await answered(numbers, value)).toMatchObject({ selected: value });
  });
});

describe('a question about a failure', () => {
  it.each<readonly [JsonValue]>([[null], [false], [0], [''], [[]], [{}], [{ edit: null }]])(
    'takes %j as the result',
    async (edit) => {
      expect(await answered(failing, { edit })).toEqual({ found: edit });
    },
  );

  it('refuses an edit with another word beside it', async () => {
    expect(await answered(failing, { edit: 1, selected: 'abort' })).toBe('refused');
    expect(await answered(failing, { edit: 1, retry: true })).toBe('refused');
  });
});

describe('a list of questions', () => {
  it('is not skipped as a whole where one has to be answered', async () => {
    const required = asking([{ id: 'why', text: 'Why?', required: true }]);
    expect(await answered(required, 'skip')).toBe('refused');
    expect(await answered(required, { why: 'because' })).toEqual({ outcome: 'completed' });
    expect(await answered(asking([{ id: 'why', text: 'Why?' }]), 'skip')).toEqual({
      outcome: 'skipped',
    });
  });

  it('takes the answer to a question called selected for what it is', async () => {
    const named = asking([
      { id: 'selected', text: 'Which one is selected?' },
      { id: 'why', text: 'Why?' },
    ]);
    expect(await answered(named, { selected: 'abort', why: 'it ends' })).toEqual({
      outcome: 'completed',
    });
  });
});
