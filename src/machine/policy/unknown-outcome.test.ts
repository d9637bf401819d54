/** An unknown outcome is asked about whenever a run returns to its location, under any key. */
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { memoryFiles } from '../../workflow/yaml/files.cases.ts';
import { loadWorkflow } from '../../workflow/yaml/load-workflow.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { unknownOutcomeDetails } from './unknown-outcome-details.ts';
import type { EventBody } from '../state/events.ts';
import { applyResume } from '../../engine/run/resume.ts';
import { rehearse, type Effects, type Rehearsal } from '../harness.cases.ts';
import { newRunState } from '../state/state.ts';
import { step } from '../decide/step.ts';

const UNKNOWN = { kind: 'effect.outcome_unknown', message: 'The outcome is unknown' };

/** The outcome of the first payment is unknown; counts the executions of `pay`. */
function world(): { readonly effects: Effects; readonly paid: string[] } {
  const paid: string[] = [];
  const effects: Effects = ({ work, path, ref }) => {
    if (work.type === 'model') return model(work.call.ordinal);
    if (!path.endsWith('pay')) return {};
    paid.push(ref.key);
    return paid.length === 1 ? { fail: UNKNOWN } : {};
  };
  return { effects, paid };
}

const CHOICES = ['pay', 'pay', 'done'];
const model = (ordinal: number) => ({
  text: JSON.stringify({ next: CHOICES[ordinal] ?? 'done', reason: 'x' }),
  toolCalls: [],
});

const PAY = '{name: pay, type: script, command: x, args: ["{{ state.n }}"]';
const LIMITS = 'limits: {max_iterations: 6}, state: {n: {type: number, default: 0, merge: sum}}';

describe('an effect in doubt', () => {
  it.each([
    [
      'a loop',
      `workflow: {name: t, entry_point: pay, ${LIMITS}}
nodes:
  - ${PAY}, routes: [{to: $end}, {on_error: true, to: note}]}
  - {name: note, type: set, value: 1, state: {n: 1}, routes: [{to: pay}]}`,
    ],
    [
      'a group that runs again with other arguments',
      `workflow: {name: t, entry_point: g, ${LIMITS}}
nodes:
  - ${PAY}, routes: [{to: $end}, {on_error: true, to: bump}]}
  - {name: bump, type: set, value: 1, state: {n: 1}, routes: [{to: fail}]}
  - {name: fail, type: set, value: 1, assert: [{that: "{{ false }}", raise: my.own}]}
parallel: [{name: g, agents: [pay], routes: [{to: $end}, {on_error: group.failed, retry: {max: 2, backoff: none}}]}]`,
    ],
    [
      'another round of a supervisor',
      `workflow: {name: t, entry_point: s, ${LIMITS}}
nodes:
  - {name: s, type: supervisor, prompt: Go, model: sim/m, manages: [pay], max_rounds: 3}
  - ${PAY}, routes: [{to: $end}, {on_error: true, to: $end}]}`,
    ],
  ])('is not done again by %s', (_, text) => {
    const { effects, paid } = world();
    rehearse(text, { effects });
    expect(paid).toHaveLength(1);
  });
});

/** Pays the person that a script names; the outcome of ada's first payment is unknown. */
function bank(lists: readonly (readonly JsonValue[])[] = []) {
  const paid: string[] = [];
  const keys = new Map<string, string>();
  let fetched = 0;
  const effects: Effects = ({ work, path, ref }) => {
    if (path === 'fetch') return { list: [...(lists[fetched++] ?? [])] };
    const who = work.type === 'script' ? (work.args[0] ?? '') : '';
    paid.push(who);
    if (who === 'bad') return { fail: { kind: 'internal.script_error', message: 'bad' } };
    if (who !== 'ada' || keys.has(who)) return {};
    keys.set(who, ref.key);
    return { fail: { ...UNKNOWN, details: unknownOutcomeDetails(ref, work) } };
  };
  return { effects, paid, keys };
}

