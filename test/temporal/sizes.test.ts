/** Runs that are larger than what Temporal carries at once: each part is within its bound, and nothing is missing. */
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TemporalBackend } from '../../src/engine/temporal/client.ts';
import type { WorkflowPlan } from '../../src/workflow/plan/plan.ts';
import { stored } from '../engine/subjects.ts';
import { planOfTexts } from '../engine/plan.ts';
import { expectWholeLog } from '../survival/books.ts';
import { openStage, PACKAGES, whyNot, type Stage } from './stage.ts';

const skipped = whyNot('runs that are larger than one message to Temporal');

/** Nothing makes it smaller. */
function noise(chars: number): string {
  return randomBytes((chars / 4) * 3).toString('base64url');
}

function plan(...nodes: readonly string[]): WorkflowPlan {
  const text = `workflow: {name: large, entry_point: a}\nagents:\n  - ${nodes.join('\n  - ')}`;
  return planOfTexts({ 'main.yaml': text });
}

const functions = {
  noise: (input: unknown) => ({ text: noise(Number((input as { chars: number }).chars)) }),
  measure: (input: unknown) => ({ chars: (input as { text: string }).text.length }),
  fail: () => {
    throw Object.assign(new Error('No such order'), { kind: 'external.order.missing' });
  },
};

describe.skipIf(skipped !== undefined)('more than one message holds', { timeout: 300_000 }, () => {
  let stage: Stage;
  let driver: TemporalBackend;
  let memoOf: (run: string) => Promise<unknown>;
  let close: () => Promise<void>;

  beforeAll(async () => {
    stage = await openStage('sizes');
    await stage.worker({ functions });
    driver = await stage.client();
    // Temporal's own client, as anyone would use it
    const { Connection, Client } = createRequire(join(PACKAGES, 'package.json'))(
      '@temporalio/client',
    );
    const connection = await Connection.connect({ address: stage.config.address });
    const { workflow } = new Client({ connection, namespace: stage.config.namespace });
    memoOf = async (run) => (await workflow.getHandle(run).describe()).memo.errand;
    close = () => connection.close();
  });

  afterAll(async () => {
    await close?.();
    await stage?.close();
  });

  // 2.7 MB, as they are sent: Temporal ends a run whose memo has over 2 MB
  it('of what a run waits for', async () => {
    const members = 60;
    const question = `{name: q, type: human_gate, prompt: Which?, options: [{value: ${noise(60_000)}}, {value: n}]}`;
    const each = `{name: a, type: for_each, source: "{{ range(${members}) | list }}", as: item, max_concurrent: ${members}, agent: ${question}}`;
    const run = await driver.start(plan(each), {});
    const paused = await run.result();
    const waits = { status: 'paused', waiting: { gate: 'a[0]/q', all: { length: members } } };
    expect(paused).toMatchObject(waits);
    const { waiting } = paused.status === 'paused' ? paused : {};
    expect(JSON.stringify(await memoOf(run.id)).length).toBeLessThan(40_000);
    const listed = (await driver.list()).find((row) => row.run === run.id);
    for (const row of [listed, await driver.store.summary(run.id), await driver.store.get(run.id)])
      expect(row?.waiting).toEqual(waiting);
    expectWholeLog(await stored(driver.store, run.id));
    const last = waiting?.all.at(-1);
    const answered = await driver.answer(run.id, { gate: last?.gate, value: 'n', by: 'test' });
    const rest = { status: 'paused', waiting: { all: { length: members - 1 } } };
    expect(await answered?.result()).toMatchObject(rest);
  });

  it('of effects that begin at once', async () => {
    const member = `{name: m, type: call, function: measure, arguments: {text: "{{ a.output.text }}"}}`;
    const each = `{name: b, type: for_each, source: "{{ range(8) | list }}", as: item, agent: ${member}}`;
    const first = `{name: a, type: call, function: noise, arguments: {chars: 900000}, routes: [{to: b}]}`;
    const run = await driver.start(plan(first, each), {});
    expect(await run.result()).toMatchObject({
      status: 'completed',
      output: { outputs: Array.from({ length: 8 }, () => ({ chars: 900_000 })) },
    });
    const events = await stored(driver.store, run.id);
    expectWholeLog(events);
    expect(events.filter(({ type }) => type === 'effect:requested')).toHaveLength(9);
  });

  it('of an output', async () => {
    const members = 3;
    const member = `{name: m, type: call, function: noise, arguments: {chars: 900000}}`;
    const each = `{name: a, type: for_each, source: "{{ range(${members}) | list }}", as: item, agent: ${member}}`;
    const run = await driver.start(plan(each), {});
    const result = await run.result();
    const output = { outputs: { length: members } };
    expect(result).toMatchObject({ status: 'completed', output });
    const events = await stored(driver.store, run.id);
    expectWholeLog(events);
    expect(events.at(-1)).toMatchObject({ type: 'run:completed' });
    const other = await stage.client();
    expect(await other.follow(run.id, 1).result()).toEqual(result);
  });

  it('of the partial output of a failed run', async () => {
    const member = `{name: m, type: call, function: noise, arguments: {chars: 900000}}`;
    const each = `{name: a, type: for_each, source: "{{ range(3) | list }}", as: item, agent: ${member}, routes: [{to: b}]}`;
    const end = `{name: b, type: terminate, status: failed, reason: 'No', output_template: {all: "{{ a.output }}"}}`;
    const run = await driver.start(plan(each, end), {});
    const result = await run.result();
    expect(result).toMatchObject({
      status: 'failed',
      error: { kind: 'terminate.failed' },
      output: { all: { outputs: { length: 3 } } },
    });
    expect((await stored(driver.store, run.id)).at(-1)).toMatchObject({ type: 'run:failed' });
  });

  it('of an answer, which is refused and leaves the run as it is', async () => {
    const question = `{name: a, type: human_gate, prompt: Why?, options: [{value: y, prompt_for: why}]}`;
    const run = await driver.start(plan(question), {});
    await run.result();
    const answer = (text: string): Promise<unknown> =>
      driver.answer(run.id, { value: { selected: 'y', additional_input: text }, by: 'test' });
    for (const chars of [3_000_000, 6_000_000])
      await expect(answer(noise(chars))).rejects.toMatchObject({ kind: 'validation.input' });
    expect(await driver.store.summary(run.id)).toMatchObject({ status: 'paused' });
    const plain = 'x'.repeat(3_000_000);
    expect(await ((await answer(plain)) as typeof run).result()).toMatchObject({
      status: 'completed',
      output: { selected: 'y', additional_input: plain },
    });
  });
});
