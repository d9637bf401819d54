import { describe, expect, it } from 'vitest';
import { expectLinear } from '../../test/own-time.ts';
import type { ErrorReport } from '../errors/report/report.ts';
import { failure } from '../errors/thrown/errand-error.ts';
import type { EffectRef, EventBody, RunEvent } from '../machine/state/events.ts';
import { beginView, foldView, reduceView } from './run-view.ts';
import { failedStep, isUnhandled, openFailure } from './run-view/read-view.ts';
import { stepAt } from './run-view/steps.ts';
import type { RunView } from './run-view/view.ts';

const START_MS = Date.parse('2026-11-17T03:00:00.000Z');

type TimedBody = EventBody & { readonly after?: number };

/** Numbers the events; each comes a second after the one before, or as long as it says. */
function log(bodies: readonly TimedBody[]): readonly RunEvent[] {
  let atMs = START_MS;
  return bodies.map(({ after = 1000, ...body }, index) => {
    atMs += after;
    return { ...body, run: 'r', seq: index + 1, at: new Date(atMs).toISOString() };
  });
}

function view(bodies: readonly TimedBody[]): RunView {
  return foldView(
    beginView({ run: 'r', workflow: 'w', startedAt: new Date(START_MS).toISOString() }),
    log(bodies),
  );
}

function report(kind: string): ErrorReport {
  return failure(kind, `It failed with ${kind}`).report;
}

const STARTED: TimedBody = { type: 'run:started', workflow: 'w', input: {} };
const SAY = { node: 'say', path: 'say' };
const CALL = { key: 'k', type: 'model', target: 'sim/a' } as const;
const started = (where = SAY, attempt = 0): TimedBody => ({
  type: 'node:started',
  ...where,
  attempt,
});

function bars(of: RunView, path: string): readonly string[] {
  return (stepAt(of, path)?.bars ?? []).map(({ kind, from, to }) => {
    const seconds = to === undefined ? '…' : (Date.parse(to) - Date.parse(from)) / 1000;
    return `${kind} ${seconds}`;
  });
}

describe('a step', () => {
  it('shows work, backoffs and questions one after another on its time axis', () => {
    const asked = view([
      STARTED,
      started(),
      { type: 'effect:requested', ...SAY, effect: CALL, attempt: 0 },
      { type: 'effect:failed', ...SAY, effect: CALL, error: report('bank.busy') },
      { type: 'effect:requested', ...SAY, effect: CALL, attempt: 1, after: 7000 },
      { type: 'effect:failed', ...SAY, effect: CALL, error: report('bank.busy') },
      { type: 'node:failed', ...SAY, error: report('bank.busy'), after: 0 },
      { type: 'gate:opened', ...SAY, gate: 'say', prompt: 'Again?', options: ['retry'], after: 0 },
      { type: 'gate:answered', ...SAY, gate: 'say', value: 'retry', by: 'ada', after: 60_000 },
    ]);
    expect(bars(asked, 'say')).toEqual(['work 2', 'backoff 7', 'work 1', 'person 60', 'work …']);
    expect(asked.gates).toEqual([]);
    expect(asked.answers.at(-1)).toMatchObject({ gate: 'say', value: 'retry', by: 'ada' });
  });

  it('keeps every failure, the first one first, with what became of it', () => {
    const bodies: readonly TimedBody[] = [
      STARTED,
      started(),
      { type: 'effect:requested', ...SAY, effect: CALL, attempt: 0 },
      {
        type: 'effect:failed',
        ...SAY,
        effect: CALL,
        error: report('bank.closed'),
        costUsdMicros: 5,
        usage: { inputTokens: 3 },
      },
      { type: 'node:failed', ...SAY, error: report('bank.closed') },
      {
        type: 'route:taken',
        ...SAY,
        move: 'to',
        to: 'sorry',
        bucket: 'error',
        rule: 1,
        kind: 'bank.closed',
      },
    ];
    const routed = view(bodies);
    const step = stepAt(routed, 'say');
    expect(step?.failures.map(({ layer, fate, route }) => [layer, fate, route?.to])).toEqual([
      ['call', 'handled', undefined],
      ['node', 'handled', 'sorry'],
    ]);
    expect(step?.status).toBe('failed');
    expect(step !== undefined && isUnhandled(routed, step)).toBe(false);
    expect(step?.tries.at(0)).toMatchObject({ calls: 1, costUsdMicros: 5, status: 'failed' });
    expect(routed.costs).toMatchObject({ total: { usdMicros: 5, failedUsdMicros: 5, tokens: 3 } });
    expect(routed.routes.map(({ kind, to }) => [kind, to])).toEqual([['bank.closed', 'sorry']]);
  });

  it('has the text of its model while it comes, and none that was taken back', () => {
    const before = view([STARTED, started()]);
    const chunk = { type: 'chunk', path: 'say', attempt: 0 } as const;
    const talking = foldView(before, [
      { ...chunk, text: 'One, ' },
      { ...chunk, text: 'two' },
    ]);
    expect(stepAt(talking, 'say')?.live).toEqual({ attempt: 0, text: 'One, two' });
    expect(stepAt(before, 'say')?.live).toBeUndefined();
    const other = reduceView(talking, { type: 'chunk.retracted', path: 'say', attempt: 1 });
    expect(other).toBe(talking);
    const taken = reduceView(talking, { type: 'chunk.retracted', path: 'say', attempt: 0 });
    expect(stepAt(taken, 'say')?.live).toBeUndefined();
    expect(taken.seq).toBe(2);
  });

  it('counts the members of its group, also one that failed first and worked then', () => {
    const EACH = { node: 'each', path: 'each' };
    const one = (key: number): typeof SAY => ({ node: 'one', path: `each[${key}]/one` });
    const end: TimedBody = {
      type: 'route:taken',
      ...one(0),
      move: 'to',
      to: '$end',
      bucket: 'success',
    };
    const bodies: readonly TimedBody[] = [
      STARTED,
      { type: 'node:started', ...EACH, attempt: 0, members: { keys: ['0', '1'] } },
      started(one(0)),
      started(one(1)),
      { type: 'node:completed', ...one(0), output: 1 },
      end,
      { type: 'node:failed', ...one(1), error: report('order.missing') },
      { type: 'route:taken', ...one(1), move: 'propagate', bucket: 'default' },
    ];
    expect(stepAt(view(bodies), 'each')?.members).toEqual({ all: 2, succeeded: 1, failed: 1 });
    const again = view([
      ...bodies,
      { type: 'run:failed', error: report('order.missing') },
      { type: 'run:resumed', by: 'ada' },
      started(one(1), 1),
      { type: 'node:completed', ...one(1), output: 1 },
      { ...end, ...one(1) },
    ]);
    expect(stepAt(again, 'each')?.members).toEqual({ all: 2, succeeded: 2, failed: 0 });
  });
});