/** The members fail by their own routes, and the list is fetched again. */
const LISTS = `workflow: {name: t, entry_point: fetch, limits: {max_iterations: 9}}
nodes:
  - {name: fetch, type: script, command: list, routes: [{to: payall}]}
  - {name: after, type: set, value: 1, assert: [{that: "{{ false }}", raise: my.own}]}
for_each:
  - name: payall
    source: fetch.output.list
    as: who
    max_concurrent: 1
    failure_mode: all_or_nothing
    agent: {name: pay, type: script, command: pay, args: ["{{ who }}"]}
    routes: [{to: $end}, {on_error: group.failed, to: fetch}]
`;
const ROUTED = LISTS.replace(
  'args: ["{{ who }}"]}',
  'args: ["{{ who }}"], routes: [{to: $end}, {on_error: true, to: after}]}',
);

function questions({ events }: Pick<Rehearsal, 'events'>) {
  return events.flatMap((event) =>
    event.type === 'gate:opened' ? [{ path: event.path, about: event.inDoubt }] : [],
  );
}

/** Not the question that the first payment itself asks. */
const laterOf = (run: Rehearsal) => questions(run).filter(({ path }) => path !== 'payall[0]/pay');

const ABOUT_ADA = { target: 'pay', arguments: { command: 'pay', args: ['ada'] } };

describe('a member in doubt', () => {
  it('is asked about when its list comes back in another order, and no other member is', () => {
    const { effects, paid, keys } = bank([['ada'], ['bob', 'eve', 'ada']]);
    const run = rehearse(ROUTED, { effects });
    expect(paid).toEqual(['ada', 'bob', 'eve']);
    const failed = run.events.filter(
      (event) => event.type === 'node:failed' && event.error.kind === UNKNOWN.kind,
    );
    expect(failed).toMatchObject([
      { path: 'payall[0]/pay' },
      {
        path: 'payall[2]/pay',
        error: { details: { idempotency_key: keys.get('ada'), ...ABOUT_ADA } },
      },
    ]);
  });

  it('is asked about with its original arguments, not with the current ones', () => {
    const { effects, keys } = bank();
    const text = `workflow: {name: t, entry_point: pay, state: {who: {type: string, default: ada}}}
nodes:
  - {name: pay, type: script, command: pay, args: ["{{ state.who }}"], routes: [{to: $end}, {on_error: true, to: other}]}
  - {name: other, type: set, value: 1, state: {who: bob}, routes: [{to: pay}]}`;
    const { events } = rehearse(text, { effects });
    const [, again] = events.filter(({ type }) => type === 'node:failed');
    expect(again).toMatchObject({
      error: { details: { idempotency_key: keys.get('ada'), ...ABOUT_ADA } },
    });
  });

  it('does not affect equal members beside it: they are separate effects', () => {
    const { effects, paid } = bank([['ada', 'ada', 'ada']]);
    const run = rehearse(LISTS.replace('concurrent: 1', 'concurrent: 2'), { effects });
    expect(laterOf(run)).toEqual([]);
    expect(paid).toEqual(['ada', 'ada', 'ada']);
  });

  it('is no longer asked about anywhere once a person has decided', () => {
    const { effects, paid } = bank([['ada', 'ada', 'bob']]);
    const run = rehearse(LISTS, { effects, answers: { 'payall[0]/pay': 'repeat' } });
    expect(laterOf(run)).toEqual([]);
    expect(paid).toEqual(['ada', 'ada', 'ada', 'bob']);
  });
});

function planOf(text: string): WorkflowPlan {
  const loaded = loadWorkflow('main.yaml', memoryFiles({ 'main.yaml': text }));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics, null, 2));
  return loaded.plan;
}

const HEAD = 'workflow: {name: t, entry_point: a}\nnodes:\n';
const CHARGE = 'type: script, command: charge, args: [ada]';
const BEFORE = `${HEAD}  - {name: a, type: set, value: [{id: ada}], routes: [{to: charge}]}
  - {name: charge, ${CHARGE}}
`;
const EACH = (
  more: string,
) => `${HEAD}  - {name: a, type: set, value: [{id: ada}], routes: [{to: g}]}
for_each: [{name: g, source: a.output, as: w, ${more}agent: {name: charge, type: script, command: charge, args: ["{{ w.id }}"]}}]
`;

