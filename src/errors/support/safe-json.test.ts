import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText, anyThrown } from '../report/arbitraries.cases.ts';
import { REDACTED } from '../report/bounded-text.ts';
import { toBoundedJson, type JsonBounds, type JsonFilter } from './safe-json.ts';
import { printable } from './printable.ts';
import { createRedactor } from '../redaction/redact.ts';
import { isSecretName } from '../redaction/secret-names.ts';
import { runs } from '../../../test/runs.ts';

const WIDE: JsonBounds = { maxDepth: 16, maxNodes: 4000, maxStringChars: 4000, maxChars: 40_000 };
const bounds = fc.record({
  maxDepth: fc.integer({ min: 1, max: 6 }),
  maxNodes: fc.integer({ min: 1, max: 60 }),
  maxStringChars: fc.integer({ min: 10, max: 100 }),
  maxChars: fc.integer({ min: 5, max: 400 }),
});
const redactor = createRedactor();
const filter: JsonFilter = { text: (text) => redactor.text(printable(text)), hides: isSecretName };

const anyJson = fc.oneof(
  fc.anything({
    key: anyText,
    values: [anyText, fc.double(), fc.bigInt(), fc.date(), fc.constant('password')],
  }),
  fc.dictionary(
    fc.oneof(anyText, fc.constantFrom('password', 'token', '__proto__')),
    fc.anything(),
  ),
);

describe('any value', () => {
  it('becomes JSON that survives being written and read', () => {
    fc.assert(
      fc.property(anyThrown, bounds, (make, within) => {
        const { value } = toBoundedJson(make(), within, filter);
        expect(JSON.parse(JSON.stringify(value))).toEqual(value);
      }),
    );
  });

  it('does not change, and loses nothing more, when it is bounded again', () => {
    fc.assert(
      fc.property(anyJson, bounds, (raw, within) => {
        const { value } = toBoundedJson(raw, within, filter);
        expect(toBoundedJson(value, within, filter)).toEqual({ value, cut: 0 });
      }),
      { numRuns: runs(1000) },
    );
  });

  it('does not even change when its keys come in another order', () => {
    fc.assert(
      fc.property(anyJson, bounds, (raw, within) => {
        const reversed = reverseKeys(toBoundedJson(raw, within, filter).value);
        expect(toBoundedJson(reversed, within, filter)).toEqual({ value: reversed, cut: 0 });
      }),
      { numRuns: runs(1000) },
    );
  });

  it('stays what it is when it is JSON and fits', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as unknown;
        expect(toBoundedJson(plain, WIDE)).toEqual({ value: plain, cut: 0 });
      }),
    );
  });

  it('keeps within its bounds', () => {
    fc.assert(
      fc.property(anyJson, bounds, (raw, within) => {
        const { value } = toBoundedJson(raw, within, filter);
        // where not even one word fits, one word says so
        expect(measure(value).chars).toBeLessThanOrEqual(Math.max(within.maxChars, 5));
        expect(measure(value).nodes).toBeLessThanOrEqual(within.maxNodes);
        expect(measure(value).depth).toBeLessThanOrEqual(within.maxDepth);
      }),
    );
  });
});

describe('a value that JSON does not have', () => {
  it.each<[string, unknown, unknown]>([
    ['an infinite number', Infinity, 'Infinity'],
    ['a negative zero', -0, 0],
    ['a long integer', 12n, '12'],
    ['an endless integer', 1n << 1_000_000n, '[bigint]'],
    ['a function', () => 1, '[function]'],
    ['a symbol', Symbol('x'), '[symbol]'],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a map', new Map([['a', 1]]), { a: 1 }],
    ['a set', new Set([1, 2]), [1, 2]],
    ['bytes', new Uint8Array(5_000_000), '[5000000 bytes]'],
    ['a boxed string', Object('boxed'), 'boxed'],
    ['a list from toJSON', { toJSON: () => [1, 2] }, [1, 2]],
    [
      'an error',
      Object.assign(new TypeError('boom'), { code: 7 }),
      { name: 'TypeError', message: 'boom', code: 7 },
    ],
    ['undefined in a list', [undefined], [null]],
    ['undefined in an object', { a: undefined }, {}],
  ])('is replaced by a word: %s', (_, value, expected) => {
    expect(toBoundedJson(value, WIDE).value).toEqual(expected);
  });

  it('is cut where a cycle closes, and the rest stays', () => {
    const value: Record<string, unknown> = { a: 1 };
    value['self'] = value;
    expect(toBoundedJson(value, WIDE).value).toEqual({ a: 1, self: '[circular]' });
  });

  it('is not the same object twice', () => {
    const shared = { x: 1 };
    expect(toBoundedJson([shared, shared], WIDE).value).toEqual([{ x: 1 }, { x: 1 }]);
  });
});

describe('a key', () => {
  it.each(['password', 'OPENAI_API_KEY', 'x-goog-api-key', 'dbPassword', 'Set-Cookie', 'token'])(
    '%s hides its value, whatever that is',
    (key) => {
      const value = { [key]: 'plain', deep: { [key]: { a: ['b'] } }, list: [{ [key]: 12_345 }] };
      const { value: shown } = toBoundedJson(value, WIDE, filter);
      expect(shown).toEqual({
        [key]: REDACTED,
        deep: { [key]: REDACTED },
        list: [{ [key]: REDACTED }],
      });
    },
  );

  it.each(['tokens', 'nextPageToken', 'max_tokens', 'keyboard', 'secretary'])(
    '%s hides nothing',
    (key) => {
      expect(toBoundedJson({ [key]: 'x' }, WIDE, filter).value).toEqual({ [key]: 'x' });
    },
  );

  it('is shown even where its value is hidden, and an empty value is no secret', () => {
    const value = { password: null, secret: '', token: false };
    expect(toBoundedJson(value, WIDE, filter).value).toEqual(value);
  });
});

it('counts what it leaves out', () => {
  const within = { ...WIDE, maxNodes: 4 };
  expect(toBoundedJson([1, 2, 3, 4, 5], within)).toEqual({ value: [1, 2, 3], cut: 2 });
});

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([key, item]) => [key, reverseKeys(item)]));
}

interface Measure {
  readonly chars: number;
  readonly nodes: number;
  readonly depth: number;
}

function measure(value: unknown): Measure {
  if (typeof value !== 'object' || value === null) {
    return { chars: typeof value === 'string' ? value.length : 0, nodes: 1, depth: 0 };
  }
  const keys = Array.isArray(value) ? [] : Object.keys(value);
  const inner = Object.values(value).map(measure);
  return {
    chars: sum(keys.map((key) => key.length)) + sum(inner.map(({ chars }) => chars)),
    nodes: 1 + sum(inner.map(({ nodes }) => nodes)),
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
