/** Continuing a conversation when its node is resumed, and starting a new one on a retry. */
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { EventBody, Resumed } from '../state/events.ts';
import { modelRequest } from '../decide/effect-request.ts';
import { visitOf } from '../state/plan-lookup.ts';
import { Stage, type StageOptions } from './conversation.cases.ts';

const DESCRIBES = {
  charge: { isDeclared: true, isIdempotent: false, writes: true },
  lookup: { isDeclared: true, isIdempotent: true, writes: false },
};

const AUTH = { fail: { kind: 'provider.auth' } };
const call = (name: string, id = 1): object => ({ name, arguments: { id } });
const calls = (...all: readonly object[]): object => ({ tool_calls: all });

function stageOf(
  models: readonly object[],
  agent: object = {},
  tools: StageOptions['tools'] = {},
): Stage {
  return new Stage(
    {
      workflow: { name: 't', entry_point: 'a', runtime: { simulate: { m: models } } },
      nodes: [
        {
          name: 'a',
          model: 'sim/m',
          prompt: 'hi',
          tools: ['charge', 'lookup'],
          writes: [],
          ...agent,
        },
      ],
    },
    { describes: DESCRIBES, tools },
  );
}

/** Targets of the executed effects, in order. */
function done({ done: all }: Stage): readonly string[] {
  return all.map((each) => each.split(' ')[1] ?? '');
}

function resume(stage: Stage, how: Partial<Resumed> = {}): Stage {
  stage.take({ type: 'run:resumed', by: 'test', ...how });
  return stage.play();
}

function answer(stage: Stage, value: JsonValue): Stage {
  stage.take({ type: 'gate:answered', node: 'a', path: 'a', gate: 'a', value, by: 'test' });
  return stage.play();
}

function last({ events }: Stage): EventBody | undefined {
  return events.at(-1);
}

/** Who says what in the messages of the next request. */
function rolesNext({ state }: Stage): readonly string[] {
  const scope = state.scopes.get('');
  const conversation = scope === undefined ? undefined : visitOf(scope).conversation;
  if (scope === undefined || conversation === undefined) return [];
  const { work } = modelRequest(state, scope, conversation, 'sim/m');
  return work.type === 'model' ? work.call.messages.map(({ role }) => role) : [];
}

/** How many tool results the next request would contain. */
function toolResultsNext(stage: Stage): number {
  return rolesNext(stage).filter((role) => role === 'tool').length;
}

const RETRY = (kind: string, max = 1): object => ({
  routes: [{ to: '$end' }, { on_error: kind, retry: { max, backoff: 'none' } }],
});
const ASK = (kind: string): object => ({
  routes: [{ to: '$end' }, { on_error: kind, ask: { options: ['retry', 'edit', 'abort'] } }],
});

