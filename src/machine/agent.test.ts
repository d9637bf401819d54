/** Conversations on a virtual clock: exact waits, and what a log is worth. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateWorkflow } from '../workflow/validate.ts';
import type { EventBody } from './events.ts';
import { memoryFiles } from '../workflow/load/files.cases.ts';
import { Stage, START_MS, type StageOptions } from './talk.cases.ts';

function workflow(models: object, node: object = {}, header: object = {}): object {
  return {
    workflow: { name: 't', entry_point: 'a', runtime: { simulate: models }, ...header },
    nodes: [{ name: 'a', model: 'sim/m', prompt: 'hi', ...node }],
  };
}

const failing = (kind: string, seconds?: number): object => ({
  fail: { kind, ...(seconds === undefined ? {} : { retry_after: seconds }) },
});

/** When each call went out, from the start. */
function askedAtMs({ log }: Stage): readonly number[] {
  return log.flatMap(({ event, atMs }) =>
    event.type === 'effect:requested' ? [atMs - START_MS] : [],
  );
}

function endingOf({ events }: Stage): EventBody | undefined {
  return events.findLast(({ type }) => type === 'node:failed' || type === 'node:completed');
}

describe('waits on a virtual clock', () => {
  it('a hint is kept to the millisecond, six times in all', () => {
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

  it('the time of a node runs while a call is under way, and not while it waits for its turn', () => {
    const models = { m: [failing('provider.rate_limited', 3600), failing('provider.auth')] };
    const stage = new Stage(workflow(models, { timeout_seconds: 5 })).play();
    expect(askedAtMs(stage)).toEqual([0, 3_600_000]);
    expect(endingOf(stage)).toMatchObject({ error: { kind: 'provider.auth' } });
  });

  it('a call has what the earlier ones have left of it', () => {
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

  it('what a tool’s own retry waits for is left out too, for an agent and for a node', () => {
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

  it('a run whose time is up meanwhile says which failure it waited for, of a tool and of a model', () => {
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

  it('a call that another’s cooldown holds back makes no attempt and loses no time', () => {
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
    // one goes first; r then has failures of its own, one after the other
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

/** What the machine knows by the log; who is to be asked next and when follows from it. */
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

/** The same order of answers, whoever asks. */
function picker(numbers: readonly number[]): (count: number) => number {
  let at = 0;
  return (count) => (numbers[at++ % numbers.length] ?? 0) % Math.max(1, count);
}

describe('a log of conversations', () => {
  it('folded again it is the same state, with nothing more to decide', () => {
    fc.assert(
      fc.property(files, picks, (file, numbers) => {
        const stage = new Stage(file, OPTIONS);
        stage.play(picker(numbers), () => {
          const folded = stage.folded();
          expect(knownOf(folded)).toEqual(knownOf(stage.state));
        });
        expect(['completed', 'failed']).toContain(stage.state.status);
      }),
      { numRuns: 60 },
    );
  });

  it('killed at any commit, it ends as if nothing had been, and nothing that was answered is asked again', () => {
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
        expect(new Set(stage.done).size, 'one try was executed twice').toBe(stage.done.length);
        // where several talk at once, a rest that they share may lead them to other models
        if (file.nodes.length > 1) return;
        expect(outcome(stage)).toEqual(outcome(whole));
        // a wait is neither begun anew nor cut short
        expect(stage.nowMs).toBe(whole.nowMs);
        expect(stage.done.map(keyAndTarget)).toEqual(whole.done.map(keyAndTarget));
      }),
      { numRuns: 100 },
    );
  });
});

describe('the bound that validation prints', () => {
  it('is never exceeded by the calls of models, whatever they say', () => {
    fc.assert(
      fc.property(files, picks, fc.boolean(), (file, numbers, hasTools) => {
        // a model may call what nobody offered
        const own = hasTools ? {} : { tools: [], writes: [] };
        const bounded = { ...file, nodes: file.nodes.map((node) => ({ ...node, ...own })) };
        const texts = memoryFiles({ 'main.yaml': JSON.stringify(bounded) });
        const [verdict] = validateWorkflow('main.yaml', texts, {}).files;
        const worst = verdict?.worstCase?.modelRequests ?? undefined;
        const { done } = new Stage(bounded, OPTIONS).play(picker(numbers));
        const made = done.filter((each) => each.includes(' sim/')).length;
        expect(worst).toBeDefined();
        expect(made).toBeLessThanOrEqual(worst ?? 0);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a script with rules on the prompt', () => {
  const answers = (prompt: string, m: readonly object[]): unknown => {
    const { state } = new Stage({
      workflow: { name: 't', entry_point: 'a', runtime: { simulate: { m } } },
      nodes: [
        { name: 'a', model: 'sim/m', prompt, tools: [], routes: [{ to: 'b' }] },
        { name: 'b', model: 'sim/m', prompt: 'And then?', tools: [] },
      ],
      output: { a: '{{ a.output.result }}', b: '{{ b.output.result }}' },
    }).play();
    return state.output;
  };

  it('answers by the first rule that fits, and else in its order', () => {
    const m = [
      { answer: 'in line' },
      { when: 'refund', answer: 'by rule' },
      { when: 'REFUND me', answer: 'never' },
    ];
    expect(answers('Please Refund me.', m)).toEqual({ a: 'by rule', b: 'in line' });
    expect(answers('Hello.', m)).toEqual({ a: 'in line', b: 'in line' });
  });
});

describe('a model that calls tools which nobody offered', () => {
  const call = (name: string, given: object): object => ({
    tool_calls: [{ name, arguments: given }],
  });
  const play = (node: object, m: readonly object[]): Stage =>
    new Stage(
      {
        workflow: { name: 't', entry_point: 'a', runtime: { simulate: { m } } },
        nodes: [
          { name: 'a', model: 'sim/m', prompt: 'hi', ...node },
          { name: 'b', type: 'set', value: 1 },
        ],
      },
      OPTIONS,
    ).play();

  it('is told so three times, whether the tools exist or not, and then fails', () => {
    const m = [1, 2, 3, 4, 5].map((n) => call(n === 2 ? 'nobody' : 'secret', { n }));
    const { state, done } = play({ tools: [] }, m);
    expect(state.error?.kind).toBe('agent.output_invalid');
    expect(done).toHaveLength(4);
  });

  it('is no supervisor: it is asked again as often as for any wrong word', () => {
    const supervisor = { type: 'supervisor', manages: ['b'] };
    const wrong = play(supervisor, [call('look', {})]);
    expect(wrong.state.error?.kind).toBe('supervisor.routing');
    expect(wrong.done).toHaveLength(3);
    const right = play(supervisor, [call('look', {}), { answer: { next: 'done' } }]);
    expect(right.state.status).toBe('completed');
  });
});

/** The number of the attempt aside, which tells that a lost one was made before. */
function keyAndTarget(done: string): string {
  return done.split(' ').slice(0, 2).join(' ');
}
