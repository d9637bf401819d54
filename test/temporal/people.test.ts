/** What people who answer and list runs on Temporal see. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TemporalBackend } from '../../src/engine/temporal/client.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import { toReport } from '../../src/errors/thrown/to-report.ts';
import type { WorkflowPlan } from '../../src/workflow/plan/plan.ts';
import { planOfTexts } from '../engine/plan.ts';
import { stored } from '../engine/subjects.ts';
import { until } from './killing.ts';
import { openStage, PACKAGES, whyNot, type Stage } from './stage.ts';

const skipped = whyNot('what people see who answer and list runs on Temporal');

/** Asks again after an answer: a run that has ended would say so instead to whoever comes late. */
const GATED = planOfTexts({
  'main.yaml': `workflow: {name: gated, entry_point: ask}
agents:
  - {name: ask, type: human_gate, prompt: Now?, options: [{label: Yes, value: y, route: later}, {label: No, value: n, route: later}]}
  - {name: later, type: human_gate, prompt: And now?, options: [{label: Yes, value: y}]}`,
});
const GATES = ['one', 'two', 'three', 'four', 'five', 'six'];
const MANY = planOfTexts({
  'main.yaml': `workflow: {name: many, entry_point: all}
parallel:
  - {name: all, agents: [${GATES.join(', ')}]}
agents:
${GATES.map((name) => `  - {name: ${name}, type: human_gate, prompt: Now?, options: [{label: Yes, value: y}]}`).join('\n')}`,
});
/** It runs while it asks. */
const BUSY = planOfTexts({
  'main.yaml': `workflow: {name: busy, entry_point: both}
parallel:
  - {name: both, agents: [ask, rest]}
agents:
  - {name: ask, type: human_gate, prompt: Now?, options: [{label: Yes, value: y}]}
  - {name: rest, type: wait, duration: 110s}`,
});
const PLAIN = planOfTexts({
  'main.yaml': `workflow: {name: plain, entry_point: a}\nagents:\n  - {name: a, type: set, value: 1}`,
});

