/**
 * Keys of members come from data. Whatever they are, each member has its own path, idempotency key and
 * gate, and runs once, with its own data.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../errors/support/safe-json.ts';
import { rehearse, workflow } from './harness.cases.ts';
import { nodeAtPath } from '../history/node-at-path.ts';
import { runs } from '../../test/runs.ts';

const NESTED = `${workflow('  - {name: z, type: set, value: 1}\n', '  input: {tickets: {type: array}}\n')}for_each:
  - name: a
    source: workflow.input.tickets
    as: t
    key_by: t.id
    agent: {name: inner, type: for_each, source: "{{ t.lines }}", as: l, key_by: l, agent: {name: one, type: script, command: x, stdin: "{{ [t.id, l] | json }}"}}
output: {all: "{{ a.outputs }}"}
`;

interface Ticket {
  readonly id: string;
  readonly lines: readonly string[];
}

function play(tickets: readonly Ticket[]) {
  const run: { path: string; key: string; stdin: string }[] = [];
  const rehearsal = rehearse(NESTED, {
    input: { tickets: tickets.map(({ id, lines }): JsonObject => ({ id, lines: [...lines] })) },
    effects: ({ path, ref, work }) => {
      const stdin = work.type === 'script' ? (work.stdin ?? '') : '';
      run.push({ path, key: ref.key, stdin });
      return stdin;
    },
  });
  return { ...rehearsal, run };
}

/** Pieces that have a meaning in paths, so that they meet in every order. */
const PIECES = [
  'a',
  'inner',
  'one',
  '[',
  ']',
  '/',
  '#',
  '%',
  '%5B',
  '\n',
  '\u009b',
  '\u0000',
  '\ud800',
  '..',
];
const anything = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 6 })
  .map((pieces) => pieces.join(''));
const letter = fc.constantFrom('a', 'b');
/** A part of the path of one of the other members. */
const forged = fc.tuple(letter, letter).map(([id, line]) => `${id}]/inner[${line}`);
const hostile = fc.oneof(anything, letter, letter, forged);
const distinct = (maxLength: number) => fc.uniqueArray(hostile, { minLength: 1, maxLength });
const batch = fc.uniqueArray(fc.record({ id: hostile, lines: distinct(3) }), {
  minLength: 1,
  maxLength: 4,
  selector: ({ id }) => id,
});

describe('the keys of members', () => {
  it('give each member one run of its own, with its own data', () => {
    fc.assert(
      fc.property(batch, (tickets) => {
        const { state, run } = play(tickets);
        expect(state.status).toBe('completed');
        const wanted = tickets.flatMap(({ id, lines }) => lines.map((line) => [id, line]));
        expect(run.map(({ stdin }) => JSON.parse(stdin) as unknown)).toEqual(
          expect.arrayContaining(wanted),
        );
        expect(run).toHaveLength(wanted.length);
        expect(new Set(run.map(({ key }) => key)).size).toBe(wanted.length);
        expect(new Set(run.map(({ path }) => path)).size).toBe(wanted.length);
      }),
      { numRuns: runs(300) },
    );
  });

  it('leave every path readable: it names its node, and contains no control character', () => {
    fc.assert(
      fc.property(batch, (tickets) => {
        const { state, events } = play(tickets);
        for (const event of events) {
          if (!('path' in event)) continue;
          expect(nodeAtPath(state.plan, event.path)?.node.name).toBe(event.node);
          expect(event.path).not.toMatch(/[\p{Cc}\p{Cs}]/u);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('are escaped in paths as in URLs, and nowhere else', () => {
    const { state, run } = play([{ id: '4[2]/#%\n', lines: ['ü (1)'] }]);
    expect(run.map(({ path }) => path)).toEqual(['a[4%5B2%5D%2F%23%25%0A]/inner[ü (1)]/one']);
    expect(Object.keys((state.output as { all: object }).all)).toEqual(['4[2]/#%\n']);
  });
});
