/** An agent that asks the person: the question waits like any gate, and the reply is a result for the model. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openErrand, type Errand, type RunEvent } from '../../src/index.ts';

const TEXT = `workflow:
  name: dialog
  entry_point: analyst
  runtime:
    simulate:
      m:
        - tool_calls: [{name: ask_person, arguments: {question: Which scope?}}]
        - answer: {analysis: done}
agents:
  - name: analyst
    model: sim/m
    tools: []
    prompt: Analyse
    dialog: {trigger_prompt: Ask when it is not clear.}
    output: {analysis: {type: string}}
    routes: [{to: $end}]
output: {analysis: "{{ analyst.output.analysis }}"}
`;

let folder = '';
let errand: Errand;

async function reopened(): Promise<Errand> {
  errand = await openErrand({ store: `sqlite:${join(folder, 'errand.db')}`, directory: folder });
  return errand;
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'errand-dialog-'));
  writeFileSync(join(folder, 'dialog.yaml'), TEXT);
  await reopened();
});
afterEach(async () => {
  await errand.close();
  rmSync(folder, { recursive: true, force: true });
});

async function eventsOf(run: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of errand.history(run)) events.push(event);
  return events;
}

const GATE = 'analyst/ask_person#1.1';

it('waits for the person over a restart, and gives the model the reply', async () => {
  const run = await errand.start(await errand.load('dialog.yaml'));
  expect(await run.result()).toMatchObject({
    status: 'paused',
    waiting: { reason: 'gate', gate: GATE, options: ['answer', 'decline'] },
  });
  await errand.close();
  await reopened();
  const handle = await errand.answer(run.id, { value: 'the small one' });
  expect(await handle?.result()).toMatchObject({
    status: 'completed',
    output: { analysis: 'done' },
  });
  const events = await eventsOf(run.id);
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'effect:succeeded',
      effect: expect.objectContaining({ type: 'tool', target: 'ask_person' }),
      output: { answer: 'the small one' },
    }),
  );
  // the conversation was not begun anew: one request before the question, one after it
  expect(
    events.filter((event) => event.type === 'effect:requested' && event.effect.type === 'model'),
  ).toHaveLength(2);
});

it('tells the model when the person declines, and when there is no one to ask', async () => {
  const declined = await errand.start(await errand.load('dialog.yaml'));
  await declined.result();
  const next = await errand.answer(declined.id, { gate: GATE, value: 'decline' });
  expect(await next?.result()).toMatchObject({ status: 'completed' });
  expect(await eventsOf(declined.id)).toContainEqual(
    expect.objectContaining({ type: 'effect:succeeded', output: { answer: null } }),
  );
  const alone = await errand.start(await errand.load('dialog.yaml'), { gates: false });
  expect(await alone.result()).toMatchObject({ status: 'completed' });
  expect(await eventsOf(alone.id)).toContainEqual(
    expect.objectContaining({
      type: 'effect:failed',
      error: expect.objectContaining({ kind: 'gate.no_one_to_ask', outcome: 'not_started' }),
    }),
  );
});
