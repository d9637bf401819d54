/** What an application passes is taken as it is at the call: it may use the object again at once. */
import { expect, test } from 'vitest';
import { openErrand, workflow } from '../src/index.ts';

const greet = workflow({
  name: 'greet',
  entryPoint: 'ask',
  input: { order: { type: 'object' } },
  nodes: [
    {
      name: 'ask',
      type: 'human_gate',
      prompt: 'Pay?',
      options: [{ value: 'yes', promptFor: 'note' }],
    },
  ],
  output: { order: '{{ workflow.input.order }}', answer: '{{ ask.output }}' },
});

test('one object for the inputs of several starts, and of a resume', async () => {
  const errand = await openErrand({ store: 'memory' });
  const order = { id: 'first' };
  const starting = ['first', 'second', 'third'].map((id) => {
    order.id = id;
    return errand.start(greet, { id: `run-${id}`, input: { order } });
  });
  order.id = 'later';
  const runs = await Promise.all(starting);
  for (const run of runs) await run.result();
  const inputs = await Promise.all(runs.map(async ({ id }) => (await errand.get(id)).input));
  expect(inputs).toEqual(['first', 'second', 'third'].map((id) => ({ order: { id } })));

  const [run] = runs;
  if (run === undefined) return;
  order.id = 'resumed';
  const resuming = errand.resume(run.id, { input: { order } });
  order.id = 'later';
  await (await resuming).result();
  expect((await errand.get(run.id)).input).toEqual({ order: { id: 'resumed' } });
  await errand.close();
});

test('one object for several answers', async () => {
  const errand = await openErrand({ store: 'memory' });
  const run = await errand.start(greet, { input: { order: {} } });
  await run.result();
  const value = { selected: 'yes', additional_input: 'now' };
  const answering = errand.answer(run.id, { value });
  value.additional_input = 'later';
  const answered = await answering;
  expect(await answered?.result()).toMatchObject({
    output: { answer: { selected: 'yes', additional_input: 'now' } },
  });
  await errand.close();
});

test('one object for the prepared answers of a start, and of a resume', async () => {
  const errand = await openErrand({ store: 'memory' });
  const prepared = { gate: 'ask', value: { selected: 'yes', additional_input: 'now' } };
  const expected = { status: 'completed', output: { answer: { ...prepared.value } } };
  const starting = errand.start(greet, { input: { order: {} }, answers: [prepared] });
  prepared.value.additional_input = 'later';
  expect(await (await starting).result()).toMatchObject(expected);

  const asking = await errand.start(greet, { input: { order: {} } });
  await asking.result();
  prepared.value.additional_input = 'now';
  const resuming = errand.resume(asking.id, { answers: [prepared] });
  prepared.value.additional_input = 'later';
  expect(await (await resuming).result()).toMatchObject(expected);
  await errand.close();
});
