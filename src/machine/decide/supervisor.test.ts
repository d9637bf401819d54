/** Supervisors and approvals where something goes wrong in the middle. */
import { describe, expect, it } from 'vitest';
import type { EventBody } from '../state/events.ts';
import { Stage } from '../conversation/conversation.cases.ts';

const CALLS_A_TOOL = { tool_calls: [{ name: 'lookup', arguments: { id: 7 } }] };

function supervised(models: readonly object[], routes: readonly object[] = []): object {
  return {
    workflow: { name: 't', entry_point: 'a', runtime: { simulate: { m: models } } },
    nodes: [
      {
        name: 'a',
        type: 'supervisor',
        model: 'sim/m',
        prompt: 'Who?',
        manages: ['b'],
        routes: [{ to: '$end' }, ...routes],
      },
      { name: 'b', type: 'set', value: { n: 1 }, routes: [{ to: '$end' }] },
    ],
  };
}

function last({ events }: Stage): EventBody | undefined {
  return events.at(-1);
}

describe('a supervisor', () => {
  it('that calls tools is sent back like one that names no node, and then fails', () => {
    const stage = new Stage(supervised([CALLS_A_TOOL])).play();
    expect(stage.done.length).toBe(3);
    expect(last(stage)).toMatchObject({ error: { kind: 'supervisor.routing' } });
  });

  it('that failed after a round continues when the run is resumed', () => {
    const models = [
      { answer: { next: 'b' } },
      { fail: { kind: 'provider.auth' } },
      { answer: { next: 'done' } },
    ];
    const stage = new Stage(supervised(models)).play();
    expect(last(stage)).toMatchObject({ type: 'run:failed', error: { kind: 'provider.auth' } });
    stage.take({ type: 'run:resumed', by: 'test' });
    expect(last(stage.play())).toMatchObject({ type: 'run:completed' });
  });

  it('can be skipped after a round', () => {
    const models = [{ answer: { next: 'b' } }, { fail: { kind: 'provider.auth' } }];
    const asked = { on_error: true, ask: { options: ['skip', 'abort'] } };
    const stage = new Stage(supervised(models, [asked])).play();
    stage.take({
      type: 'gate:answered',
      node: 'a',
      path: 'a',
      gate: 'a',
      value: 'skip',
      by: 'test',
    });
    expect(last(stage)).toMatchObject({ type: 'run:completed', output: null });
  });
});

describe('an agent whose turn has one call in doubt and another that waits for approval', () => {
  const describes = {
    charge: { isDeclared: true, isIdempotent: false, writes: true },
    lookup: { isDeclared: true, isIdempotent: true, writes: false },
  };

  it('asks about the call in doubt once, and takes the answer', () => {
    const calls = ['lookup', 'charge'].map((name) => ({ name, arguments: {} }));
    const stage = new Stage(
      {
        workflow: {
          name: 't',
          entry_point: 'a',
          runtime: { simulate: { m: [{ tool_calls: calls }, { answer: 'ok' }] } },
        },
        nodes: [
          {
            name: 'a',
            model: 'sim/m',
            prompt: 'hi',
            tools: ['lookup', 'charge'],
            policy: { ask: ['lookup'] },
          },
        ],
      },
      {
        describes,
        tools: { charge: () => ({ kind: 'effect.outcome_unknown', message: 'Who knows' }) },
      },
    ).play();
    const asked = stage.events.filter(({ type }) => type === 'gate:opened');
    expect(asked).toMatchObject([{ gate: 'a/lookup#1.1' }, { gate: 'a' }]);
    stage.take({
      type: 'gate:answered',
      node: 'a',
      path: 'a',
      gate: 'a',
      value: { edit: { paid: true } },
      by: 'test',
    });
    // the other call still needs its approval
    expect(last(stage)).toMatchObject({ type: 'gate:opened', gate: 'a/lookup#1.1' });
    stage.take({
      type: 'gate:answered',
      node: 'a',
      path: 'a',
      gate: 'a/lookup#1.1',
      value: 'approve',
      by: 'test',
    });
    stage.play();
    expect(last(stage)).toMatchObject({ type: 'run:completed', output: { result: 'ok' } });
  });
});
