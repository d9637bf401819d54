/** Spans and metrics of runs with the real SDK: what the tables say, once, and the same after the fact. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/errand.ts';
import type { RunHandle } from '../../src/engine/backend.ts';
import { liveComparable, offlineComparable, spansIn } from './offline.ts';
import { recordTelemetry, traceparentOf, tree, type Recorded } from './otel.ts';
import { EVERYTHING, everythingElse, openPlace, type Place } from './runs.ts';

let recorded: Recorded;
let place: Place | undefined;

beforeEach(() => {
  recorded = recordTelemetry();
});

afterEach(async () => {
  await place?.close();
  place = undefined;
  await recorded.close();
});

async function started(engine: Engine, file: string): Promise<RunHandle> {
  return engine.start(await engine.load(file));
}

describe('a run with one of everything', () => {
  it('has each span once, below the right parent, and the same after the fact', async () => {
    place = await openPlace(EVERYTHING, everythingElse());
    const { engine } = place;
    const workflow = await engine.load('everything.yaml');
    const run = await recorded.inSpan('host', () => engine.start(workflow));
    expect(await run.result()).toMatchObject({ status: 'paused' });
    const next = await engine.answer(run.id, { value: 'yes' });
    const result = await next?.result();
    expect(result).toMatchObject({ status: 'completed' });
    const spans = await recorded.spans();
    expect(
      tree(spans, ['errand.attempt', 'errand.leg', 'errand.leg.cause', 'errand.waiting.reason']),
    ).toMatchInlineSnapshot(`
      "host
        invoke_workflow everything leg=1 leg.cause=start waiting.reason=gate
          invoke_agent writer attempt=0
            chat fast attempt=0 ! provider.overloaded
            chat slow attempt=1
            execute_tool look attempt=0
            chat slow attempt=0
          errand.node shell attempt=0
            sh attempt=0
          errand.node flaky attempt=0 ! order.late
          errand.node flaky attempt=1
          errand.node broken attempt=0 ! order.missing
          errand.node each attempt=0
            errand.group each
              errand.node member attempt=0
              errand.node member attempt=0 ! order.even
          errand.node inner attempt=0
            invoke_workflow inner
              errand.node both attempt=0
                errand.group both
                  errand.node left attempt=0
                  errand.node right attempt=0
                    execute_tool look attempt=0
          errand.node ask attempt=0
      invoke_workflow everything leg=2 leg.cause=answer
        errand.node ask attempt=0"
    `);
    const live = spans.filter(({ name }) => name !== 'host');
    expect(new Set(live.map(({ instrumentationScope }) => instrumentationScope.name))).toEqual(
      new Set(['errand']),
    );
    expect(live.every(({ events }) => events.length === 0)).toBe(true);
    // an SDK drops what is above its limits, 128 of each unless it is set otherwise, and late ones first
    expect(Math.max(...live.map((span) => Object.keys(span.attributes).length))).toBeLessThan(64);
    expect(Math.max(...live.map(({ links }) => links.length))).toBeLessThanOrEqual(2);
    for (const { status, attributes } of live)
      expect(status.code === 2).toBe(attributes['error.type'] !== undefined);
    const offline = spansIn(await place.offline(run.id));
    expect(offlineComparable(offline)).toEqual(liveComparable(live));
    expect(await place.offline(run.id)).toEqual(await place.offline(run.id));
    const script = spans.find(({ name }) => name === 'sh');
    expect(result).toMatchObject({ output: { parent: traceparentOf(script) } });
  });

  it('has the metrics of the table, with neither ids nor paths', async () => {
    place = await openPlace(EVERYTHING, everythingElse());
    const { engine } = place;
    const run = await started(engine, 'everything.yaml');
    await run.result();
    const paused = await recorded.metrics();
    const reason = (name: string) => paused.get(name)?.dataPoints[0];
    expect(reason('errand.run.waiting')).toMatchObject({
      value: 1,
      attributes: { 'errand.waiting.reason': 'gate' },
    });
    await (await engine.answer(run.id, { value: 'yes' }))?.result();
    const metrics = await recorded.metrics();
    expect([...metrics.keys()].toSorted()).toMatchInlineSnapshot(`
      [
        "errand.failure",
        "errand.gate.wait",
        "errand.retry.wait",
        "errand.run.active",
        "errand.run.ended",
        "errand.run.waiting",
        "errand.store.commit.duration",
        "gen_ai.client.operation.duration",
        "gen_ai.client.token.usage",
        "gen_ai.execute_tool.duration",
        "gen_ai.invoke_agent.duration",
        "gen_ai.workflow.duration",
      ]
    `);
    const text = JSON.stringify(
      [...metrics.values()].map(({ dataPoints }) => dataPoints.map(({ attributes }) => attributes)),
    );
    expect(text).not.toContain(run.id);
    expect(text).not.toContain('[0]');
    expect(metrics.get('errand.run.active')?.dataPoints.map(({ value }) => value)).toEqual([0]);
    expect(metrics.get('errand.run.waiting')?.dataPoints.map(({ value }) => value)).toEqual([0]);
    const tokens = metrics
      .get('gen_ai.client.token.usage')
      ?.dataPoints.map(({ attributes, value }) => [
        attributes['gen_ai.request.model'],
        attributes['gen_ai.token.type'],
        typeof value === 'number' ? value : value.sum,
      ]);
    expect(tokens).toEqual(
      expect.arrayContaining([
        ['slow', 'input', 120],
        ['slow', 'output', 14],
      ]),
    );
  });
});
