import { describe, expect, it } from 'vitest';
import type { ErrorReport } from '../errors/report/report.ts';
import { buildReport } from '../errors/report/build.ts';
import { loadWorkflowText } from '../workflow/yaml/load-workflow.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';
import type { EventBody, RunEvent } from '../machine/state/events.ts';
import { failureHistories, type FailureHistory, type FailureStep } from './failure-history.ts';

function planOf(nodes: string): WorkflowPlan {
  const text = `workflow:\n  name: t\n  entry_point: a\nnodes:\n${nodes}`;
  const loaded = loadWorkflowText(text, { file: 't.yaml' });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
  return loaded.plan;
}

/** One event each second. */
function log(...bodies: readonly EventBody[]): readonly RunEvent[] {
  return bodies.map((body, index) => ({
    seq: index + 1,
    run: 'r',
    at: new Date(Date.UTC(2026, 2, 1) + index * 1000).toISOString(),
    ...body,
  }));
}

function failure(id: string, kind = 'order.late', more: Partial<ErrorReport> = {}): ErrorReport {
  const stamp = { id, at: '2026-03-01T00:00:00.000Z' };
  return buildReport({ kind, message: `It is ${kind}`, ...more }, { stamp });
}

const A = { node: 'a', path: 'a' };
const SCRIPT = { key: 'k', type: 'script', target: 'x' } as const;
const MODEL = { key: 'm', type: 'model', target: 'sim/one' } as const;
const OTHER = { key: 'm', type: 'model', target: 'sim/two' } as const;
const TOOL = { key: 'f', type: 'tool', target: 'lookup' } as const;
const started = (attempt = 0): EventBody => ({ type: 'node:started', ...A, attempt });
const asked = (effect: typeof SCRIPT | typeof MODEL | typeof OTHER | typeof TOOL): EventBody => ({
  type: 'effect:requested',
  ...A,
  effect,
  attempt: 0,
});

const PLAN = planOf(`
  - name: a
    type: script
    command: x
    routes:
      - {to: $end}
      - {on_error: card.declined, to: b}
      - {on_error: order.late, when: "{{ error.message == 'no' }}", to: b}
      - {on_error: order.late, retry: {max: 1}}
      - {on_error: true, to: b}
  - {name: b, type: set, value: 1}
`);

function steps({ steps: all }: FailureHistory): readonly FailureStep['type'][] {
  return all.map(({ type }) => type);
}

