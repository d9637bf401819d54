/** What the rewound part of a run had written into the shared state is undone, and nothing else is. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { rehearse } from '../harness.cases.ts';
import { step } from '../decide/step.ts';
import { findVisited } from './reopen.ts';
import { packState, unpackState } from '../state/snapshot.ts';
import type { RunState } from '../state/state.ts';

const HEAD = `
workflow:
  name: t
  entry_point: f
  input: {isFixed: {type: boolean}}
  state:
    sum: {type: number, default: 0, merge: sum}
    list: {type: array, default: [], merge: append}
    set: {type: array, default: [], merge: union}
    latest: {type: number, default: 0}
output: {sum: "{{ state.sum }}", list: "{{ state.list }}", set: "{{ state.set }}", latest: "{{ state.latest }}"}
`;
const WRITES =
  'type: set, value: 1, state: {sum: "{{ i }}", list: ["{{ i }}"], set: ["{{ i }}"], latest: "{{ i }}"}';
const FAILS =
  '{name: check, type: set, value: 1, assert: [{that: "{{ workflow.input.isFixed or i != 2 }}"}]}';
const MODE = 'failure_mode: all_or_nothing';

/** Three members write, then the second one fails. */
const FLAT = `${HEAD}
nodes: [${FAILS}]
for_each:
  - {name: f, source: "{{ [1, 2, 3] }}", as: i, ${MODE}, agent: {name: write, ${WRITES}, routes: [{to: check}]}, routes: [{to: $end}]}
`;

/** The same inside the only member of another group. */
const NESTED = `${HEAD}
nodes: [${FAILS}]
for_each:
  - name: f
    source: "{{ ['x'] }}"
    as: outer
    agent: {name: g, type: for_each, source: "{{ [1, 2, 3] }}", as: i, ${MODE}, agent: {name: write, ${WRITES}, routes: [{to: check}]}}
    routes: [{to: $end}]
`;

function failedRun(text: string): RunState {
  const { state } = rehearse(text, { input: { isFixed: false } });
  expect(state.error?.kind).toBe('group.failed');
  return state;
}

function outputFrom(state: RunState, ...from: readonly string[]): JsonValue | undefined {
  for (const place of from) {
    const resumed = { by: 'test', from: place, input: { isFixed: true } };
    step(state, [{ type: 'run:resumed', ...resumed }], state.nowMs);
  }
  expect(state.status).toBe('completed');
  return state.output;
}

const ALL = { sum: 6, list: [1, 2, 3], set: [1, 2, 3], latest: 3 };

describe.each([
  ['a group', FLAT, 'f', 'f'],
  ['a group in a group', NESTED, 'f', 'f[0]/g'],
])('the state that members of %s wrote', (_, text, whole, group) => {
  it('is counted once when the whole group runs again', () => {
    expect(outputFrom(failedRun(text), whole)).toEqual(ALL);
    expect(outputFrom(failedRun(text), group)).toEqual(ALL);
    expect(outputFrom(failedRun(text), whole, whole, whole)).toEqual(ALL);
  });

  it('is kept for the members beside the one that runs again', () => {
    const moved = { sum: 6, list: [2, 3, 1], set: [2, 3, 1], latest: 1 };
    expect(outputFrom(failedRun(text), `${group}[0]/write`)).toEqual(moved);
    expect(outputFrom(failedRun(text), `${group}[1]/write`)).toEqual({
      ...ALL,
      list: [1, 3, 2],
      set: [1, 3, 2],
      latest: 2,
    });
    expect(outputFrom(failedRun(text), `${group}[2]/write`)).toEqual(ALL);
  });

  it('is counted once when a member and then the whole group run again', () => {
    expect(outputFrom(failedRun(text), `${group}[0]/write`, whole)).toEqual(ALL);
  });

  it('is undone from a snapshot too', () => {
    const restored = (): RunState => unpackState(packState(failedRun(text)));
    expect(outputFrom(restored(), whole)).toEqual(ALL);
    expect(outputFrom(restored(), `${group}[2]/write`)).toEqual(ALL);
  });
});

/** Members that write the same item, the same value, and fractions. */
const SAME = FLAT.replaceAll(
  WRITES,
  WRITES.replaceAll('"{{ i }}"', '"{{ i if workflow.input.isFixed else 7.1 }}"'),
);

describe('what members wrote alike', () => {
  it('is kept for those that do not run again', () => {
    expect(outputFrom(failedRun(SAME), 'f[0]/write')).toEqual({
      sum: 7.1 + 7.1 + 1,
      list: [7.1, 7.1, 1],
      set: [7.1, 1],
      latest: 1,
    });
  });

  it('is kept by all but the members that ran again, from snapshots', () => {
    const state = unpackState(packState(failedRun(SAME)));
    step(
      state,
      [{ type: 'run:resumed', by: 'test', from: 'f[2]/write', input: { isFixed: false } }],
      state.nowMs,
    );
    expect(outputFrom(unpackState(packState(state)), 'f[1]/write')).toEqual({
      sum: 7.1 + 7.1 + 2,
      list: [7.1, 7.1, 2],
      set: [7.1, 2],
      latest: 2,
    });
  });
});

it('is recorded once, however many members write', () => {
  const sizeOf = (count: number): number => {
    const text = FLAT.replace('[1, 2, 3]', `range(1, ${count + 1})`);
    return JSON.stringify(packState(failedRun(text))).length;
  };
  const [few, some, many] = [sizeOf(10), sizeOf(50), sizeOf(90)];
  // it grows with each member as much as with the one before
  expect((many - some) / (some - few)).toBeCloseTo(1, 1);
});

/** Two members, each with a group; each rewind may be from a snapshot. */
const TWICE = NESTED.replace(`"{{ ['x'] }}"`, `"{{ ['x', 'y'] }}"`);

const PLACES = ['f', ...[0, 1].flatMap((outer) => placesIn(`f[${outer}]/g`))];

function placesIn(group: string): readonly string[] {
  return [group, ...[0, 1, 2].flatMap((at) => [`${group}[${at}]/write`, `${group}[${at}]/check`])];
}

it('is that of a run without any rewind, whatever was rewound', () => {
  const rewind = fc.record({
    from: fc.constantFrom(...PLACES),
    isFixed: fc.constantFrom(false, false, false, false, true),
    isRestored: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(rewind, { maxLength: 8 }), (rewinds) => {
      let state = failedRun(TWICE);
      for (const { from, isFixed, isRestored } of [...rewinds, LAST]) {
        if (state.status === 'completed') break;
        if (isRestored) state = unpackState(packState(state));
        const isGone = from !== undefined && findVisited(state, from) === undefined;
        const place = isGone || from === undefined ? {} : { from };
        step(
          state,
          [{ type: 'run:resumed', by: 'test', ...place, input: { isFixed } }],
          state.nowMs,
        );
      }
      expect(state.status).toBe('completed');
      expect(sorted(state.output)).toEqual({ sum: 12, list: [1, 1, 2, 2, 3, 3], set: [1, 2, 3] });
    }),
  );
});

const LAST = { from: undefined, isFixed: true, isRestored: true };

/** Which of them was the latest depends on the order. */
function sorted(output: JsonValue | undefined): JsonValue {
  const { sum, list, set } = output as Readonly<Record<string, readonly number[]>>;
  return { sum: sum ?? null, list: list?.toSorted() ?? null, set: set?.toSorted() ?? null };
}
