/** Spans where it is hard to get them right: pauses, stops, cancels, many at once, and hosts that misbehave. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { raise } from '../../src/errors/thrown/errand-error.ts';
import type { Engine } from '../../src/engine/errand.ts';
import type { EngineOptions } from '../../src/engine/open-backend.ts';
import { VirtualClock } from '../../src/rehearsal/world/virtual-clock.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { liveComparable, offlineComparable, spansIn } from './offline.ts';
import {
  api,
  loadInstrumentation,
  ms,
  recordTelemetry,
  traceparentOf,
  tree,
  type Recorded,
} from './otel.ts';
import { openPlace, type Place } from './runs.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.parse('2026-11-17T08:00:00Z');
const OPENING = 'request that opened the server';
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

let recorded: Recorded;
const places: Place[] = [];

beforeEach(() => {
  recorded = recordTelemetry();
});

afterEach(async () => {
  for (const place of places.splice(0)) await place.close();
  await recorded.close();
});

async function open(
  nodes: string,
  options: Partial<EngineOptions> = {},
  clock?: VirtualClock,
): Promise<Place> {
  const entry = /name: (?<name>[^,}\s]+)/.exec(nodes)?.groups?.['name'] ?? '';
  const text = `workflow: { name: flow, entry_point: ${entry} }\nnodes:\n${nodes}`;
  const place = await openPlace({ 'flow.yaml': text }, options, clock);
  places.push(place);
  return place;
}

async function start(engine: Engine, more: object = {}): ReturnType<Engine['start']> {
  return engine.start(await engine.load('flow.yaml'), more);
}

/** Live spans are those that the log gives; the host's own are left out. */
async function expectSame(place: Place, run: string): Promise<void> {
  const live = (await recorded.spans()).filter(
    ({ attributes }) => attributes['errand.run.id'] === run,
  );
  expect(offlineComparable(spansIn(await place.offline(run)))).toEqual(liveComparable(live));
}

const DETAILS = ['errand.leg', 'errand.leg.cause', 'errand.run.status', 'errand.waiting.reason'];

