import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isKind } from '../../errors/thrown/errand-error.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { failureOf, resultOf, textOf } from './evaluating.cases.ts';
import { arbitraryTree, printFully, printTightly } from './trees.cases.ts';
import { findAll } from './evaluate/find-text.ts';
import { memoise } from './memo.ts';
import { newEvaluation } from './evaluate/evaluation.ts';
import { contextOf } from './context.ts';
import {
  evaluateGuard,
  evaluateTemplate,
  parseExpression,
  parseTemplate,
  renderText,
  type ParseResult,
} from './template.ts';
import { runs } from '../../../test/runs.ts';
import { anyCharacter } from '../../../test/any-character.ts';

/** Parts of templates, so that random combinations of them get past the first character. */
const PIECES =
  `{{ }} {% %} {# #} {{- -}} {%- -%} if elif else endif for in endfor set endset raw endraw is not and or
   defined none true a b a.b a[0] a[1:] [ ] { } ( ) , : | . ~ + - * / // % ** == != < > <= >= = 1 2.5 'x' "y" ' \\
   upper default('z') length first map(attribute='b') select('odd') sort join(',') range(3) loop.index .items() .get('b')
   json int 😀 é constructor __proto__`.split(/\s+/);

const PIPES = [
  '',
  '| list',
  '| sort',
  '| unique',
  '| first',
  '| sum',
  '| items',
  '| dictsort',
].concat([
  '| reverse',
  "| map('string')",
  "| selectattr('b')",
  "| join('-')",
  '| max',
  '[1:]',
  '.get(1)',
]);

const words = fc
  .array(fc.constantFrom(...PIECES, ' ', '\n'), { maxLength: 40 })
  .map((pieces) => pieces.join(' '));

/** Templates that parse, and treat their input differently. */
const templates = fc
  .tuple(
    arbitraryTree.map(printTightly),
    arbitraryTree.map(printTightly),
    fc.constantFrom(...PIPES),
  )
  .map(
    ([one, two, pipe]) =>
      `{% for x in (${one}) ${pipe} if ${two} %}{{ loop.index }}{% if x == (${two}) %}{{ x ${pipe} }}` +
      `{% else %}{% set y = x %}{{ y | default(${one}) }}{% endif %}{% else %}{{ ${two} }}{% endfor %}`,
  );

const sources = fc.oneof(
  { weight: 2, arbitrary: arbitraryTree.map((tree) => `{{ ${printTightly(tree)} }}`) },
  { weight: 2, arbitrary: templates },
  { weight: 4, arbitrary: words },
  { weight: 3, arbitrary: words.map((inside) => `{{ ${inside} }}`) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 60 }) },
);

/** Drawn once: making JSON costs more than evaluating a template over it. */
const scopes = fc.constantFrom(
  ...fc.sample(
    fc
      .record({ a: fc.jsonValue(), b: fc.jsonValue() }, { requiredKeys: [] })
      .map((record) => contextOf(record as Record<string, JsonValue>)),
    300,
  ),
);

function isWithin(source: string, result: ParseResult): boolean {
  if (result.ok) return true;
  const { offset, length } = result.problem;
  return offset >= 0 && length >= 0 && offset + length <= source.length;
}

/** Returns a value or a failure of our kind; rethrows anything else. */
function outcomeOf<T>(evaluate: () => T): T | 'failed' {
  try {
    return evaluate();
  } catch (error) {
    if (isKind(error, 'validation.template')) return 'failed';
    throw error;
  }
}

function isJson(value: unknown): boolean {
  return JSON.stringify(JSON.parse(JSON.stringify(value))) === JSON.stringify(value);
}

