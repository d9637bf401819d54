/** A second model judges the output of an agent: its words go back, and an output that stays bad is a failure. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openErrand, type Errand, type RunEvent } from '../../src/index.ts';

const KEPT = `  - {name: kept, type: set, values: {text: "{{ failing.output.text }}"}}\n`;

function file(judge: string, routes = '[{to: $end}]'): string {
  return `workflow:
  name: judged
  entry_point: writer
  runtime:
    simulate:
      w: [{answer: {text: first}}, {answer: {text: second}}, {answer: {text: third}}]
      j: ${judge}
agents:
  - name: writer
    model: sim/w
    tools: []
    prompt: Write
    output: {text: {type: string}}
    validator: {criteria: "It names {{ workflow.name }}.", model: sim/j, max_retries: 1}
    routes: ${routes}
${routes.includes('kept') ? KEPT : ''}`;
}

let folder = '';
let errand: Errand;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'errand-judged-'));
  errand = await openErrand({ store: 'memory', directory: folder });
});
afterEach(async () => {
  await errand.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(text: string): Promise<string> {
  writeFileSync(join(folder, 'judged.yaml'), text);
  const run = await errand.start(await errand.load('judged.yaml'));
  await run.result();
  return run.id;
}

async function eventsOf(run: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of errand.history(run)) events.push(event);
  return events;
}

function modelsIn(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type === 'effect:requested' ? [event.effect.target.replace('sim/', '')] : [],
  );
}

/** Calls that were made although their reply was in the log. */
function askedAgain(events: readonly RunEvent[]): readonly string[] {
  const replied = new Set<string>();
  return events.flatMap((event) => {
    if (event.type === 'effect:succeeded') replied.add(event.effect.key);
    const isAgain = event.type === 'effect:requested' && replied.has(event.effect.key);
    return isAgain ? [event.effect.target] : [];
  });
}

const REFUSE = '{answer: {passed: false, feedback: Name it}}';