describe('pauses and ends', () => {
  it('ends every span at a pause of a day, and begins new ones after it', async () => {
    const clock = new VirtualClock(START_MS);
    const store = openMemoryStore({ now: () => clock.now() });
    const place = await open(
      '  - { name: nap, type: wait, duration: 1d, routes: [{ to: work }] }\n  - { name: work, type: call, function: work }',
      { store, functions: { work: () => ({}) } },
      clock,
    );
    const run = await start(place.engine);
    expect(await run.result()).toMatchObject({ status: 'paused', waiting: { reason: 'time' } });
    await clock.passUntil(clock.sleep(DAY_MS + 1000));
    // its span would be active in every later poll of the store
    await recorded.inSpan(OPENING, () => place.engine.carryOn());
    await expect.poll(async () => (await place.engine.get(run.id)).status).toBe('completed');
    // the host's span keeps real time, the run's spans virtual time: no order holds between them
    const spans = (await recorded.spans()).filter(({ name }) => name !== OPENING);
    expect(tree(spans, DETAILS)).toMatchInlineSnapshot(`
      "invoke_workflow flow leg=1 leg.cause=start run.status=paused waiting.reason=time
        errand.node nap
      invoke_workflow flow leg=2 leg.cause=adopt run.status=completed
        errand.node nap
        errand.node work"
    `);
    const longest = Math.max(...spans.map(({ startTime, endTime }) => ms(endTime) - ms(startTime)));
    expect(longest).toBeLessThan(DAY_MS / 2);
    await expectSame(place, run.id);
  });

  it('leaves a cancelled run unset, with the call that was stopped', async () => {
    const begun = Promise.withResolvers<void>();
    const place = await open('  - { name: work, type: call, function: hang }', {
      functions: {
        hang: (_input: unknown, { signal }: { signal: AbortSignal }) =>
          new Promise((_resolve, reject) => {
            begun.resolve();
            signal.addEventListener('abort', () => reject(new Error('stopped')));
          }),
      },
    });
    const run = await start(place.engine);
    await begun.promise;
    await place.engine.cancel(run.id);
    expect(tree(await recorded.spans(), DETAILS)).toBe(
      'invoke_workflow flow leg=1 leg.cause=start run.status=cancelled\n  errand.node work',
    );
    await expectSame(place, run.id);
  });

  it('ends a stopped leg, and links the one that resumes it to it', async () => {
    const begun = Promise.withResolvers<void>();
    let calls = 0;
    const functions = {
      work: (_input: unknown, { signal }: { signal: AbortSignal }) =>
        calls++ > 0
          ? { done: true }
          : new Promise((_resolve, reject) => {
              begun.resolve();
              signal.addEventListener('abort', () => reject(new Error('stopped')));
            }),
    };
    const place = await open('  - { name: work, type: call, function: work, idempotent: true }', {
      functions,
    });
    const run = await start(place.engine);
    await begun.promise;
    run.stop();
    expect(await run.result()).toMatchObject({ status: 'interrupted' });
    const next = await place.engine.resume(run.id);
    expect(await next.result()).toMatchObject({ status: 'completed' });
    const spans = await recorded.spans();
    expect(tree(spans, DETAILS)).toMatchInlineSnapshot(`
      "invoke_workflow flow leg=1 leg.cause=start run.status=interrupted
        errand.node work
      invoke_workflow flow leg=2 leg.cause=resume run.status=completed
        errand.node work"
    `);
    await expectSame(place, run.id);
  });

  it('shows a run that failed, was repaired and resumed', async () => {
    let calls = 0;
    const place = await open(
      '  - { name: one, type: call, function: good, routes: [{ to: two }] }\n  - { name: two, type: call, function: bad }',
      {
        functions: {
          good: () => ({}),
          bad: () => (calls++ === 0 ? raise('order.missing', 'gone: /home/ada/orders.json') : {}),
        },
      },
    );
    const run = await start(place.engine);
    expect(await run.result()).toMatchObject({ status: 'failed' });
    await (await place.engine.resume(run.id)).result();
    await (await place.engine.resume(run.id, { from: 'one' })).result();
    const spans = await recorded.spans();
    expect(tree(spans, DETAILS)).toMatchInlineSnapshot(`
      "invoke_workflow flow leg=1 leg.cause=start run.status=failed ! order.missing
        errand.node one
        errand.node two ! order.missing
      invoke_workflow flow leg=2 leg.cause=resume run.status=completed
        errand.node two
      invoke_workflow flow leg=3 leg.cause=retry run.status=completed
        errand.node one
        errand.node two"
    `);
    const legs = spans.filter(({ name }) => name === 'invoke_workflow flow');
    const ids = legs.map((span) => span.spanContext().spanId);
    expect(
      legs.map(({ links }) => links.map(({ context }) => ids.indexOf(context.spanId))),
    ).toEqual([[], [0], [0, 1]]);
    // the person's message has no folders of the host
    expect(JSON.stringify(spans.map(({ status }) => status))).not.toContain('/home/ada');
    expect(await place.engine.get(run.id)).toMatchObject({ traceparent: traceparentOf(legs[2]) });
    await expectSame(place, run.id);
  });
});