describe('any source', () => {
  it('is a template, or has a problem inside it', () => {
    fc.assert(
      fc.property(sources, (source) => {
        const results = [parseTemplate(source), parseExpression(source)];
        return results.every((result) => isWithin(source, result));
      }),
      { numRuns: runs(3000) },
    );
  });

  it('gives JSON, text and a truth value, or fails as a template does', () => {
    let evaluated = 0;
    fc.assert(
      fc.property(sources, scopes, (source, scope) => {
        const result = parseTemplate(source);
        if (!result.ok) return true;
        evaluated++;
        const { template } = result;
        const value = outcomeOf(() => evaluateTemplate(template, scope));
        const text = outcomeOf(() => renderText(template, scope));
        const answer = outcomeOf(() => evaluateGuard(template, scope));
        const isAnswer = answer === 'failed' || typeof answer === 'boolean';
        return isAnswer && isJson(value) && typeof text === 'string';
      }),
      { numRuns: runs(20_000) },
    );
    expect(evaluated).toBeGreaterThan(runs(20_000) * 0.4);
  });

  it('gives the same result twice', () => {
    fc.assert(
      fc.property(sources, scopes, (source, scope) => {
        const result = parseTemplate(source);
        if (!result.ok) return;
        const once = outcomeOf(() => renderText(result.template, scope));
        expect(outcomeOf(() => renderText(result.template, scope))).toBe(once);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('without a tag is itself', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/\{[{%#]/.test(text));
        expect(textOf(text)).toBe(text);
      }),
    );
  });
});

const NAMES = { a: { b: 2 }, b: [1, 'x'] };

describe('an expression', () => {
  it('means the same with all brackets and with only the necessary ones', () => {
    let values = 0;
    fc.assert(
      fc.property(arbitraryTree, (tree) => {
        const full = outcomeOf(() => resultOf(printFully(tree), NAMES));
        expect(outcomeOf(() => resultOf(printTightly(tree), NAMES))).toEqual(full);
        if (full !== 'failed') values++;
      }),
      { numRuns: runs(5000) },
    );
    expect(values).toBeGreaterThan(runs(5000) * 0.2);
  });

  it('reads back any value that was printed as JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const normal = JSON.parse(JSON.stringify(value)) as JsonValue;
        expect(resultOf('value | tojson', { value: normal })).toBe(JSON.stringify(normal));
        expect(resultOf('value | json', { value: normal })).toBe(JSON.stringify(normal, null, 2));
      }),
    );
  });
});

describe('equality', () => {
  const values = fc.oneof(
    fc.constantFrom<JsonValue>(0, 1, '', '0', '1', true, false, null, [], {}, [0], { a: 1 }),
    fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as JsonValue),
  );
  const isEqual = (a: JsonValue, b: JsonValue): boolean => resultOf('a == b', { a, b }) === true;

  it('holds between a value and its copy', () => {
    fc.assert(fc.property(values, (a) => isEqual(a, structuredClone(a))));
  });

  it('is symmetric, and the opposite of `!=`', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        expect(isEqual(a, b)).toBe(isEqual(b, a));
        expect(resultOf('a != b', { a, b })).toBe(!isEqual(a, b));
      }),
    );
  });

  it('never holds between two types', () => {
    const typeOf = (value: JsonValue): string =>
      Array.isArray(value) ? 'list' : Object.prototype.toString.call(value);
    fc.assert(
      fc.property(values, values, (a, b) => {
        if (typeOf(a) !== typeOf(b)) expect(isEqual(a, b)).toBe(false);
      }),
    );
  });

  it('ignores the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.integer()), (object) => {
        const turned = Object.fromEntries(Object.entries(object).toReversed());
        expect(isEqual(object, turned)).toBe(true);
      }),
    );
  });

  it('comes with an order for numbers and for text, and a failure for other types', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const isOrdered = typeof a === typeof b && (typeof a === 'number' || typeof a === 'string');
        if (isOrdered) expect(resultOf('a <= b and b <= a', { a, b })).toBe(isEqual(a, b));
        else
          expect(failureOf(() => resultOf('a < b', { a, b })).message).toMatch(
            /^No order is defined/,
          );
      }),
    );
  });
});

describe('finding text', () => {
  it('finds what splitting finds', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 400 });
    const parts = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(letters, parts, letters, (before, part, after) => {
        const text = before + part + after + part;
        const found = findAll(newEvaluation('', contextOf({})), text, part, Infinity);
        expect(found).toHaveLength(text.split(part).length - 1);
        for (const offset of found) expect(text.startsWith(part, offset)).toBe(true);
      }),
    );
  });

  it('finds long parts in long texts', () => {
    const part = `${'ab'.repeat(40)}c`;
    const text = `${'ab'.repeat(100)}${part}${part}x${part}`;
    expect(findAll(newEvaluation('', contextOf({})), text, part, 2)).toEqual([200, 281]);
  });
});

describe('remembering', () => {
  it('computes each result once while there is room, and evicts the least recently used', () => {
    const made: string[] = [];
    const remember = memoise((source) => (made.push(source), { source }), {
      maxEntries: 2,
      maxChars: 80,
    });
    for (const source of ['a', 'b', 'a', 'c', 'a', 'b']) remember(source);
    expect(made).toEqual(['a', 'b', 'c', 'b']);
    for (const source of ['more than an eighth', 'more than an eighth', 'b']) remember(source);
    expect(made.slice(4)).toEqual(['more than an eighth', 'more than an eighth']);
  });
});
