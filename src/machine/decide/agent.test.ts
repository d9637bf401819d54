/** Conversations on a virtual clock: exact waits, and recovery from the log. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateWorkflow } from '../../workflow/check/validate-workflow.ts';
import type { EventBody } from '../state/events.ts';
import { memoryFiles } from '../../workflow/yaml/files.cases.ts';
import { Stage, START_MS, type StageOptions } from '../conversation/conversation.cases.ts';
import { runs } from '../../../test/runs.ts';

function workflow(models: object, node: object = {}, header: object = {}): object {
  return {
    workflow: { name: 't', entry_point: 'a', runtime: { simulate: models }, ...header },
    nodes: [{ name: 'a', model: 'sim/m', prompt: 'hi', ...node }],
  };
}

const failing = (kind: string, seconds?: number): object => ({
  fail: { kind, ...(seconds === undefined ? {} : { retry_after: seconds }) },
});

/** When each call was made, from the start. */
function askedAtMs({ log }: Stage): readonly number[] {
  return log.flatMap(({ event, atMs }) =>
    event.type === 'effect:requested' ? [atMs - START_MS] : [],
  );
}

function endingOf({ events }: Stage): EventBody | undefined {
  return events.findLast(({ type }) => type === 'node:failed' || type === 'node:completed');
}

describe('waits on a virtual clock', () => {
  it('a hint is used to the millisecond, six times in all', () => {
    const stage = new Stage(workflow({ m: [failing('provider.rate_limited', 1.234)] })).play();
    expect(askedAtMs(stage)).toEqual([0, 1234, 2468, 3702, 4936, 6170]);
    expect(endingOf(stage)).toMatchObject({ error: { kind: 'provider.exhausted' } });
  });

  it.each([
    ['provider.rate_limited', [5000, 10_000, 20_000, 40_000, 80_000]],
    ['provider.overloaded', [1000, 2000]],
    ['provider.server_error', [1000, 2000]],
    ['provider.timeout', [1000, 2000]],
    ['provider.network', [1000, 2000]],
    ['provider.conflict', [1000, 2000]],
  ])('%s waits by its schedule, a fifth more or less', (kind, waits) => {
    const stage = new Stage(workflow({ m: [failing(kind)] })).play();
    const times = askedAtMs(stage);
    const waited = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
    expect(waited.length).toBe(waits.length);
    for (const [index, waitMs] of waits.entries())
      expect(Math.abs((waited[index] ?? 0) - waitMs)).toBeLessThanOrEqual(waitMs * 0.2);
    expect(endingOf(stage)).toMatchObject({
      error: { kind: 'provider.exhausted', attempts: { length: waits.length + 1 } },
    });
  });

  it('the clock of a node runs during a call, and not while the call waits for its turn', () => {
    const models = { m: [failing('provider.rate_limited', 3600), failing('provider.auth')] };
    const stage = new Stage(workflow(models, { timeout_seconds: 5 })).play();
    expect(askedAtMs(stage)).toEqual([0, 3_600_000]);
    expect(endingOf(stage)).toMatchObject({ error: { kind: 'provider.auth' } });
  });

  it('a call has the time that earlier calls have left', () => {
    const models = { m: [failing('provider.rate_limited', 60), { answer: 'late' }] };
    const stage = new Stage(workflow(models, { timeout_seconds: 5 }));
    stage.nowMs += 2000;
    for (const pending of stage.pending()) stage.answer(pending);
    stage.wait();
    stage.wait();
    expect(askedAtMs(stage)).toEqual([0, 62_000]);
    stage.wait();
    expect(stage.nowMs - START_MS).toBe(65_000);
    expect(endingOf(stage)).toMatchObject({ error: { kind: 'limit.node_timeout' } });
  });

  it('the wait of a tool’s own retry does not count either, for an agent and for a node', () => {
    const retry = { max: 1, backoff: 'fixed', initialMs: 9000, maxMs: 9000, jitter: 0 } as const;
    const describes = {
      slow: { isDeclared: true, isIdempotent: true, writes: false, retry },
    };
    const tools = {
      slow: (made: number) => (made === 0 ? { kind: 'tool.failed', message: 'again' } : 1),
    };
    const models = { m: [{ tool_calls: [{ name: 'slow', arguments: {} }] }, { answer: 'ok' }] };
    const asAgent = workflow(models, { timeout_seconds: 5 });
    const asNode = {
      workflow: { name: 't', entry_point: 'a' },
      nodes: [{ name: 'a', type: 'tool', tool: 'slow', timeout_seconds: 5 }],
    };
    for (const file of [asAgent, asNode]) {
      const stage = new Stage(file, { describes, tools }).play();
      expect(stage.state.status).toBe('completed');
      expect(stage.nowMs - START_MS).toBe(9000);
    }
  });

  it('a run that times out during such a wait names the failure, of a tool and of a model', () => {
    const retry = { max: 9, backoff: 'fixed', initialMs: 9000, maxMs: 9000, jitter: 0 } as const;
    const describes = { slow: { isDeclared: true, isIdempotent: true, writes: false, retry } };
    const tools = { slow: () => ({ kind: 'tool.failed', message: 'again' }) };
    const header = { limits: { timeout_seconds: 12 } };
    const calling = { m: [{ tool_calls: [{ name: 'slow', arguments: {} }] }] };
    const node = { name: 'a', type: 'tool', tool: 'slow' };
    const cases: readonly (readonly [object, string])[] = [
      [workflow(calling, {}, header), 'tool.failed'],
      [{ workflow: { name: 't', entry_point: 'a', ...header }, nodes: [node] }, 'tool.failed'],
      [workflow({ m: [failing('provider.overloaded', 10)] }, {}, header), 'provider.overloaded'],
    ];
    for (const [file, kind] of cases) {
      const { state } = new Stage(file, { describes, tools }).play();
      expect(state.error).toMatchObject({ kind: 'limit.run_timeout', cause: { kind } });
    }
  });

  it('a call that waits for another’s cooldown makes no attempt and loses no time', () => {
    const node = (name: string): object => ({
      name,
      model: 'sim/m',
      prompt: 'hi',
      timeout_seconds: 5,
    });
    const file = {
      workflow: {
        name: 't',
        entry_point: 'g',
        runtime: {
          simulate: {
            m: [failing('provider.rate_limited', 60), { answer: 'ok' }],
            n: [{ answer: 'ok' }],
          },
        },
      },
      nodes: [
        node('p'),
        { ...node('q'), model: 'sim/n', routes: [{ to: 'r' }] },
        { ...node('r'), model: ['sim/m'] },
        { ...node('s'), model: 'sim/n', routes: [{ to: 'r' }] },
      ],
      parallel: [{ name: 'g', agents: ['p', 'q', 's'] }],
    };
    const stage = new Stage(file).play();
    const asked = stage.log.flatMap(({ event, atMs }) =>
      event.type === 'effect:requested' ? [`${atMs - START_MS} ${event.path}`] : [],
    );
    expect(stage.state.status).toBe('completed');
    // one probes first; r then has failures of its own, one after the other
    expect(asked.slice(0, 4)).toEqual(['0 g[p]/p', '0 g[q]/q', '0 g[s]/s', '60000 g[p]/p']);
  });
});