describe('a member that ended', () => {
  const EACH = { node: 'each', path: 'each' };
  const ONE = { node: 'one', path: 'each[0]/one' };
  const TWO = { node: 'two', path: 'each[0]/two' };
  const group: TimedBody = {
    type: 'node:started',
    ...EACH,
    attempt: 0,
    members: { keys: ['0', '1'] },
  };
  const end = (where: typeof ONE): TimedBody => ({
    type: 'route:taken',
    ...where,
    move: 'to',
    to: '$end',
    bucket: 'success',
  });
  const failed = [
    STARTED,
    group,
    started(ONE),
    { type: 'node:failed', ...ONE, error: report('order.missing') },
    { type: 'route:taken', ...ONE, move: 'propagate', bucket: 'default' },
  ] as const satisfies readonly TimedBody[];

  it('counts once when only its check is repeated', () => {
    const again = view([
      ...failed,
      { type: 'run:failed', error: report('order.missing') },
      { type: 'run:resumed', by: 'ada' },
      end(ONE),
    ]);
    expect(stepAt(again, 'each')?.members).toEqual({ all: 2, succeeded: 1, failed: 0 });
  });

  it('takes nothing from a group that has begun anew', () => {
    const OTHER = { node: 'one', path: 'each[1]/one' };
    const again = view([
      STARTED,
      group,
      started(ONE),
      end(ONE),
      started(OTHER),
      end(OTHER),
      group,
      started(ONE),
      end(ONE),
      started(OTHER),
    ]);
    expect(stepAt(again, 'each')?.members).toEqual({ all: 2, succeeded: 1, failed: 0 });
  });

  it('has not ended once the run is rewound to an earlier node of it', () => {
    const rewound = view([
      STARTED,
      group,
      started(ONE),
      started(TWO),
      end(TWO),
      { type: 'run:resumed', by: 'ada', from: ONE.path },
    ]);
    expect(stepAt(rewound, 'each')?.members).toEqual({ all: 2, succeeded: 0, failed: 0 });
  });
});

