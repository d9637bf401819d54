/** The spans of a run whose worker is killed: what had ended was sent, and another worker sends the rest, once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TemporalBackend } from '../../src/engine/temporal/client.ts';
import { planOfTexts } from '../engine/plan.ts';
import { attributesOf } from '../telemetry/offline.ts';
import { openReceiver, type Receiver } from '../telemetry/receiver.ts';
import { Killing, until } from './killing.ts';
import { openStage, whyNot, type Stage } from './stage.ts';

const skipped = whyNot('that the spans of a killed worker are completed by another');
const CALLER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe.skipIf(skipped !== undefined)('a worker that is killed', { timeout: 300_000 }, () => {
  let stage: Stage;
  let driver: TemporalBackend;
  let killing: Killing;
  let receiver: Receiver;

  beforeAll(async () => {
    stage = await openStage('killed-telemetry');
    driver = await stage.client({ heartbeatMs: 4000 });
    killing = new Killing(stage);
    receiver = await openReceiver();
  });
  afterAll(async () => {
    killing?.close();
    receiver?.close();
    await stage?.close();
  });

  it('leaves the spans that had ended, and the next worker sends the others once', async () => {
    const first = await killing.worker({ receiver: receiver.url });
    const plan = planOfTexts({
      'main.yaml': `workflow: {name: main, entry_point: a}
agents:
  - {name: a, type: call, function: deed, arguments: {name: a}, routes: [{to: b}]}
  - {name: b, type: call, function: deed, idempotent: true, arguments: {name: b, ms: 5000}, routes: [{to: c}]}
  - {name: c, type: call, function: deed, arguments: {name: c}}`,
    });
    const run = await driver.start(plan, {}, { trace: { traceparent: CALLER } });
    await killing.untilBegun('b');
    await until(() => receiver.spans().some(({ name }) => name === 'errand.node a'));
    await first.kill();
    await killing.worker({ receiver: receiver.url });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    await until(() => receiver.spans().some(({ name }) => name === 'invoke_workflow main'));
    const spans = receiver.spans();
    const nodes = spans.filter(({ name }) => name !== 'invoke_workflow main');
    expect(nodes.map(({ name }) => name)).toEqual([
      'errand.node a',
      'errand.node b',
      'errand.node c',
    ]);
    const legs = spans.filter(({ name }) => name === 'invoke_workflow main');
    expect(legs).toHaveLength(1);
    const [leg] = legs;
    expect(leg).toMatchObject({
      traceId: CALLER.slice(3, 35),
      parentSpanId: CALLER.slice(36, 52),
    });
    expect(leg === undefined ? {} : attributesOf(leg)).toMatchObject({
      'errand.run.status': 'completed',
    });
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([CALLER.slice(3, 35)]));
  });
});