describe('a conversation whose node failed and is resumed', () => {
  it('calls the model again with every result, on a fresh schedule', () => {
    const models = [calls(call('charge')), ...Array.from({ length: 3 }, () => OVERLOADED)];
    const stage = stageOf([...models, OVERLOADED, { answer: 'ok' }]).play();
    expect(last(stage)).toMatchObject({ error: { kind: 'provider.exhausted' } });
    expect(toolResultsNext(stage)).toBe(1);
    resume(stage);
    expect(last(stage)).toMatchObject({ type: 'run:completed', output: { result: 'ok' } });
    expect(done(stage).filter((name) => name === 'charge')).toHaveLength(1);
  });

  it('uses a raised limit of turns, and fails at once without one', () => {
    const stage = stageOf([calls(call('charge')), { answer: 'ok' }], { max_turns: 1 }).play();
    expect(last(stage)).toMatchObject({ error: { kind: 'limit.turns' } });
    resume(stage);
    expect(last(stage)).toMatchObject({ error: { kind: 'limit.turns' } });
    expect(done(stage)).toEqual(['sim/m', 'charge']);
    const [node] = stage.plan.nodes;
    const plan = { ...stage.plan, nodes: [{ ...node, maxTurns: 2 }] as typeof stage.plan.nodes };
    resume(stage, { plan });
    expect(last(stage)).toMatchObject({ type: 'run:completed', output: { result: 'ok' } });
    expect(done(stage)).toEqual(['sim/m', 'charge', 'sim/m']);
  });

  it('starts the count of corrections again', () => {
    const wrong = { answer: 'none' };
    const models = [calls(call('charge')), wrong, wrong, wrong, { answer: { n: 1 } }];
    const stage = stageOf(models, { output: { n: { type: 'number' } } }).play();
    expect(last(stage)).toMatchObject({ error: { kind: 'agent.output_invalid' } });
    resume(stage);
    expect(last(stage)).toMatchObject({ type: 'run:completed', output: { n: 1 } });
    expect(done(stage).filter((name) => name === 'charge')).toHaveLength(1);
  });

  it('forgets the replies that were sent back, and nothing else', () => {
    const wrong = { answer: 'none' };
    const models = [calls(call('charge')), wrong, wrong, wrong, wrong, { answer: { n: 1 } }];
    const stage = stageOf(models, { output: { n: { type: 'number' } }, max_turns: 4 }).play();
    expect(last(stage)).toMatchObject({ error: { kind: 'agent.output_invalid' } });
    stage.take({ type: 'run:resumed', by: 'test' });
    expect(rolesNext(stage)).toEqual(['user', 'assistant', 'tool']);
    stage.play();
    expect(last(stage)).toMatchObject({ type: 'run:completed', output: { n: 1 } });
    expect(done(stage).filter((name) => name === 'charge')).toHaveLength(1);
  });

  it('uses the new text of its prompt, and keeps its results', () => {
    const stage = stageOf([calls(call('charge')), AUTH, { answer: 'ok' }]).play();
    const [node] = stage.plan.nodes;
    const nodes = [
      { ...node, prompt: 'hi again', fingerprint: 'other' },
    ] as typeof stage.plan.nodes;
    stage.take({ type: 'run:resumed', by: 'test', plan: { ...stage.plan, nodes } });
    const asked = stage.events.findLast(({ type }) => type === 'effect:requested');
    expect(asked).toMatchObject({ prompt: { text: 'hi again' } });
    expect(toolResultsNext(stage)).toBe(1);
    stage.play();
    expect(done(stage)).toEqual(['sim/m', 'charge', 'sim/m', 'sim/m']);
  });

  it('is the same when it is folded from its log', () => {
    const stage = stageOf([calls(call('charge')), AUTH, calls(call('charge', 2)), AUTH]).play();
    resume(stage);
    const { scopes, finishedCalls, modelRequests } = stage.folded();
    expect({ scopes, finishedCalls, modelRequests }).toEqual({
      scopes: stage.state.scopes,
      finishedCalls: stage.state.finishedCalls,
      modelRequests: stage.state.modelRequests,
    });
  });
});

const OVERLOADED = { fail: { kind: 'provider.overloaded' } };

describe('a conversation that a person wants to continue', () => {
  it('asks the model for its last reply again when that was accepted as final', () => {
    const assert = [{ that: '{{ output.n > 1 }}', raise: 'order.small', message: 'Too small' }];
    const stage = stageOf([calls(call('charge')), { answer: { n: 1 } }, { answer: { n: 2 } }], {
      output: { n: { type: 'number' } },
      assert,
      max_turns: 2,
      ...ASK('order.small'),
    }).play();
    answer(stage, 'retry');
    expect(last(stage)).toMatchObject({ type: 'run:completed', output: { n: 2 } });
    expect(done(stage)).toEqual(['sim/m', 'charge', 'sim/m', 'sim/m']);
  });

  it('shows the model the error it raised, and keeps its other results', () => {
    const raise = { name: 'raise_error', arguments: { kind: 'order.gone', message: 'No' } };
    const stage = stageOf([calls(call('charge'), raise), { answer: 'ok' }], {
      raises: ['order.gone'],
      ...ASK('order.gone'),
    }).play();
    expect(last(stage)).toMatchObject({ type: 'gate:opened' });
    answer(stage, 'retry');
    expect(last(stage)).toMatchObject({ type: 'run:completed', output: { result: 'ok' } });
    expect(done(stage)).toEqual(['sim/m', 'charge', 'sim/m']);
  });

  it('decides about a call that was refused twice by the current file', () => {
    const stage = stageOf([calls(call('charge')), calls(call('charge')), { answer: 'ok' }], {
      policy: { deny: ['charge'] },
      ...ASK('tool.denied'),
    }).play();
    answer(stage, 'retry');
    expect(last(stage)).toMatchObject({ type: 'run:completed', output: { result: 'ok' } });
    expect(done(stage)).toEqual(['sim/m', 'sim/m', 'sim/m']);
  });
});