describe.skipIf(skipped !== undefined)('people with runs on Temporal', { timeout: 300_000 }, () => {
  let stage: Stage;
  let driver: TemporalBackend;

  beforeAll(async () => {
    stage = await openStage('people');
    await stage.worker();
    driver = await stage.client();
  });
  afterAll(() => stage?.close());

  it('have one answer taken and every other refused as gate.closed', async () => {
    const others = await Promise.all([0, 1, 2].map(() => stage.client()));
    const outcomes: string[][] = [];
    for (let round = 0; round < 4; round++) {
      const run = await driver.start(GATED, {});
      expect(await run.result()).toMatchObject({ status: 'paused' });
      const answered = await Promise.all(
        others.map((each, index) =>
          each
            .answer(run.id, { gate: 'ask', value: index === 0 ? 'y' : 'n', by: `p${index}` })
            .then(
              () => 'taken',
              (refusal: unknown) => toReport(refusal).kind,
            ),
        ),
      );
      outcomes.push(answered.toSorted());
      const events = await stored(driver.store, run.id);
      const answers = events.flatMap((event) => (event.type === 'gate:answered' ? [event.by] : []));
      expect(answers).toEqual([`p${answered.indexOf('taken')}`]);
    }
    expect(outcomes).toEqual(outcomes.map(() => ['gate.closed', 'gate.closed', 'taken']));
  });

  it('answer different gates at the same moment', async () => {
    for (let round = 0; round < 4; round++) {
      const run = await driver.start(MANY, {});
      expect(await run.result()).toMatchObject({ status: 'paused' });
      const answers = GATES.map((gate) => driver.answer(run.id, { gate, value: 'y', by: 'ada' }));
      await Promise.all(answers);
      await until(async () => (await driver.store.summary(run.id)).status === 'completed');
    }
  });

  it('see the newest run first, whether it is open or not', async () => {
    const open = await driver.start(GATED, {});
    await open.result();
    const closed = await driver.start(PLAIN, {});
    await closed.result();
    const wanted = [closed.id, open.id];
    const all = async (): Promise<readonly string[]> =>
      (await driver.list()).map(({ run }) => run).filter((run) => wanted.includes(run));
    await until(async () => (await all()).length === 2);
    expect(await all()).toEqual(wanted);
    const [first] = await driver.list({ limit: 1 });
    expect(first?.run).toBe(closed.id);
    const [next] = await driver.list({ limit: 1, before: closed.id });
    expect(next?.run).toBe(open.id);
  });

  it('lose no answer that comes with the first task of an execution', async () => {
    const { client, id, workflow, restart, close } = await unmanned(BUSY, 'gate:opened');
    try {
      const answer = { gate: 'both[ask]/ask', value: 'y', by: 'ada' };
      const sent = answered(workflow, id, answer);
      await workflow.getHandle(id).describe();
      await restart();
      if ((await sent) !== 'taken') {
        expect(await sent).toBe('run.already_active');
        await client.answer(id, answer);
      }
      expect(await answersOf(client, id)).toEqual(['ada']);
      await client.cancel(id, 'ada');
    } finally {
      await close();
    }
  });

  it('lose no answer that was taken at the moment of a cancellation', async () => {
    const { client, id, workflow, restart, close } = await unmanned(GATED, 'run:paused');
    try {
      const sent = answered(workflow, id, { gate: 'ask', value: 'y', by: 'ada' });
      await workflow.getHandle(id).describe();
      await workflow.getHandle(id).cancel();
      await restart();
      expect(await sent).toBe('taken');
      await until(async () => (await client.store.summary(id)).status === 'cancelled');
      expect(await answersOf(client, id)).toEqual(['ada']);
    } finally {
      await close();
    }
  });

  /** A run in an execution that has no worker yet, as it is right after it has continued as new. */
  async function unmanned(plan: WorkflowPlan, after: RunEvent['type']): Promise<Unmanned> {
    const other = await openStage('people-unmanned', stage);
    // Temporal's own client, which can be refused and ended where ours would wait
    const { Connection, Client } = createRequire(join(PACKAGES, 'package.json'))(
      '@temporalio/client',
    );
    const { address, namespace, taskQueue } = other.config;
    const connection = await Connection.connect({ address });
    const { workflow } = new Client({ connection, namespace });
    const worker = await other.worker();
    const client = await other.client();
    const { id } = await client.start(plan, {});
    await until(async () => (await stored(client.store, id)).some(({ type }) => type === after));
    const handle = workflow.getHandle(id);
    const { statusRow: _statusRow, lastSeq, ...identity } = await handle.query('errand_record');
    const snapshot = JSON.parse((await handle.query('errand_state', 0)).text);
    const { runId: execution, memo } = await handle.describe();
    await worker.stop();
    await handle.terminate();
    const input = {
      v: 1,
      identity,
      begin: { type: 'continue' },
      leg: {},
      settings: { heartbeatMs: 120_000, hasAttributes: false },
      before: { execution, nextSeq: lastSeq + 1 },
      snapshot,
    };
    await workflow.start('errandRun', { workflowId: id, taskQueue, args: [input], memo });
    return {
      client,
      id,
      workflow,
      restart: () => other.worker(),
      close: async () => {
        await connection.close();
        await other.close();
      },
    };
  }
});

interface Unmanned {
  readonly client: TemporalBackend;
  readonly id: string;
  readonly workflow: TemporalClient;
  readonly restart: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

interface TemporalClient {
  getHandle(run: string): {
    describe(): Promise<unknown>;
    cancel(): Promise<unknown>;
    executeUpdate(name: string, options: { args: readonly unknown[] }): Promise<unknown>;
  };
}

/** Sends an answer once, to a worker that may not be there yet. */
function answered(workflow: TemporalClient, run: string, answer: object): Promise<unknown> {
  const sent = workflow.getHandle(run).executeUpdate('errand_answer', { args: [answer, {}, {}] });
  return sent.then(
    () => 'taken',
    (refusal: { cause?: { type?: string } }) => refusal.cause?.type,
  );
}

async function answersOf({ store }: TemporalBackend, run: string): Promise<readonly string[]> {
  return (await stored(store, run)).flatMap((event) =>
    event.type === 'gate:answered' ? [event.by] : [],
  );
}
