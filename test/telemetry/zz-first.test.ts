import { expect, it } from 'vitest';
import { openErrand, workflow, raise } from '/work/trees/telemetry/src/index.ts';
import { recordTelemetry, tree } from '/work/trees/telemetry/test/telemetry/otel.ts';
it('x', async () => {
  const rec = recordTelemetry();
  const errand = await openErrand({ store: 'memory', functions: { a: async () => { rec; return { x: 1 } }, b: () => raise('order.missing', 'no order') }  });
  const flow = workflow({ name: 'flow', entryPoint: 'one', runtime: { simulate: {} } as never,
    nodes: [
      { name: 'one', type: 'call', function: 'a', routes: [{ to: 'two' }] },
      { name: 'two', type: 'call', function: 'b', routes: [{ on_error: 'order.missing', to: 'ag' }, { to: 'ag' }] },
      { name: 'ag', type: 'agent', model: 'sim/fast', prompt: 'hello', routes: [{ to: 's' }] },
      { name: 's', type: 'script', command: 'sh', args: ['-c', 'echo $TRACEPARENT'], routes: [{ to: 'each' }] },
      { name: 'each', type: 'for_each', source: '{{ [1,2] }}', as: 'item', agent: { name: 'm', type: 'call', function: 'a' } } as never,
    ] } as never);
  const handle = await rec.inSpan('host', () => errand.start(flow));
  const result = await handle.result();
  console.log(JSON.stringify(result));
  console.log(tree((await rec.spans()), ['errand.node.path','errand.attempt','errand.leg','errand.run.status','errand.leg.cause', 'errand.route.to']));
  for (const s of (await rec.spans())) console.log(s.name, JSON.stringify(s.attributes), s.kind, JSON.stringify(s.status), JSON.stringify(s.links));
  for (const [n, m] of await rec.metrics()) console.log(n, JSON.stringify(m.dataPoints.map((d) => [d.attributes, typeof d.value === 'number' ? d.value : { c: d.value.count, s: d.value.sum }])));
  console.log(JSON.stringify(await Array.fromAsync(errand.history(handle.id)).then((e) => e[0])));
  await errand.close(); await rec.close();
});
