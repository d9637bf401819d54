/** What goes on, what rests and what is asked when a run is taken up again. */
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../errors/json.ts';
import type { EventBody, Resumed } from './events.ts';
import { rehearse, type Rehearsal } from './harness.cases.ts';
import type { RunState } from './state.ts';
import { step } from './step.ts';
import { stopsOf } from './stops.cases.ts';

const CHILD = `workflow: {name: c, entry_point: x}
nodes: [{name: x, type: script, command: x}]
`;

/** A member whose inside has failed is taken by a route; later another one fails. */
function failedBeside(route: string, ending: string): Rehearsal {
  return rehearse(
    `
workflow: {name: t, entry_point: g}
nodes:
  - {name: p, type: workflow, workflow: ./c.yaml, routes: [{to: $end}, {on_error: true, ${route}}]}
  - {name: q, type: wait, duration: 1m, routes: [{to: r}]}
  - {name: r, type: call, function: f, routes: [{to: $end}, ${ending}]}
parallel: [{name: g, agents: [p, q]}]
`,
    {
      files: { 'c.yaml': CHILD },
      effects: ({ work }) => ({
        fail: { kind: work.type === 'script' ? 'order.missing' : 'call.failed', message: 'no' },
      }),
    },
  );
}

const ASK = 'ask: {options: [retry, skip]}';
const RETRY = 'retry: {max: 3, initial_seconds: 3600}';
const ENDINGS = {
  'the run': '{on_error: call.failed, halt: true}',
  'its group': '{on_error: order.missing, to: $end}',
};

function resume({ state }: Rehearsal, how: Partial<Resumed> = {}): readonly string[] {
  return take(state, { type: 'run:resumed', by: 'test', ...how });
}

function answer(state: RunState, gate: string, value: JsonValue): readonly string[] {
  return take(state, { type: 'gate:answered', node: 'p', path: gate, gate, value, by: 'test' });
}

function take(state: RunState, event: EventBody): readonly string[] {
  return step(state, [event], state.nowMs).map((each) =>
    'path' in each ? `${each.type} ${each.path}` : each.type,
  );
}

describe.each(Object.entries(ENDINGS))('a failure that is taken when %s fails', (_, ending) => {
  it('is asked about, and nothing in it runs until that is answered', () => {
    const run = failedBeside(ASK, ending);
    const { state } = run;
    const events = resume(run);
    expect(events).toContain('node:started g[q]/r');
    expect(events).not.toContain('node:started g[p]/p/x');
    expect([...state.gates.keys()]).toEqual(['g[p]/p']);
    expect(answer(state, 'g[p]/p', 'retry')).toContain('node:started g[p]/p/x');
  });

  it('rests until it is its time, or until someone says now', () => {
    const run = failedBeside(RETRY, ending);
    expect(resume(run)).not.toContain('node:started g[p]/p/x');
    const inHurry = resume(failedBeside(RETRY, ending), { now: true });
    expect(inHurry.filter((event) => event.startsWith('node:started g[p]'))).toEqual([
      'node:started g[p]/p',
      'node:started g[p]/p/x',
    ]);
  });

  it.each(['g[p]/p', 'g[p]/p/x'])(
    'is no longer asked about once %s is run again, with all that failed',
    (from) => {
      const run = failedBeside(ASK, ending);
      const events = resume(run, { from });
      expect(events).toContain(`node:started ${from}`);
      expect(events).toContain('effect:requested g[p]/p/x');
      expect(events).toContain('effect:requested g[q]/r');
      expect(run.state.status).toBe('running');
      expect(run.state.gates.size).toBe(0);
    },
  );
});

it('a question that nobody is asked any more holds no clock', () => {
  const text = `
workflow: {name: t, entry_point: a}
nodes:
  - {name: a, type: workflow, workflow: ./c.yaml, timeout_seconds: 60, routes: [{to: $end}, {on_error: true, ${ASK}}]}
`;
  const run = rehearse(text, {
    files: { 'c.yaml': CHILD },
    effects: () => ({ fail: { kind: 'order.missing', message: 'no' } }),
  });
  expect([...run.state.gates.keys()]).toEqual(['a']);
  expect(resume(run, { from: 'a' })).toContain('effect:requested a/x');
  expect(run.state.gates.size).toBe(0);
  expect(step(run.state, [], run.state.nowMs + 60_000)).toEqual([]);
  const late = step(run.state, stopsOf(run.state), run.state.nowMs);
  expect(late.find(({ type }) => type === 'node:failed')).toMatchObject({
    error: { kind: 'limit.node_timeout' },
  });
});