describe('an effect that runs while its location changes', () => {
  it.each([
    [
      'another node does it',
      BEFORE,
      BEFORE.replaceAll('charge}', 'charge2}').replace('name: charge', 'name: charge2'),
    ],
    [
      'a group is put around it',
      BEFORE,
      `${BEFORE.replace('to: charge', 'to: g')}parallel: [{name: g, agents: [charge]}]\n`,
    ],
    ['its members get keys', EACH(''), EACH('key_by: w.id, ')],
  ])('is asked about where it is asked for now: %s', (_, before, after) => {
    const state = rehearse(before, { effects: () => ({ fail: UNKNOWN }) }).state;
    expect(state.unknownOutcomes.size).toBe(1);
    const [key] = state.unknownOutcomes.keys();
    const resumed: EventBody = { type: 'run:resumed', by: 'test', from: 'a', plan: planOf(after) };
    const events = step(state, [resumed], state.nowMs);
    expect([...state.effects]).toEqual([]);
    expect(questions({ events })).toMatchObject([{ about: { key, target: 'charge' } }]);
  });

  it('is asked about with the text of the file that requested it', () => {
    const state = newRunState('run_1', planOf(BEFORE));
    step(state, [{ type: 'run:started', workflow: 't', input: {} }], 0);
    const [key] = state.effects.keys();
    const plan = planOf(BEFORE.replace('[ada]', '[bob]'));
    const events = applyResume(state, { plan, acceptDrift: true }, 0);
    const about = { command: 'charge', args: ['ada'] };
    expect(events.at(-1)).toMatchObject({
      error: { kind: UNKNOWN.kind, details: { idempotency_key: key, arguments: about } },
    });
    // and so it is found when another node requests the same action
    const before: EventBody = { type: 'run:resumed', by: 'test', from: 'a', plan: planOf(BEFORE) };
    expect(questions({ events: step(state, [before], 0) })).toMatchObject([
      { about: { key, arguments: about } },
    ]);
  });
});

describe('an idempotent effect that was running when its process died', () => {
  const PAYS = `workflow: {name: t, entry_point: a, input: {amount: {type: number}}}
nodes:
  - {name: a, type: set, value: 1, routes: [{to: pay}]}
  - {name: pay, type: script, command: pay, args: ["{{ workflow.input.amount }}"], idempotent: true}
`;

  function died() {
    const state = newRunState('run_1', planOf(PAYS));
    step(state, [{ type: 'run:started', workflow: 't', input: { amount: 10 } }], 0);
    const [key = ''] = state.effects.keys();
    return { state, key };
  }

  it.each([
    ['where it was', {}],
    ['from an earlier node', { from: 'a' }],
  ])('is asked again under its key when the run is resumed %s', (_, from) => {
    const { state, key } = died();
    const events = [...applyResume(state, from, 0), ...step(state, [], 0)];
    expect(questions({ events })).toEqual([]);
    expect([...state.effects.keys()]).toEqual([key]);
  });

  it.each([
    ['where it was', {}],
    ['from an earlier node', { from: 'a' }],
  ])('is asked about when the run is resumed %s and would now do something else', (_, from) => {
    const { state, key } = died();
    const events = [...applyResume(state, { ...from, input: { amount: 12 } }, 0)];
    events.push(...step(state, [], 0));
    expect([...state.effects.keys()]).toEqual([]);
    const arguments_ = { command: 'pay', args: ['10'] };
    expect(questions({ events })).toMatchObject([{ about: { key, arguments: arguments_ } }]);
    // nobody has decided yet
    const again = [...applyResume(state, {}, 0), ...step(state, [], 0)];
    expect([...state.effects.keys()]).toEqual([]);
    expect(again.some(({ type }) => type === 'effect:requested')).toBe(false);
    // it did not happen: the other one is done, under its own key
    applyResume(state, { answer: { value: 'repeat', by: 'ann' } }, 0);
    step(state, [], 0);
    expect([...state.effects.keys()]).not.toContain(key);
    expect(state.effects.size).toBe(1);
  });

  it('keeps its key when the change is taken back', () => {
    const { state, key } = died();
    applyResume(state, { input: { amount: 12 } }, 0);
    step(state, [], 0);
    applyResume(state, { input: { amount: 10 }, answer: { value: 'repeat', by: 'ann' } }, 0);
    step(state, [], 0);
    expect([...state.effects.keys()]).toEqual([key]);
  });
});
