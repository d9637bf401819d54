/** What people who answer and list runs on Temporal see. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TemporalBackend } from '../../src/engine/temporal/client.ts';
import { toReport } from '../../src/errors/thrown/to-report.ts';
import { planOfTexts } from '../engine/plan.ts';
import { stored } from '../engine/subjects.ts';
import { until } from './killing.ts';
import { openStage, whyNot, type Stage } from './stage.ts';

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
});
