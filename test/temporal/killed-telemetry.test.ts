/** The spans of a run whose worker is killed: what had ended was sent, and another worker sends the rest, once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TemporalBackend } from '../../src/engine/temporal/client.ts';
import { planOfTexts } from '../engine/plan.ts';
import { attributesOf, type OtlpSpan } from '../telemetry/offline.ts';
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
    await killing?.close();
    receiver?.close();
    await stage?.close();
  });

  it('leaves the spans that had ended, and the next worker sends the others once', async () => {
    const first = await killing.worker({ receiver: receiver.url });
    const plan = planOfTexts({
      'main.yaml': `workflow: {name: main, entry_point: a}
agents:
  - {name: a, type: call, function: deed, arguments: {name: a}, routes: [{to: both}]}
  - {name: both, type: parallel, agents: [quick, slow], routes: [{to: c}]}
  - {name: quick, type: tool, tool: deed, arguments: {name: quick}}
  - {name: slow, type: tool, tool: deed, idempotent: true, arguments: {name: slow, hangs: 1}}
  - {name: c, type: call, function: deed, arguments: {name: c}}`,
    });
    const run = await driver.start(plan, {}, { trace: { traceparent: CALLER } });
    await killing.untilBegun('slow');
    await until(() => receiver.spans().some(({ name }) => name === 'errand.node quick'));
    await first.kill();
    const sentBefore = receiver.spans().map(({ name }) => name);
    await killing.worker({ receiver: receiver.url });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    await until(() => receiver.spans().some(({ name }) => name === 'invoke_workflow main'));
    const spans = receiver.spans();
    expect(sentBefore.toSorted()).toEqual([
      'errand.node a',
      'errand.node quick',
      'execute_tool deed',
    ]);
    // of both workers together: a span whose parent died with the first has it from the second
    expect(treeOf(spans)).toEqual([
      'invoke_workflow main',
      '  errand.node a',
      '  errand.node both',
      '    errand.group both',
      '      errand.node quick',
      '        execute_tool deed',
      '      errand.node slow',
      '        execute_tool deed',
      '  errand.node c',
    ]);
    const leg = spans.find(({ name }) => name === 'invoke_workflow main');
    expect(leg).toMatchObject({
      traceId: CALLER.slice(3, 35),
      parentSpanId: CALLER.slice(36, 52),
    });
    expect(leg === undefined ? {} : attributesOf(leg)).toMatchObject({
      'errand.leg.cause': 'start',
      'errand.run.status': 'completed',
    });
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([CALLER.slice(3, 35)]));
  });

  /** One line for each span below the caller; one whose parent was never sent has none. */
  function treeOf(
    spans: readonly OtlpSpan[],
    parent = CALLER.slice(36, 52),
    indent = '',
  ): string[] {
    return spans
      .filter(({ parentSpanId }) => parentSpanId === parent)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap(({ name, spanId }) => [indent + name, ...treeOf(spans, spanId, `${indent}  `)]);
  }
});