describe('a question', () => {
  const AGENT = { node: 'ask', path: 'ask' };
  const asked = (where: typeof AGENT, gate: string): TimedBody => ({
    type: 'gate:opened',
    ...where,
    gate,
    prompt: 'May it?',
    options: ['approve', 'deny'],
  });
  const gates = (bodies: readonly TimedBody[]): readonly string[] =>
    view(bodies).gates.map(({ gate }) => gate);
  const approval = [STARTED, started(AGENT), asked(AGENT, 'ask/read#1.1')] as const;

  it('closes when its node fails, and only the one about the failure is open', () => {
    const failed: TimedBody = { type: 'node:failed', ...AGENT, error: report('order.missing') };
    expect(gates(approval)).toEqual(['ask/read#1.1']);
    expect(gates([...approval, failed])).toEqual([]);
    expect(gates([...approval, failed, asked(AGENT, 'ask')])).toEqual(['ask']);
  });

  it('stays while other tools are called, and closes when the conversation begins anew', () => {
    const call = (effect: EffectRef): TimedBody => ({
      type: 'effect:requested',
      ...AGENT,
      effect,
      attempt: 0,
    });
    const tool = call({ key: 't', type: 'tool', target: 'box/write' });
    expect(gates([...approval, tool])).toEqual(['ask/read#1.1']);
    expect(gates([...approval, { type: 'run:resumed', by: 'ada' }, call(CALL)])).toEqual([]);
  });

  it('closes when the supervisor around it fails', () => {
    const round = { node: 'ask', path: 'boss[1]/ask' };
    const boss = { node: 'boss', path: 'boss' };
    const bodies = [STARTED, started(boss), started(round), asked(round, 'boss[1]/ask')];
    const over = view([
      ...bodies,
      { type: 'node:failed', ...boss, error: report('order.missing') },
    ]);
    expect(gates(bodies)).toEqual(['boss[1]/ask']);
    expect(over.gates).toEqual([]);
    expect(stepAt(over, 'boss[1]/ask')?.status).toBe('cancelled');
  });

  it('closes when the run is rewound to before it', () => {
    const rewound = view([
      STARTED,
      started(),
      started(AGENT),
      asked(AGENT, 'ask'),
      { type: 'run:resumed', by: 'ada', from: 'say' },
    ]);
    expect(rewound.gates).toEqual([]);
    expect(stepAt(rewound, 'ask')?.status).toBe('cancelled');
    expect(rewound.open).toBe(0);
  });

  it('closes when something inside its node runs again, and others stay', () => {
    const inside = (key: number, node: string) => ({ node, path: `each[${key}]/${node}` });
    const each = { node: 'each', path: 'each' };
    const members: TimedBody = {
      type: 'node:started',
      ...each,
      attempt: 0,
      members: { keys: ['0', '1'] },
    };
    const bodies: readonly TimedBody[] = [
      STARTED,
      members,
      started(inside(0, 'say')),
      started(inside(0, 'ask')),
      asked(inside(0, 'ask'), 'first'),
      started(inside(1, 'ask')),
      asked(inside(1, 'ask'), 'second'),
    ];
    const rewind: TimedBody = { type: 'run:resumed', by: 'ada', from: 'each[0]/say' };
    expect(gates([...bodies, rewind])).toEqual(['second']);
    const failed: TimedBody = { type: 'node:failed', ...each, error: report('order.missing') };
    const about = view([...bodies, failed, asked(each, 'each'), rewind]);
    expect(about.gates).toEqual([]);
    expect(stepAt(about, 'each')?.status).toBe('running');
  });
});

describe('the failure that matters', () => {
  it('is the one that the run ended with, and none while it runs again', () => {
    const bodies: readonly TimedBody[] = [
      STARTED,
      started(),
      { type: 'node:failed', ...SAY, error: report('order.missing') },
      { type: 'run:failed', error: report('order.missing') },
    ];
    expect(openFailure(view(bodies))?.kind).toBe('order.missing');
    const resumed = view([...bodies, { type: 'run:resumed', by: 'ada' }]);
    expect(openFailure(resumed)).toBeUndefined();
    expect(resumed.legs.map(({ cause, by }) => [cause, by])).toEqual([
      ['started', undefined],
      ['resumed', 'ada'],
    ]);
  });

  it('is the one that a person is asked about', () => {
    const asking = view([
      STARTED,
      started(),
      { type: 'node:failed', ...SAY, error: report('order.missing') },
      { type: 'gate:opened', ...SAY, gate: 'say', prompt: 'And now?', options: ['retry', 'skip'] },
    ]);
    expect(failedStep(asking)?.path).toBe('say');
    expect(openFailure(asking)?.kind).toBe('order.missing');
  });
});

it('takes time in proportion to its events, whatever has happened before', () => {
  const make = (members: number): readonly RunEvent[] => {
    const keys = Array.from({ length: members }, (_, key) => String(key));
    const inside = keys.flatMap((key): readonly TimedBody[] => {
      const where = { node: 'one', path: `each[${key}]/one` };
      const effect = { ...CALL, key };
      return [
        started(where),
        { type: 'effect:requested', ...where, effect, attempt: 0 },
        { type: 'effect:succeeded', ...where, effect, output: { toolCalls: [] } },
        { type: 'node:completed', ...where, output: 1 },
        { type: 'route:taken', ...where, move: 'to', to: '$end', bucket: 'success' },
      ];
    });
    const group: TimedBody = {
      type: 'node:started',
      node: 'each',
      path: 'each',
      attempt: 0,
      members: { keys },
    };
    return log([STARTED, group, ...inside]);
  };
  const logs = new Map<number, readonly RunEvent[]>();
  expectLinear((size) => {
    const events = logs.get(size) ?? make(size);
    logs.set(size, events);
    return foldView(beginView({ run: 'r', workflow: 'w', startedAt: '' }), events).seq;
  }, 4000);
});
