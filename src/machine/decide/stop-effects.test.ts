/** Effects that an enclosing end stops, and the end that waits for them. */
import { describe, expect, it } from 'vitest';
import { pendingRequest } from './effect-request.ts';
import { stoppedBeforeStart } from './end-run.ts';
import type { EventBody } from '../state/events.ts';
import { Stage } from '../conversation/conversation.cases.ts';
import { namedUnknownOutcomes } from '../policy/unknown-outcome.ts';
import { beingStopped } from '../stops.cases.ts';
import type { PendingEffect } from '../state/state.ts';

/** A stage whose stopped effects end when the test says so. */
class Slow extends Stage {
  protected override endStopped(): void {
    // the test ends it later
  }
}

function succeeded(stage: Stage, pending: PendingEffect, output = 1): EventBody {
  const request = pendingRequest(stage.state, pending);
  if (request === undefined) throw new Error('nothing is asked for');
  const { path, node, ref: effect } = request;
  return { type: 'effect:succeeded', node: node.name, path, effect, output };
}

const PAIR = {
  workflow: { name: 't', entry_point: 'g' },
  nodes: [
    { name: 'pay', type: 'script', command: 'pay' },
    { name: 'bad', type: 'script', command: 'bad' },
  ],
};

function pair(fields: object = {}): object {
  return { ...PAIR, parallel: [{ name: 'g', agents: ['pay', 'bad'], ...fields }] };
}

const FAILS = { bad: () => ({ kind: 'order.missing', message: 'no' }) };

function underWay(stage: Stage, target: string): PendingEffect {
  const found = stage.pending().find(({ effect }) => effect.target === target);
  if (found === undefined) throw new Error(`${target} is not under way`);
  return found;
}

function eventLines(stage: Stage): readonly string[] {
  return stage.events.map((event) => `${event.type} ${'path' in event ? event.path : ''}`.trim());
}

describe('a group that has enough results', () => {
  it('ends when the effects that it stops have ended, in one commit with them', () => {
    const stage = new Slow(pair(), { tools: FAILS });
    const pay = underWay(stage, 'pay');
    stage.answer(underWay(stage, 'bad'));
    expect(beingStopped(stage.state)).toEqual([pay]);
    expect(stage.state.status).toBe('running');
    const before = stage.log.length;
    stage.take(succeeded(stage, pay));
    expect(eventLines(stage).slice(before)).toEqual([
      'effect:succeeded g[pay]/pay',
      'node:failed g',
      'run:failed',
    ]);
    expect(namedUnknownOutcomes(stage.state)).toEqual([]);
  });

  it('uses the result of a stopped member when the run is resumed', () => {
    const stage = new Slow(pair(), { tools: FAILS });
    const pay = underWay(stage, 'pay');
    stage.answer(underWay(stage, 'bad'));
    stage.take(succeeded(stage, pay));
    stage.take({ type: 'run:resumed', by: 'test' });
    expect(stage.pending().map(({ effect }) => effect.target)).toEqual(['bad']);
    expect(eventLines(stage)).toContain('node:completed g[pay]/pay');
  });

  it('uses it each time the group is retried, and marks it as replayed', () => {
    const routes = {
      routes: [{ to: '$end' }, { on_error: 'group.failed', retry: { max: 2, backoff: 'none' } }],
    };
    const stage = new Slow(pair(routes), { tools: FAILS });
    const pay = underWay(stage, 'pay');
    stage.answer(underWay(stage, 'bad'));
    stage.take(succeeded(stage, pay, 7));
    expect(stage.pending().map(({ effect }) => effect.target)).toEqual(['bad']);
    stage.answer(underWay(stage, 'bad'));
    expect(stage.pending().map(({ effect }) => effect.target)).toEqual(['bad']);
    const replayed = stage.events.filter(
      (event) => event.type === 'effect:succeeded' && event.replayed === true,
    );
    const again = { path: 'g[pay]/pay', output: 7 };
    expect(replayed).toMatchObject([again, again]);
  });

  it('names the effects it left in doubt, and a resume asks about exactly those', () => {
    const stage = new Stage(pair(), { tools: FAILS });
    stage.answer(underWay(stage, 'bad'));
    const [unknownOutcome] = namedUnknownOutcomes(stage.state);
    expect(unknownOutcome).toMatchObject({ node: 'pay', path: 'g[pay]/pay', target: 'pay' });
    expect(stage.state.error).toMatchObject({
      kind: 'group.failed',
      details: { in_doubt: [unknownOutcome], members: { bad: { kind: 'order.missing' } } },
    });
    stage.take({ type: 'run:resumed', by: 'test' });
    expect([...stage.state.gates.keys()]).toEqual(['g[pay]/pay']);
    const [gate = ''] = stage.state.gates.keys();
    stage.take({ type: 'gate:answered', node: 'pay', path: gate, gate, value: 'repeat', by: 'x' });
    expect(stage.pending().map(({ effect }) => effect.target)).toContain('pay');
    expect(namedUnknownOutcomes(stage.state)).toEqual([]);
  });

  it('asks about them once when the run is rewound past them', () => {
    const stage = new Stage(pair(), { tools: FAILS });
    stage.answer(underWay(stage, 'bad'));
    stage.take({ type: 'run:resumed', by: 'test', from: 'g' });
    const [gate = ''] = stage.state.gates.keys();
    expect(gate).toBe('g[pay]/pay');
    stage.take({ type: 'gate:answered', node: 'pay', path: gate, gate, value: 'repeat', by: 'x' });
    expect(stage.pending().map(({ effect }) => effect.target)).toContain('pay');
  });

  it('lets nothing else happen in the branches it stops', () => {
    const more = [
      { name: 'pay', type: 'script', command: 'pay', routes: [{ to: 'notify' }] },
      { name: 'notify', type: 'script', command: 'notify' },
      { name: 'bad', type: 'script', command: 'bad' },
      { name: 'slow', type: 'script', command: 'slow' },
    ];
    const stage = new Slow(
      { ...pair(), nodes: more, parallel: [{ name: 'g', agents: ['pay', 'bad', 'slow'] }] },
      { tools: FAILS },
    );
    const [pay, slow] = [underWay(stage, 'pay'), underWay(stage, 'slow')];
    stage.answer(underWay(stage, 'bad'));
    stage.take(succeeded(stage, pay));
    expect(stage.pending()).toEqual([slow]);
    stage.take(succeeded(stage, slow));
    expect(stage.state.status).toBe('failed');
    expect(eventLines(stage)).not.toContain('node:started g[pay]/notify');
  });
});