describe('a call of a tool that the process does not have', () => {
  const lacking = {
    charge: (made: number): JsonValue =>
      made === 0 ? { kind: 'run.resume_mismatch', message: 'Not at the worker' } : 'paid',
  };

  it('ends the run without the model or a route, and is made after a resume', () => {
    const stage = stageOf(
      [calls(call('charge')), { answer: 'ok' }],
      { routes: [{ to: '$end' }, { on_error: true, to: '$end' }] },
      lacking,
    ).play();
    expect(last(stage)).toMatchObject({
      type: 'run:failed',
      error: { kind: 'run.resume_mismatch' },
    });
    resume(stage);
    expect(last(stage)).toMatchObject({ type: 'run:completed', output: { result: 'ok' } });
    expect(done(stage)).toEqual(['sim/m', 'charge', 'charge', 'sim/m']);
  });
});

const LOST = { kind: 'effect.outcome_unknown', message: 'Who knows' };

describe('two calls of one turn that are in doubt', () => {
  const lost = { charge: (made: number): JsonValue => (made === 0 ? LOST : 'paid') };

  it('are asked about one after the other', () => {
    const stage = stageOf(
      [calls(call('charge', 1), call('charge', 2)), { answer: 'ok' }],
      {},
      lost,
    );
    answer(stage.play(), 'repeat');
    expect(last(stage)).toMatchObject({ type: 'gate:opened', gate: 'a' });
    answer(stage, { edit: 'it was paid' });
    expect(last(stage)).toMatchObject({ type: 'run:completed', output: { result: 'ok' } });
    expect(done(stage)).toEqual(['sim/m', 'charge', 'charge', 'charge', 'sim/m']);
  });
});