describe('many at once', () => {
  it('closes the members that fail_fast stops', async () => {
    const begun = Promise.withResolvers<void>();
    const place = await open(
      `  - name: each
    type: for_each
    source: '{{ [1, 2, 3] }}'
    as: n
    agent: { name: member, type: call, function: member, arguments: { n: '{{ n }}' } }`,
      {
        functions: {
          member: async (input: unknown, { signal }: { signal: AbortSignal }) => {
            const { n } = input as { n: number };
            if (n === 1) return {};
            if (n === 2) {
              await begun.promise;
              return raise('order.missing', 'gone');
            }
            begun.resolve();
            return new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(new Error('stopped')));
            });
          },
        },
      },
    );
    const run = await start(place.engine);
    expect(await run.result()).toMatchObject({ status: 'failed' });
    expect(tree(await recorded.spans(), ['errand.node.path', 'errand.group.failed']))
      .toMatchInlineSnapshot(`
      "invoke_workflow flow ! group.failed
        errand.node each node.path=each ! group.failed
          errand.group each node.path=each group.failed=1 ! group.failed
            errand.node member node.path=each[0]/member
            errand.node member node.path=each[1]/member ! order.missing
            errand.node member node.path=each[2]/member"
    `);
    await expectSame(place, run.id);
  });

  it('nests groups, children and members whose keys look like paths', async () => {
    const place = await openPlace({
      'flow.yaml': `workflow: { name: flow, entry_point: outer }
nodes:
  - name: outer
    type: for_each
    source: '{{ ["x/y", "]/q[", "é"] }}'
    as: item
    key_by: item
    agent: { name: inside, type: workflow, workflow: ./inner.yaml }
`,
      'inner.yaml': `workflow: { name: inner, entry_point: both }
nodes:
  - { name: both, type: parallel, agents: [left, more] }
  - { name: more, type: parallel, agents: [right] }
  - { name: left, type: set, value: 1 }
  - { name: right, type: set, value: 2 }
`,
    });
    places.push(place);
    const run = await start(place.engine);
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(tree(await recorded.spans())).toMatchInlineSnapshot(`
      "invoke_workflow flow
        errand.node outer
          errand.group outer
            errand.node inside
              invoke_workflow inner
                errand.node both
                  errand.group both
                    errand.node left
                    errand.node more
                      errand.group more
                        errand.node right
            errand.node inside
              invoke_workflow inner
                errand.node both
                  errand.group both
                    errand.node left
                    errand.node more
                      errand.group more
                        errand.node right
            errand.node inside
              invoke_workflow inner
                errand.node both
                  errand.group both
                    errand.node left
                    errand.node more
                      errand.group more
                        errand.node right"
    `);
    await expectSame(place, run.id);
  });

  it('keeps two runs at once below their own parents', async () => {
    const place = await open('  - { name: work, type: call, function: work }', {
      functions: { work: () => ({ active: api.trace.getActiveSpan()?.spanContext().traceId }) },
    });
    const results = await Promise.all(
      ['first', 'second'].map((name) =>
        recorded.inSpan(name, async () => {
          const run = await start(place.engine);
          return { name, id: run.id, result: await run.result() };
        }),
      ),
    );
    const spans = await recorded.spans();
    for (const { name, id, result } of results) {
      const host = spans.find((span) => span.name === name)?.spanContext();
      const own = spans.filter(({ attributes }) => attributes['errand.run.id'] === id);
      expect(own).toHaveLength(2);
      expect(new Set(own.map((span) => span.spanContext().traceId))).toEqual(
        new Set([host?.traceId]),
      );
      expect(
        own.find(({ attributes }) => attributes['errand.leg'] === 1)?.parentSpanContext,
      ).toMatchObject({ spanId: host?.spanId });
      expect(result).toMatchObject({ output: { active: host?.traceId } });
    }
  });

  it('makes one span for each of thousands of steps, with an id of its own', async () => {
    const many = await open(
      `  - name: each
    type: for_each
    source: '{{ range(10000) }}'
    as: n
    max_concurrent: 50
    agent: { name: member, type: set, value: '{{ n }}' }`,
    );
    const run = await start(many.engine);
    expect(await run.result()).toMatchObject({ status: 'completed' });
    const spans = await recorded.spans();
    expect(spans.filter(({ name }) => name === 'errand.node member')).toHaveLength(10_000);
    expect(new Set(spans.map((span) => span.spanContext().spanId)).size).toBe(spans.length);
    expect(spans.every(({ attributes }) => attributes['errand.node.type'] !== 'call')).toBe(true);
  });
});