describe('an effect that was requested and never started', () => {
  it('has a known outcome', () => {
    const stage = new Slow(pair(), { tools: FAILS });
    const pay = underWay(stage, 'pay');
    stage.answer(underWay(stage, 'bad'));
    stage.take(stoppedBeforeStart(stage.state, pay));
    expect(stage.state.error?.details).not.toHaveProperty('in_doubt');
    stage.take({ type: 'run:resumed', by: 'test' });
    expect(
      stage
        .pending()
        .map(({ effect }) => effect.target)
        .sort(),
    ).toEqual(['bad', 'pay']);
  });
});

describe('an agent whose time is over', () => {
  const file = {
    workflow: {
      name: 't',
      entry_point: 'clerk',
      runtime: { simulate: { m: [{ tool_calls: [{ name: 'pay', arguments: { amount: 1 } }] }] } },
    },
    nodes: [
      {
        name: 'clerk',
        model: 'sim/m',
        prompt: 'pay',
        tools: ['pay'],
        timeout_seconds: 1,
        routes: [
          { to: '$end' },
          { on_error: 'limit.node_timeout', retry: { max: 2, backoff: 'none' } },
        ],
      },
    ],
  };
  const describes = { pay: { isDeclared: true, isIdempotent: false, writes: true } };

  it('fails with the timeout, and the next attempt asks before it pays again', () => {
    const stage = new Stage(file, { describes });
    stage.answer(underWay(stage, 'sim/m'));
    underWay(stage, 'pay');
    stage.wait();
    const late = stage.events.find(({ type }) => type === 'node:failed');
    expect(late).toMatchObject({
      error: {
        kind: 'limit.node_timeout',
        details: { in_doubt: [{ path: 'clerk', target: 'pay' }] },
      },
    });
    stage.answer(underWay(stage, 'sim/m'));
    expect([...stage.state.gates.keys()]).toEqual(['clerk']);
    expect(stage.done.filter((each) => each.includes(' pay '))).toEqual([]);
  });
});

describe('a larger end', () => {
  it('replaces a smaller one that was waiting', () => {
    const stage = new Slow(
      {
        workflow: { name: 't', entry_point: 'both' },
        nodes: [
          ...PAIR.nodes,
          {
            name: 'stop',
            type: 'script',
            command: 'stop',
            routes: [{ to: '$end' }, { on_error: true, halt: true }],
          },
        ],
        parallel: [
          { name: 'g', agents: ['pay', 'bad'] },
          { name: 'both', agents: ['g', 'stop'], failure_mode: 'continue_on_error' },
        ],
      },
      { tools: { ...FAILS, stop: () => ({ kind: 'order.late', message: 'no' }) } },
    );
    const pay = underWay(stage, 'pay');
    stage.answer(underWay(stage, 'bad'));
    stage.answer(underWay(stage, 'stop'));
    expect(stage.state.status).toBe('running');
    stage.take(succeeded(stage, pay));
    expect(stage.state.error?.kind).toBe('halt.intentional');
    expect(eventLines(stage)).not.toContain('node:failed both[g]/g');
    expect(stage.state.endings.size).toBe(0);
  });
});

describe('two ends of one workflow in the same step', () => {
  const ENDS = {
    ok: [{ name: 'ok', type: 'terminate', status: 'success' }],
    bad: [{ name: 'bad', type: 'terminate', status: 'failed', reason: 'Lost' }],
    later: [
      { name: 'later', type: 'set', value: 1, routes: [{ to: 'worse' }] },
      { name: 'worse', type: 'terminate', status: 'failed', reason: 'Lost' },
    ],
    halt: [{ name: 'halt', type: 'set', value: 1, routes: [{ halt: true }] }],
  };

  it.each([
    ['ok', 'bad'],
    ['bad', 'ok'],
    ['ok', 'later'],
    ['later', 'ok'],
    ['ok', 'halt'],
    ['halt', 'ok'],
  ] as const)('%s and %s: the failed one wins', (one, other) => {
    const stage = new Stage({
      workflow: { name: 't', entry_point: 'g' },
      nodes: [...ENDS[one], ...ENDS[other]],
      parallel: [{ name: 'g', agents: [one, other] }],
    });
    expect(stage.state.status).toBe('failed');
  });

  it('is not waited for, and nothing is started', () => {
    const stage = new Stage({
      workflow: { name: 't', entry_point: 'g' },
      nodes: [
        ...ENDS.ok,
        { name: 'first', type: 'set', value: 1, routes: [{ to: 'pay' }] },
        { name: 'pay', type: 'script', command: 'pay' },
      ],
      parallel: [{ name: 'g', agents: ['ok', 'first'] }],
    });
    expect(stage.state.status).toBe('completed');
    expect(eventLines(stage)).not.toContain('effect:requested g[first]/pay');
  });
});