describe('an output that a second model judges', () => {
  it('is the output of the node when it passes', async () => {
    const events = await eventsOf(await start(file('[{answer: {passed: true}}]')));
    expect(modelsIn(events)).toEqual(['w', 'j']);
    expect(events.at(-1)).toMatchObject({ type: 'run:completed', output: { text: 'first' } });
  });

  it('goes back with the words of the judge, in the same conversation', async () => {
    const run = await start(file(`[${REFUSE}, {answer: {passed: true}}]`));
    const events = await eventsOf(run);
    expect(modelsIn(events)).toEqual(['w', 'j', 'w', 'j']);
    expect(events.at(-1)).toMatchObject({ type: 'run:completed', output: { text: 'second' } });
    // the judge sees the criteria and the output; every call is on the bill
    const prompts = events.flatMap((event) =>
      event.type === 'effect:requested' && event.prompt !== undefined ? [event.prompt.text] : [],
    );
    expect(prompts[0]).toBe('Write');
    expect((await errand.costs(run)).attempts).toHaveLength(4);
  });

  it('fails the node when it stays bad, with the output in hand', async () => {
    const routes = '[{to: $end}, {on_error: agent.output_rejected, to: kept}]';
    const events = await eventsOf(await start(file(`[${REFUSE}]`, routes)));
    expect(modelsIn(events)).toEqual(['w', 'j', 'w', 'j']);
    expect(events.find(({ type }) => type === 'node:failed')).toMatchObject({
      error: {
        kind: 'agent.output_rejected',
        category: 'content',
        retryable: false,
        details: { rejections: 2, feedback: 'Name it' },
      },
      output: { text: 'second' },
    });
    expect(events.at(-1)).toMatchObject({ type: 'run:completed', output: { text: 'second' } });
  });

  it('fails as the judge’s when the judge does not answer in its form', async () => {
    const events = await eventsOf(await start(file('[{answer: Fine.}]')));
    const failed = events.find(({ type }) => type === 'node:failed');
    expect(failed).toMatchObject({
      error: {
        kind: 'agent.output_invalid',
        message: expect.stringMatching(/^The reply of the judge of writer does not/) as string,
      },
    });
  });

  it('counts as lost on the bill when it is refused, and the verdict does not', async () => {
    const price = 'simulate_price_per_mtok: {input: 0, output: 1000000}';
    const usage = 'usage: {input_tokens: 1, output_tokens: 1}';
    const priced = (judge: string): string =>
      file(judge)
        .replace('    simulate:', `    ${price}\n    simulate:`)
        .replaceAll(/(\{answer: \{text: \w+\})\}/g, `$1, ${usage}}`);
    const refused = REFUSE.replace('}}', `}, ${usage}}`);
    const passed = `{answer: {passed: true}, ${usage}}`;
    // a token is a dollar: two outputs and two verdicts, of which the first output was refused
    const again = await errand.costs(await start(priced(`[${refused}, ${passed}]`)));
    expect([again.totalUsdMicros, again.failedUsdMicros]).toEqual([4_000_000, 1_000_000]);
    // both outputs were refused
    const never = await errand.costs(await start(priced(`[${refused}]`)));
    expect([never.totalUsdMicros, never.failedUsdMicros]).toEqual([4_000_000, 2_000_000]);
  });

  it('is judged after a failure of the judge, and not written again', async () => {
    const denied = '[{fail: {kind: provider.auth}}]';
    const run = await start(file(denied));
    expect((await eventsOf(run)).at(-1)).toMatchObject({
      type: 'run:failed',
      error: { kind: 'provider.auth' },
    });
    writeFileSync(
      join(folder, 'judged.yaml'),
      file('[{fail: {kind: provider.auth}}, {answer: {passed: true}}]'),
    );
    const resumed = await errand.resume(run);
    expect(await resumed?.result()).toMatchObject({
      status: 'completed',
      output: { text: 'first' },
    });
    expect(modelsIn(await eventsOf(run))).toEqual(['w', 'j', 'j']);
  });

  it('is asked for again when a person resumes a rejected run', async () => {
    const run = await start(file(`[${REFUSE}, ${REFUSE}, {answer: {passed: true}}]`));
    const resumed = await errand.resume(run);
    expect(await resumed?.result()).toMatchObject({
      status: 'completed',
      output: { text: 'third' },
    });
    const events = await eventsOf(run);
    expect(modelsIn(events)).toEqual(['w', 'j', 'w', 'j', 'w', 'j']);
    // in the same conversation, with the words of the judge
    expect(askedAgain(events)).toEqual([]);
  });

  it.each([
    ['the budget', 'limit.budget', 'budget: {tokens: 1500}', 'budget: {tokens: 90000}'],
    ['its turns', 'agent.output_rejected', 'max_turns: 1', 'max_turns: 9'],
  ])('is not judged twice when %s ends it after the verdict', async (_, kind, tight, wide) => {
    const dear = REFUSE.replace(/}$/, ', usage: {input_tokens: 10, output_tokens: 900}}');
    const judged = file(`[${dear}, {answer: {passed: true}}]`);
    const within = (limit: string): string =>
      judged.replace('tools: []', `tools: []\n    ${limit}`);
    const run = await start(within(tight));
    expect((await eventsOf(run)).at(-1)).toMatchObject({ type: 'run:failed', error: { kind } });
    writeFileSync(join(folder, 'judged.yaml'), within(wide));
    const resumed = await errand.resume(run);
    expect(await resumed?.result()).toMatchObject({ output: { text: 'second' } });
    const events = await eventsOf(run);
    expect(modelsIn(events)).toEqual(['w', 'j', 'w', 'j']);
    expect(askedAgain(events)).toEqual([]);
  });

  it('is written again after a check that came after the verdict, like that of any agent', async () => {
    const that = "{{ output.text == 'second' }}";
    const run = await start(
      `${file('[{answer: {passed: true}}]')}    assert: [{that: "${that}"}]\n`,
    );
    expect((await eventsOf(run)).at(-1)).toMatchObject({ error: { kind: 'assert.failed' } });
    const resumed = await errand.resume(run);
    expect(await resumed?.result()).toMatchObject({ output: { text: 'second' } });
    expect(modelsIn(await eventsOf(run))).toEqual(['w', 'j', 'w', 'j']);
  });

  it('is asked for again when it passed its judge and failed an assertion', async () => {
    const text = file('[{answer: {passed: true}}]').replace(
      '    routes:',
      `    assert: [{that: "{{ output.text != 'first' }}"}]\n    routes:`,
    );
    const run = await start(text);
    const resumed = await errand.resume(run);
    expect(await resumed?.result()).toMatchObject({
      status: 'completed',
      output: { text: 'second' },
    });
    expect(modelsIn(await eventsOf(run))).toEqual(['w', 'j', 'w', 'j']);
  });

  it('needs a price for its judge where a budget is in dollars', async () => {
    const text = file(`[${REFUSE}]`)
      .replace('entry_point: writer', 'entry_point: writer\n  limits: {budget_usd: 1}')
      .replace('model: sim/j', 'model: openai/of-nobody');
    writeFileSync(join(folder, 'judged.yaml'), text);
    const { isValid, files } = await errand.validate('judged.yaml');
    expect(isValid).toBe(false);
    expect(files[0]?.diagnostics).toMatchObject([
      { code: 'unpriced-model', pointer: '/workflow/limits/budget_usd' },
    ]);
  });

  it('is within the bound that validate prints', async () => {
    writeFileSync(join(folder, 'judged.yaml'), file(`[${REFUSE}]`));
    const { files } = await errand.validate('judged.yaml');
    // 7 turns of the agent and 12 of the judge, each asked at most 6 times
    expect(files[0]?.worstCase?.modelRequests).toBe(114);
    expect(files[0]?.nodes['writer']?.raises).toContain('agent.output_rejected');
  });
});
