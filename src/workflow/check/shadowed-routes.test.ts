import { describe, expect, it } from 'vitest';
import { found, validate } from './cases/small-file.cases.ts';

describe('a route below others', () => {
  it.each([
    [
      'a guard',
      '{on_error: "order.*", when: "{{ false }}", to: $end}, {on_error: order.missing, to: $end}',
    ],
    ['a retry', '{on_error: "order.*", retry: {max: 1}}, {on_error: order.missing, to: $end}'],
    [
      'a park with a bound',
      '{on_error: "order.*", park: {for: 1m, max: 1}}, {on_error: order.missing, to: $end}',
    ],
    [
      'a part of the kinds',
      '{on_error: "order.*", to: $end}, {on_error: [order.missing, shop.closed], to: $end}',
    ],
    ['a longer name', '{on_error: "order.*", to: $end}, {on_error: orders.missing, to: $end}'],
    [
      'a kind that a park must name',
      '{on_error: ["effect.*", order.missing], park: true}, {on_error: effect.outcome_unknown, to: $end}',
    ],
  ])('accepts a route below one that takes its kinds only with %s', (_, routes) => {
    const nodes = `  - {name: a, type: script, command: "true", routes: [{to: $end}, ${routes}]}\n`;
    expect(found(validate(nodes)).filter((line) => line.includes('never-matches'))).toEqual([]);
  });

  it.each(['retry: {max: 1}', 'ask: {}', 'park: {for: 1m, max: 1}'])(
    'accepts a route below one that takes every failure with `%s`, which can be used up',
    (move) => {
      const routes = `{on_error: true, ${move}}, {on_error: internal.script_error, to: $end}`;
      const nodes = `  - {name: a, type: script, command: "true", routes: [{to: $end}, ${routes}]}\n`;
      expect(found(validate(nodes)).filter((line) => line.startsWith('error'))).toEqual([]);
    },
  );

  it('warns of routes of the workflow that can never match', () => {
    const header = `  on_error:
    - {on_error: "order.*", park: true}
    - {on_error: order.missing, halt: {message: No order}}
    - {on_error: provider.auth, halt: {message: No key}}
    - {on_error: internal.script_error, park: true}
`;
    const script = '  - {name: a, type: script, command: "true", routes: [{to: $end}]}\n';
    expect(found(validate(script, { header }))).toEqual([
      'warning never-matches: This route can never match: earlier routes take all of its kinds',
      'warning never-matches: This route can never match: no node of the file fails with that',
    ]);
  });
});