describe('a new conversation after a retry route', () => {
  const replayed = ({ events }: Stage): readonly EventBody[] =>
    events.filter((event) => event.type === 'effect:succeeded' && event.replayed === true);

  it('takes results from the log, once for each time that the call succeeded', () => {
    const twice = calls(call('charge'), call('charge'));
    const models = [twice, AUTH, twice, calls(call('charge')), { answer: 'ok' }];
    const stage = stageOf(models, RETRY('provider.auth'), { charge: (made) => `paid ${made}` });
    stage.play();
    expect(last(stage)).toMatchObject({ type: 'run:completed' });
    expect(done(stage).filter((name) => name === 'charge')).toHaveLength(3);
    expect(replayed(stage)).toHaveLength(2);
    const keys = stage.done
      .filter((each) => each.includes(' charge '))
      .map((each) => each.slice(0, 16));
    expect(new Set(keys).size).toBe(3);
  });

  it('counts successful calls, not attempts', () => {
    let count = 0;
    const tools = {
      charge: (): JsonValue =>
        ++count === 1 ? { kind: 'tool.failed', message: 'Not now' } : 'paid',
    };
    const models = [
      calls(call('charge')),
      calls(call('charge')),
      AUTH,
      calls(call('charge')),
      { answer: 'ok' },
    ];
    const stage = stageOf(models, RETRY('provider.auth'), tools).play();
    expect(last(stage)).toMatchObject({ type: 'run:completed' });
    // refused once, paid once, and never again
    expect(done(stage).filter((name) => name === 'charge')).toHaveLength(2);
    expect(replayed(stage)).toMatchObject([{ output: 'paid' }]);
  });

  it('makes other calls, and those of idempotent tools, as usual', () => {
    const models = [
      calls(call('charge'), call('lookup')),
      AUTH,
      calls(call('charge', 2), call('lookup')),
      { answer: 'ok' },
    ];
    const stage = stageOf(models, RETRY('provider.auth')).play();
    expect(done(stage).filter((name) => name === 'charge')).toHaveLength(2);
    expect(done(stage).filter((name) => name === 'lookup')).toHaveLength(2);
    expect(replayed(stage)).toEqual([]);
  });

  it('uses the result that a person supplied for a call', () => {
    const lost = { charge: (): JsonValue => LOST };
    const models = [calls(call('charge')), AUTH, calls(call('charge')), { answer: 'ok' }];
    const stage = stageOf(models, RETRY('provider.auth'), lost).play();
    answer(stage, { edit: 'it was paid' });
    expect(last(stage)).toMatchObject({ type: 'run:completed' });
    expect(done(stage).filter((name) => name === 'charge')).toHaveLength(1);
    expect(replayed(stage)).toMatchObject([{ output: 'it was paid' }]);
  });

  it('does so inside a sub-workflow that is started again', () => {
    const child = JSON.stringify({
      workflow: { name: 'c', entry_point: 'x' },
      nodes: [{ name: 'x', model: 'sim/m', prompt: 'hi', tools: ['charge'] }],
    });
    const m = [calls(call('charge')), AUTH, calls(call('charge')), { answer: 'ok' }];
    const stage = new Stage(
      {
        workflow: { name: 't', entry_point: 'a', runtime: { simulate: { m } } },
        nodes: [{ name: 'a', type: 'workflow', workflow: './c.yaml', ...RETRY('provider.auth') }],
      },
      { files: { 'c.yaml': child }, describes: DESCRIBES },
    );
    stage.play();
    expect(last(stage)).toMatchObject({ type: 'run:completed' });
    expect(done(stage).filter((name) => name === 'charge')).toHaveLength(1);
  });
});

describe('a supervisor that is resumed', () => {
  it('keeps its rounds', () => {
    const m = [
      { answer: { next: 'x' } },
      AUTH,
      { answer: { next: 'y' } },
      { answer: { next: 'done' } },
    ];
    const stage = new Stage({
      workflow: { name: 't', entry_point: 'a', runtime: { simulate: { m } } },
      nodes: [
        { name: 'a', type: 'supervisor', model: 'sim/m', prompt: 'hi', manages: ['x', 'y'] },
        { name: 'x', type: 'call', function: 'f' },
        { name: 'y', type: 'call', function: 'g' },
      ],
    }).play();
    expect(last(stage)).toMatchObject({ error: { kind: 'provider.auth' } });
    resume(stage);
    expect(last(stage)).toMatchObject({ type: 'run:completed', output: { rounds: 2, last: 'y' } });
    expect(done(stage)).toEqual(['sim/m', 'f', 'sim/m', 'sim/m', 'g', 'sim/m']);
  });

  it('resumes the round that was stopped with it', () => {
    const m = [{ answer: { next: 'x' } }, { answer: { next: 'done' } }];
    const stage = new Stage({
      workflow: { name: 't', entry_point: 'a', runtime: { simulate: { m } } },
      nodes: [
        {
          name: 'a',
          type: 'supervisor',
          model: 'sim/m',
          prompt: 'hi',
          manages: ['x'],
          timeout_seconds: 5,
          routes: [{ to: '$end' }, { on_error: 'limit.node_timeout', ask: { options: ['retry'] } }],
        },
        { name: 'x', type: 'wait', duration: '8s' },
      ],
    }).play();
    expect(last(stage)).toMatchObject({ type: 'gate:opened', gate: 'a' });
    stage.nowMs += 10_000;
    answer(stage, 'retry');
    expect(last(stage)).toMatchObject({ type: 'run:completed', output: { rounds: 1 } });
    expect(done(stage)).toEqual(['sim/m', 'sim/m']);
  });
});