const DESCRIBES: StageOptions['describes'] = {
  look: { isDeclared: true, isIdempotent: true, writes: false },
  flaky: {
    isDeclared: true,
    isIdempotent: true,
    writes: false,
    retry: { max: 2, backoff: 'fixed', initialMs: 10, maxMs: 10, jitter: 0 },
  },
  secret: { isDeclared: true, isIdempotent: true, writes: true },
};
const TOOLS: StageOptions['tools'] = {
  look: () => ({ found: 1 }),
  flaky: (made) => (made < 2 ? { kind: 'tool.failed', message: 'again' } : 1),
};

const entries = fc.constantFrom<object>(
  { answer: { n: 1 } },
  { answer: 'no JSON' },
  { stream: ['half'], cut: true },
  { tool_calls: [{ name: 'look', arguments: {} }] },
  {
    tool_calls: [
      { name: 'look', arguments: { a: 1 } },
      { name: 'flaky', arguments: {} },
    ],
  },
  { tool_calls: [{ name: 'nobody', arguments: {} }] },
  { tool_calls: [{ name: 'secret', arguments: {} }] },
  { tool_calls: [{ name: 'secret', arguments: { other: 1 } }] },
  { tool_calls: [{ name: 'write_state', arguments: { key: 'tags', value: ['x'] } }] },
  { tool_calls: [{ name: 'raise_error', arguments: { kind: 'my.own', message: 'x' } }] },
  failing('provider.rate_limited', 0.5),
  failing('provider.overloaded'),
  failing('provider.quota_exhausted'),
  failing('provider.content_filter'),
);
const script = fc.array(entries, { minLength: 1, maxLength: 8 });
const files = fc
  .record({
    m: script,
    n: script,
    partial: fc.constantFrom('fail', 'restart', 'keep_partial'),
    isChain: fc.boolean(),
    retry: fc.constantFrom<object[]>(
      [],
      [{ on_error: 'provider.rate_limited', retry: { max: 1, backoff: 'none' } }],
      [{ on_error: ['agent.output_invalid', 'my.own'], retry: { max: 1, backoff: 'none' } }],
    ),
    members: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ m, n, partial, isChain, retry, members }) => {
    const chain = isChain
      ? ['sim/m', { model: 'sim/n', on: ['provider.content_filter'] }]
      : 'sim/m';
    const names = ['x', 'y', 'z'].slice(0, members);
    const limits = { limits: { budget_tokens: 100_000 } };
    return {
      workflow: {
        name: 't',
        entry_point: 'g',
        runtime: { simulate: { m, n } },
        state: { tags: { type: 'array', default: [], merge: 'append' } },
        ...limits,
      },
      nodes: names.map((name) => ({
        name,
        model: chain,
        prompt: 'hi',
        output: { n: { type: 'number' } },
        on_partial: partial,
        writes: ['tags'],
        max_turns: 9,
        timeout_seconds: 100,
        routes: [{ to: '$end' }, ...retry],
      })),
      parallel: [{ name: 'g', agents: names, failure_mode: 'continue_on_error' }],
    };
  });