describe('the history of a failure', () => {
  it('spans the attempts of its node, and says why each earlier route was skipped', () => {
    const [one, two] = [failure('err_1'), failure('err_2')];
    const histories = failureHistories(
      PLAN,
      log(
        started(),
        asked(SCRIPT),
        { type: 'effect:failed', ...A, effect: SCRIPT, error: one, costUsdMicros: 7 },
        { type: 'node:failed', ...A, error: one },
        { type: 'route:taken', ...A, move: 'retry', rule: 3, bucket: 'error', kind: one.kind },
        { type: 'node:retrying', ...A, attempt: 1, delayMs: 500, error: one },
        started(1),
        asked(SCRIPT),
        { type: 'effect:failed', ...A, effect: SCRIPT, error: two },
        { type: 'node:failed', ...A, error: two },
        {
          type: 'route:taken',
          ...A,
          move: 'to',
          to: 'b',
          rule: 4,
          bucket: 'error',
          kind: two.kind,
        },
      ),
    );
    expect(histories).toHaveLength(1);
    const [history] = histories;
    expect(history).toMatchObject({
      id: 'err_2',
      kind: 'order.late',
      status: 'handled',
      path: 'a',
      startedAt: '2026-03-01T00:00:02.000Z',
      endedAt: '2026-03-01T00:00:10.000Z',
      source: { type: 'script', target: 'x' },
    });
    expect(history?.steps.filter(({ type }) => type === 'failed')).toMatchObject([
      { layer: 'effect', id: 'err_1', costUsdMicros: 7 },
      { layer: 'node', id: 'err_1' },
      { layer: 'effect', id: 'err_2' },
      { layer: 'node', id: 'err_2' },
    ]);
    expect(history?.steps.findLast((step) => step.type === 'route')?.passed).toEqual([
      {
        bucket: 'error',
        rule: 1,
        move: 'to',
        on: ['card.declined'],
        why: 'it is not for order.late',
      },
      {
        bucket: 'error',
        rule: 2,
        move: 'to',
        on: ['order.late'],
        why: "its condition is false: {{ error.message == 'no' }}",
      },
      { bucket: 'error', rule: 3, move: 'retry', on: ['order.late'], why: 'its re-run is used up' },
    ]);
    expect(history?.steps.at(-1)).toMatchObject({ type: 'ended', how: 'continued at b' });
  });

  it('records each model of a chain that was called, and each wait', () => {
    const [one, two] = [
      failure('err_1', 'provider.overloaded'),
      failure('err_2', 'provider.overloaded'),
    ];
    const [history] = failureHistories(
      PLAN,
      log(
        started(),
        asked(MODEL),
        { type: 'effect:failed', ...A, effect: MODEL, error: one },
        asked(MODEL),
        { type: 'effect:failed', ...A, effect: MODEL, error: two },
        asked(OTHER),
        { type: 'effect:succeeded', ...A, effect: OTHER, output: 1 },
      ),
    );
    expect(history).toMatchObject({ status: 'handled', source: { target: 'sim/one' } });
    expect(history?.steps.filter(({ type }) => type === 'asked_again')).toMatchObject([
      { target: 'sim/one', because: 'schedule', waitedMs: 1000 },
      { target: 'sim/two', because: 'fallback', waitedMs: 1000 },
    ]);
    expect(history?.steps.at(-1)).toMatchObject({ how: 'sim/two answered' });
  });

  it('ends when the failure of a tool is shown to the model', () => {
    const [history, ...others] = failureHistories(
      PLAN,
      log(
        started(),
        asked(TOOL),
        { type: 'effect:failed', ...A, effect: TOOL, error: failure('err_1', 'tool.failed') },
        asked(MODEL),
        { type: 'effect:succeeded', ...A, effect: MODEL, output: 1 },
      ),
    );
    expect(others).toEqual([]);
    expect(history?.steps.at(-1)).toMatchObject({ how: 'shown to the model, which continued' });
  });

  it('has the default as its route when it ended the run', () => {
    const error = failure('err_1', 'internal.script_error');
    const plan = planOf('  - {name: a, type: script, command: x}\n');
    const [history] = failureHistories(
      plan,
      log(started(), { type: 'node:failed', ...A, error }, { type: 'run:failed', error }),
    );
    expect(history).toMatchObject({ status: 'failed', source: { type: 'node' } });
    expect(history?.steps).toMatchObject([
      { type: 'failed', layer: 'node' },
      { type: 'route', bucket: 'default', move: 'propagate', passed: [] },
      { type: 'ended', how: 'the run failed' },
    ]);
  });

  it('joins that of the group for a failed member, and is handled for a tolerated one', () => {
    const group = { node: 'a', path: 'a' };
    const member = (key: string) => ({ node: 'm', path: `a[${key}]/m` });
    const error = failure('err_1');
    const fails = (key: string): EventBody[] => [
      { type: 'node:started', ...member(key), attempt: 0 },
      { type: 'node:failed', ...member(key), error },
      { type: 'route:taken', ...member(key), move: 'propagate', bucket: 'default' },
    ];
    const begin: EventBody = {
      type: 'node:started',
      ...group,
      attempt: 0,
      members: { keys: ['x', 'y'] },
    };
    const joined = failureHistories(
      PLAN,
      log(begin, ...fails('x'), {
        type: 'node:failed',
        ...group,
        error: failure('err_g', 'group.failed', { cause: error }),
      }),
    );
    expect(joined.map(({ status, joined: into }) => [status, into])).toEqual([
      ['joined', 'err_g'],
      ['open', undefined],
    ]);
    const tolerated = failureHistories(
      PLAN,
      log(begin, ...fails('x'), { type: 'node:completed', ...group, output: {} }),
    );
    expect(tolerated.map(({ status, steps: all }) => [status, all.at(-1)])).toMatchObject([
      ['handled', { how: 'a continued without it' }],
    ]);
  });

  it('records what a person was asked, the answer, and that it was settled', () => {
    const error = failure('err_1');
    const [history] = failureHistories(
      PLAN,
      log(
        started(),
        { type: 'node:failed', ...A, error },
        { type: 'gate:opened', ...A, gate: 'a', prompt: 'So?', options: ['skip'] },
        { type: 'gate:answered', ...A, gate: 'a', value: 'skip', by: 'cli' },
        { type: 'node:completed', ...A, output: null },
      ),
    );
    expect(steps(history as FailureHistory)).toEqual(['failed', 'asked', 'answered', 'ended']);
    expect(history).toMatchObject({ status: 'handled' });
    expect(history?.steps.at(-1)).toMatchObject({ how: 'a person settled it' });
  });

  it('skips no route after a question that was answered with abort', () => {
    const plan = planOf(
      '  - {name: a, type: script, command: x, routes: [{to: $end}, {on_error: order.late, ask: {}}, {on_error: true, to: b}]}\n  - {name: b, type: set, value: 1}\n',
    );
    const error = failure('err_1');
    const [history] = failureHistories(
      plan,
      log(
        started(),
        { type: 'node:failed', ...A, error },
        { type: 'route:taken', ...A, move: 'ask', rule: 1, bucket: 'error', kind: error.kind },
        { type: 'gate:opened', ...A, gate: 'a', prompt: 'So?', options: ['abort'] },
        { type: 'gate:answered', ...A, gate: 'a', value: 'abort', by: 'cli' },
        { type: 'route:taken', ...A, move: 'propagate', bucket: 'default', kind: error.kind },
        { type: 'run:failed', error },
      ),
    );
    const route = history?.steps.findLast((step) => step.type === 'route');
    expect(route?.passed.map(({ rule, why }) => [rule, why])).toEqual([
      [1, 'a person was asked, and did not resolve the failure'],
      [2, 'a person had answered abort'],
    ]);
  });

  it('names no routes where none apply', () => {
    const error = failure('err_1', 'limit.steps', { frames: [{ workflow: 't', ...A }] });
    const [history] = failureHistories(
      PLAN,
      log(started(), { type: 'node:failed', ...A, error }, { type: 'run:failed', error }),
    );
    expect(history?.steps[1]).toMatchObject({ type: 'route', bucket: 'default', passed: [] });
  });

  it('ends with the limit that it made the run reach', () => {
    const cause = failure('err_1');
    const error = failure('err_2', 'limit.retries', { cause });
    const [history] = failureHistories(
      PLAN,
      log(started(), { type: 'node:failed', ...A, error: cause }, { type: 'run:failed', error }),
    );
    expect(history).toMatchObject({ id: 'err_2', kind: 'limit.retries', status: 'failed' });
    expect(history?.steps.map(({ type }) => type)).toEqual(['failed', 'failed', 'ended']);
  });

  it('finds a halt in the table of the workflow', () => {
    const text = `workflow:\n  name: t\n  entry_point: a\n  on_error:\n    - {on_error: card.declined, to: $end}\n    - {on_error: true, halt: {}}\nnodes:\n  - {name: a, type: script, command: x}\n`;
    const loaded = loadWorkflowText(text, { file: 't.yaml' });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
    const error = failure('err_1');
    const halted = failure('err_2', 'halt.intentional', { cause: error });
    const [history] = failureHistories(
      loaded.plan,
      log(
        started(),
        { type: 'node:failed', ...A, error },
        { type: 'route:taken', ...A, move: 'halt', rule: 1, bucket: 'error' },
        { type: 'run:failed', error: halted },
      ),
    );
    const route = history?.steps.find((step) => step.type === 'route');
    expect(route?.passed.map(({ bucket, rule }) => [bucket, rule])).toEqual([['workflow', 0]]);
  });

  it('exists for a suppressed failure too', () => {
    const error = failure('err_1', 'store.unavailable');
    const [history] = failureHistories(
      PLAN,
      log({ type: 'error:suppressed', error, reason: 'tried again' }),
    );
    expect(history).toMatchObject({ kind: 'store.unavailable', status: 'handled' });
  });

  it('leaves out effects that were only stopped', () => {
    const error = failure('err_1', 'cancelled.tool');
    const histories = failureHistories(
      PLAN,
      log(started(), asked(SCRIPT), { type: 'effect:failed', ...A, effect: SCRIPT, error }),
    );
    expect(histories).toEqual([]);
  });
});