describe('what comes in and goes out', () => {
  it.each([
    ['a header', { traceparent: TRACE, tracestate: 'a=1' }, '0af7651916cd43dd8448eb211c80319c'],
    ['rubbish', { traceparent: '00-xyz' }, undefined],
  ])('takes %s as the parent, or begins a trace', async (_, trace, traceId) => {
    const place = await open('  - { name: work, type: call, function: work }', {
      functions: { work: () => ({}) },
    });
    const run = await start(place.engine, { trace });
    await run.result();
    const leg = (await recorded.spans()).find(({ name }) => name === 'invoke_workflow flow');
    expect(leg?.parentSpanContext?.traceId).toBe(traceId);
  });

  it('costs one look for each leg where nobody traces, however many steps it has', async () => {
    await recorded.close();
    const calls: string[] = [];
    const telemetry = createTelemetry({ env: {} });
    const counted = new Proxy(telemetry, {
      get: (port, name) => {
        calls.push(String(name));
        const method: unknown = Reflect.get(port, name);
        return typeof method === 'function' ? (method.bind(port) as unknown) : method;
      },
    });
    const place = await open(
      `  - name: each
    type: for_each
    source: '{{ range(300) }}'
    as: n
    agent: { name: member, type: set, value: '{{ n }}' }`,
      { telemetry: counted },
    );
    const run = await start(place.engine);
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(calls).toEqual(['openLeg']);
  });

  it('passes on what came in where nobody traces, and stores it', async () => {
    await recorded.close();
    const place = await open(
      `  - { name: shell, type: script, command: sh, args: ['-c', 'echo "$TRACEPARENT $BAGGAGE"'] }`,
      { env: { PATH: process.env['PATH'] } },
    );
    const run = await start(place.engine, { trace: { traceparent: TRACE, baggage: 'user=ada' } });
    expect(await run.result()).toMatchObject({ output: { stdout: `${TRACE} user=ada\n` } });
    expect(await place.engine.get(run.id)).toMatchObject({ traceparent: TRACE });
  });

  it('is the parent of what a function fetches, and the server sees it', async () => {
    const server = createServer((request, response) => {
      response.end(JSON.stringify(request.headers));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { UndiciInstrumentation } = loadInstrumentation();
    const undici = new UndiciInstrumentation();
    undici.setTracerProvider(api.trace.getTracerProvider());
    undici.enable();
    try {
      const place = await open('  - { name: work, type: call, function: work }', {
        functions: { work: async () => (await fetch(`http://127.0.0.1:${port}/`)).json() },
      });
      const run = await start(place.engine);
      expect(await run.result()).toMatchObject({ status: 'completed' });
      expect(tree(await recorded.spans())).toBe(
        'invoke_workflow flow\n  errand.node work\n    GET',
      );
    } finally {
      undici.disable();
      server.close();
    }
  });
});

describe('hosts that misbehave', () => {
  it('finds a provider that is registered late, with the next run', async () => {
    await recorded.close();
    const place = await open('  - { name: work, type: call, function: work }', {
      functions: { work: () => ({}) },
    });
    await (await start(place.engine)).result();
    recorded = recordTelemetry();
    await (await start(place.engine)).result();
    expect(tree(await recorded.spans())).toBe('invoke_workflow flow\n  errand.node work');
  });

  it('is not affected by a processor that throws, and says so once', async () => {
    await recorded.close();
    const broken = {
      onStart: () => {
        throw new Error('no start');
      },
      onEnd: () => {
        throw new Error('no end');
      },
      forceFlush: () => Promise.resolve(),
      shutdown: () => Promise.resolve(),
    };
    recorded = recordTelemetry([broken]);
    const place = await open(
      '  - { name: work, type: call, function: work, routes: [{ to: again }] }\n  - { name: again, type: call, function: work }',
      { functions: { work: () => ({ ok: true }) } },
    );
    expect(await (await start(place.engine)).result()).toMatchObject({ output: { ok: true } });
    expect(place.faults).toHaveLength(1);
  });
});
