import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isKind } from '../../errors/thrown/errand-error.ts';
import { orderExtensions, type Dependent } from './extension-order.ts';

const named = (name: string, ...needs: readonly string[]): Dependent => ({ name, needs });
const names = (all: readonly Dependent[]): readonly string[] =>
  orderExtensions(all).map(({ name }) => name);

function refusalOf(all: readonly Dependent[]): unknown {
  try {
    return orderExtensions(all);
  } catch (thrown) {
    return thrown;
  }
}

describe('the order of extensions', () => {
  it('puts needed extensions first, and otherwise keeps the order', () => {
    expect(names([named('a', 'c'), named('b'), named('c', 'd'), named('d')])).toEqual([
      'd',
      'c',
      'a',
      'b',
    ]);
    expect(names([])).toEqual([]);
  });

  it('names the extensions of a circle', () => {
    const refusal = refusalOf([named('x', 'a'), named('a', 'b'), named('b', 'c'), named('c', 'a')]);
    expect(refusal).toMatchObject({
      kind: 'extension.cycle',
      report: { details: { circle: ['a', 'b', 'c', 'a'] } },
    });
    expect(isKind(refusalOf([named('a', 'a')]), 'extension.cycle')).toBe(true);
  });

  it('refuses a missing extension with a suggestion, and two of one name', () => {
    const refusal = refusalOf([named('store'), named('a', 'stor')]);
    expect(refusal).toMatchObject({
      kind: 'extension.missing',
      report: { details: { extension: 'a', needs: 'stor' } },
    });
    expect(String(refusal)).toContain('stor');
    expect(isKind(refusalOf([named('a'), named('a')]), 'extension.contract')).toBe(true);
  });

  it('orders every graph without a circle: each once, after all that it needs', () => {
    const graph = fc.array(fc.array(fc.nat(20), { maxLength: 4 }), { maxLength: 20 }).map((rows) =>
      // only towards earlier ones, so that there is no circle
      rows.map((row, index) =>
        named(`e${index}`, ...row.filter((to) => to < index).map((to) => `e${to}`)),
      ),
    );
    fc.assert(
      fc.property(graph, fc.nat(), (all, turn) => {
        const given =
          all.length === 0
            ? all
            : [...all.slice(turn % all.length), ...all.slice(0, turn % all.length)];
        const order = names(given);
        expect(new Set(order)).toEqual(new Set(given.map(({ name }) => name)));
        for (const { name, needs } of given)
          for (const need of needs) expect(order.indexOf(need)).toBeLessThan(order.indexOf(name));
      }),
    );
  });
});