/** The state that is in the log; the next decisions follow from it. */
function knownOf(state: RunStateOf): unknown {
  const {
    heldBack: _held,
    ready: _ready,
    timers: _timers,
    plan: _plan,
    nowMs: _now,
    ...rest
  } = state;
  const replacer = (key: string, value: unknown): unknown => {
    if (key === 'wakeAtMs') return undefined;
    if (value instanceof Map || value instanceof Set) return [...(value as Iterable<unknown>)];
    return value;
  };
  return JSON.parse(JSON.stringify(rest, replacer));
}
type RunStateOf = Stage['state'];

const OPTIONS: StageOptions = { describes: DESCRIBES, tools: TOOLS };
const picks = fc.array(fc.nat(), { minLength: 1, maxLength: 30 });

/** Always the same order of results. */
function picker(numbers: readonly number[]): (count: number) => number {
  let at = 0;
  return (count) => (numbers[at++ % numbers.length] ?? 0) % Math.max(1, count);
}

describe('a log of conversations', () => {
  it('gives the same state when folded again, with nothing more to decide', () => {
    fc.assert(
      fc.property(files, picks, (file, numbers) => {
        const stage = new Stage(file, OPTIONS);
        stage.play(picker(numbers), () => {
          const folded = stage.folded();
          expect(knownOf(folded)).toEqual(knownOf(stage.state));
        });
        expect(['completed', 'failed']).toContain(stage.state.status);
      }),
      { numRuns: runs(60) },
    );
  });

  it('gives the same end after a kill at any commit, and no finished call is repeated', () => {
    fc.assert(
      fc.property(files, picks, fc.nat(30), (file, numbers, kill) => {
        const whole = new Stage(file, OPTIONS).play(picker(numbers));
        const stage = new Stage(file, OPTIONS);
        let commits = 0;
        stage.play(picker(numbers), () => {
          if (commits++ === kill && !stage.isOver) stage.kill();
        });
        const outcome = ({ state: { status, output, error } }: Stage): unknown => [
          status,
          output,
          error?.kind,
        ];
        expect(['completed', 'failed']).toContain(stage.state.status);
        expect(new Set(stage.done).size, 'one attempt was executed twice').toBe(stage.done.length);
        // parallel conversations may use other models because of a shared cooldown
        if (file.nodes.length > 1) return;
        expect(outcome(stage)).toEqual(outcome(whole));
        // a wait is neither restarted nor cut short
        expect(stage.nowMs).toBe(whole.nowMs);
        expect(stage.done.map(keyAndTarget)).toEqual(whole.done.map(keyAndTarget));
      }),
      { numRuns: runs(100) },
    );
  });
});

describe('the bound that validation prints', () => {
  it('is never exceeded by the calls of models, whatever they say', () => {
    fc.assert(
      fc.property(files, picks, fc.boolean(), (file, numbers, hasTools) => {
        // a model may call tools that were not offered
        const own = hasTools ? {} : { tools: [], writes: [] };
        const bounded = { ...file, nodes: file.nodes.map((node) => ({ ...node, ...own })) };
        const texts = memoryFiles({ 'main.yaml': JSON.stringify(bounded) });
        const [checked] = validateWorkflow('main.yaml', texts, {}).files;
        const worst = checked?.worstCase?.modelRequests ?? undefined;
        const { done } = new Stage(bounded, OPTIONS).play(picker(numbers));
        const made = done.filter((each) => each.includes(' sim/')).length;
        expect(worst).toBeDefined();
        expect(made).toBeLessThanOrEqual(worst ?? 0);
      }),
      { numRuns: runs(60) },
    );
  });
});

/** Without the attempt number, which differs after a lost call. */
function keyAndTarget(done: string): string {
  return done.split(' ').slice(0, 2).join(' ');
}
