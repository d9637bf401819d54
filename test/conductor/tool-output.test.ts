/** Long results of tools: the model reads a part, and asks for the rest. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openErrand, tool, type Errand, type RunEvent } from '../../src/index.ts';

const LONG = 'x'.repeat(150) + 'y'.repeat(100);

function file(second: string): string {
  return `workflow:
  name: long
  entry_point: a
  runtime:
    tool_output: {max_chars: 100, spill_to_file: true}
    simulate:
      m:
        - tool_calls: [{name: read_page}]
        - ${second}
        - answer: done
agents:
  - {name: a, model: sim/m, tools: [read_page], prompt: Read, routes: [{to: $end}]}
`;
}

let folder = '';
let errand: Errand;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'errand-long-'));
  errand = await openErrand({
    store: 'memory',
    directory: folder,
    tools: { read_page: tool({ description: 'Reads', input: {}, run: () => LONG }) },
  });
});
afterEach(async () => {
  await errand.close();
  rmSync(folder, { recursive: true, force: true });
});

async function play(second: string): Promise<readonly RunEvent[]> {
  writeFileSync(join(folder, 'long.yaml'), file(second));
  const run = await errand.start(await errand.load('long.yaml'));
  expect(await run.result()).toMatchObject({ status: 'completed', output: { result: 'done' } });
  const events: RunEvent[] = [];
  for await (const event of errand.history(run.id)) events.push(event);
  return events;
}

it('keeps the whole result in the log, and gives the model the part that it asks for', async () => {
  const events = await play(
    'tool_calls: [{name: read_tool_output, arguments: {call: call_m_0_0, offset: 100}}]',
  );
  const outputs = events.flatMap((event) =>
    event.type === 'effect:succeeded' && event.effect.type === 'tool' ? [event.output] : [],
  );
  expect(outputs).toEqual([
    LONG,
    {
      text: 'x'.repeat(50) + 'y'.repeat(50),
      total_chars: 250,
      next_offset: 200,
      read_more_with: 'read_tool_output',
    },
  ]);
});

it('refuses to read a result that is not there, and the model sees why', async () => {
  const events = await play(
    'tool_calls: [{name: read_tool_output, arguments: {call: no, offset: 0}}]',
  );
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'effect:failed',
      error: expect.objectContaining({ kind: 'tool.input_invalid', outcome: 'not_started' }),
    }),
  );
});
