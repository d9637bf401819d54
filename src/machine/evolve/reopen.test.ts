/** Resuming a run: which nodes run, which stay frozen, and which questions are asked. */
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { EventBody, Resumed } from '../state/events.ts';
import { rehearse, type Rehearsal } from '../harness.cases.ts';
import type { RunState } from '../state/state.ts';
import { step } from '../decide/step.ts';
import { stopsOf } from '../stops.cases.ts';

const CHILD = `workflow: {name: c, entry_point: x}
nodes: [{name: x, type: script, command: x}]
`;

/** A route handles a member whose inside has failed; later another member fails. */
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

describe.each(Object.entries(ENDINGS))(
  'a failure that a route has handled when %s fails',
  (_, ending) => {
    it('is asked about, and nothing in it runs until that is answered', () => {
      const run = failedBeside(ASK, ending);
      const { state } = run;
      const events = resume(run);
      expect(events).toContain('node:started g[q]/r');
      expect(events).not.toContain('node:started g[p]/p/x');
      expect([...state.gates.keys()]).toEqual(['g[p]/p']);
      expect(answer(state, 'g[p]/p', 'retry')).toContain('node:started g[p]/p/x');
    });

    it('waits for its time, or for a resume with now', () => {
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
  },
);

it('a closed question stops no clock', () => {
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

describe('a result on which only a check failed', () => {
  const REJECTS = 'assert: [{that: "{{ workflow.input.ok }}"}]';
  const FILE = (node: string, rest = ''): string => `
workflow: {name: t, entry_point: a, input: {ok: {type: boolean}}}
nodes:
  - {name: z, type: set, value: 1}
  - ${node}
${rest}`;
  const NODES = {
    'a script': FILE(`{name: a, type: script, command: x, ${REJECTS}}`),
    'a function': FILE(`{name: a, type: call, function: f, ${REJECTS}}`),
    'a sub-workflow': FILE(`{name: a, type: workflow, workflow: ./c.yaml, ${REJECTS}}`),
    'a group': FILE(
      '{name: y, type: set, value: 1}',
      `for_each: [{name: a, source: "{{ [1, 2] }}", as: i, agent: {name: x, type: script, command: x}, ${REJECTS}, routes: [{to: $end}]}]`,
    ),
  };
  const rejected = (text: string): Rehearsal =>
    rehearse(text, { files: { 'c.yaml': CHILD }, input: { ok: false } });
  const requests = (events: readonly string[]): readonly string[] =>
    events.filter((event) => event.startsWith('effect:requested'));

  it.each(Object.entries(NODES))('of %s is checked again by a resume', (_, text) => {
    const run = rejected(text);
    expect(run.state.error?.kind).toBe('assert.failed');
    expect(requests(resume(run))).toEqual([]);
    expect(run.state).toMatchObject({ status: 'failed', error: { kind: 'assert.failed' } });
    const events = resume(run, { input: { ok: true } });
    expect(requests(events)).toEqual([]);
    expect(events).toContain('node:completed a');
    expect(run.state.status).toBe('completed');
  });

  it.each(Object.entries(NODES))('of %s is made anew when its node is run again', (_, text) => {
    const run = rejected(text);
    expect(requests(resume(run, { from: 'a' }))).not.toEqual([]);
  });

  it('is made anew by a retry route, and checked again by a resume when its retries are spent', () => {
    const retried = `{name: a, type: script, command: x, ${REJECTS}, routes: [{to: $end}, {on_error: assert.failed, retry: {max: 1, backoff: none}}]}`;
    const run = rejected(FILE(retried));
    expect(requests(run.story)).toHaveLength(2);
    expect(requests(resume(run))).toEqual([]);
  });

  const CHECKS = {
    'a guard that cannot be evaluated': [
      '{to: $end, when: "{{ output.missing }}"}, {to: $end}',
      'route.guard_failed',
    ],
    'routes of which none matches': [
      '{to: $end, when: "{{ workflow.input.ok }}"}',
      'route.no_match',
    ],
  } as const;

  it.each(Object.entries(CHECKS))('is routed again after %s', (_, [routes, kind]) => {
    const run = rejected(
      FILE(`{name: a, type: script, command: x, idempotent: true, routes: [${routes}]}`),
    );
    expect(run.state.error?.kind).toBe(kind);
    const events = resume(run, { input: { ok: true } });
    expect(events).not.toContain('node:started a');
    expect(requests(events)).toEqual([]);
    expect(run.state.status).toBe(kind === 'route.no_match' ? 'completed' : 'failed');
  });

  it.each(['park: true', 'ask: {options: [retry, abort]}'])('is routed again after %s', (move) => {
    const text = FILE(
      '{name: a, type: script, command: x, routes: [{to: $end, when: "{{ workflow.input.ok }}"}]}',
    ).replace('input: {ok', `on_error: [{on_error: true, ${move}}], input: {ok`);
    const run = rejected(text);
    const events = move.startsWith('park')
      ? resume(run, { input: { ok: true } })
      : [...resume(run, { input: { ok: true } }), ...answer(run.state, 'a', 'retry')];
    expect(requests(events)).toEqual([]);
    expect(run.state.status).toBe('completed');
  });

  it('is kept when the output of the run or of a sub-workflow, or an assertion, cannot be evaluated', () => {
    for (const text of [
      FILE('{name: a, type: script, command: x}', 'output: {n: "{{ a.output.missing }}"}'),
      FILE('{name: a, type: workflow, workflow: ./c.yaml}'),
      FILE('{name: a, type: script, command: x, assert: [{that: "{{ output.missing }}"}]}'),
    ]) {
      const run = rehearse(text, {
        files: { 'c.yaml': `${CHILD}output: {n: "{{ x.output.missing }}"}\n` },
        input: { ok: false },
      });
      // the work was done, whatever its text says
      expect(run.state.error).toMatchObject({ kind: 'validation.template', outcome: 'failed' });
      const events = resume(run);
      expect(requests(events)).toEqual([]);
      expect(events.at(-1)).toBe('run:failed');
    }
  });

  it('is made anew by a resume where it is idempotent, or its command has changed', () => {
    const idempotent = rejected(
      FILE(`{name: a, type: script, command: x, idempotent: true, ${REJECTS}}`),
    );
    expect(requests(resume(idempotent))).toEqual(['effect:requested a']);
    const other = FILE(
      `{name: a, type: script, command: x, args: ["{{ workflow.input.ok }}"], ${REJECTS}}`,
    );
    expect(requests(resume(rejected(other), { input: { ok: true } }))).toEqual([
      'effect:requested a',
    ]);
  });
});
