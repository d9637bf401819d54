import { parseDocument } from 'yaml';
import { describe, expect, it } from 'vitest';
import { mutate, seeded, validFiles } from '../yaml/mutate.cases.ts';
import { seeds } from '../../../test/sampled.ts';
import { fileSchema } from './file-schema.ts';
import { choice, delay, either, json, list, literal, namedMap, strict, text } from './leaf.ts';
import { number, scalar, wholeNumber, type Schema } from './leaf.ts';
import { readValue } from './read-value.ts';
import { toZod } from './to-zod.ts';

const FILES = Object.values(validFiles().sources);
const SPOILED = seeds(3000, 'spoiled files for zod');

/** Values at and beyond the edges of every form. */
const ODD: readonly unknown[] = [
  [null, true, false, 0, -1, 1, 2, 2.5, 3, 1e300, 2 ** 53 + 2, -(2 ** 53) - 2, NaN, Infinity],
  ['', ' ', 'a', 'ab', 'reply', '5m', '0s', 'x y', '1'],
  [[], [1], ['a'], ['a', 2], [[]], {}, { a: 1 }, { a: 'x', b: 2 }, { 'x y': 'a' }, { 1: 'a' }],
  [JSON.parse('{"__proto__": "a"}')],
].flat();

const inner = strict('inner', 'A map.', { a: text('A.'), b: wholeNumber('B.', {}).optional() });

const SCHEMAS: Readonly<Record<string, Schema>> = {
  'a number': number('N.', { min: 0, max: 2 }),
  'a number above another': number('N.', { above: 0 }),
  'a whole number': wholeNumber('N.', { min: 1, max: 2 }),
  'a choice': choice('C.', ['a', 'ab']),
  'a literal': literal('L.', 'reply'),
  'a delay': delay('D.'),
  'a scalar': scalar('S.'),
  'a list': list('L.', text('T.'), 1),
  'a named map': namedMap('M.', text('T.')),
  'a strict map': inner,
  'a map that needs anything': strict('outer', 'O.', { a: json('A.') }),
  'alternatives that have one near': either('E.', 'e', [literal('L.', true), inner]),
  'alternatives inside each other': either('E.', 'e', [
    list('L.', either('E.', 'e', [text('T.'), inner]), 1),
    delay('D.'),
  ]),
  nullable: list('L.', text('T.')).nullable(),
};

interface Judged {
  /** As text, because the order of keys counts too. */
  readonly value?: string;
  readonly paths?: readonly string[];
}

function ours(schema: Schema, value: unknown): Judged {
  const read = readValue(schema, value);
  return read.ok
    ? { value: JSON.stringify(read.value) }
    : { paths: read.issues.map(({ code, path }) => place(code, path)) };
}

function zods(schema: Schema, value: unknown): Judged {
  const parsed = toZod(schema).safeParse(value);
  return parsed.success
    ? { value: JSON.stringify(parsed.data) }
    : { paths: parsed.error.issues.map(({ code, path }) => place(code, path)) };
}

function place(code: string, path: readonly PropertyKey[]): string {
  const isRange = code === 'too_small' || code === 'too_big';
  return `${isRange ? 'out_of_range' : code} ${path.map(String).join('/')}`;
}

/** zod measures an empty list in place of a text too, and so reports it twice. */
function once({ value, paths }: Judged): Judged {
  if (paths === undefined) return value === undefined ? {} : { value };
  const isSecond = (path: string): boolean =>
    path.startsWith('out_of_range') && paths.includes(path.replace('out_of_range', 'invalid_type'));
  return { paths: paths.filter((path) => !isSecond(path)) };
}

/** Undefined where an alias has no anchor, which only shows when the document is converted. */
function jsonOf(document: object): unknown {
  try {
    return JSON.parse(JSON.stringify(document));
  } catch (thrown) {
    if (thrown instanceof ReferenceError) return undefined;
    throw thrown;
  }
}

describe('a value', () => {
  it.each(Object.keys(SCHEMAS))('is read as by zod: %s', (name) => {
    const schema = SCHEMAS[name];
    if (schema === undefined) throw new Error(name);
    for (const value of ODD)
      expect([value, ours(schema, value)]).toEqual([value, once(zods(schema, value))]);
  });

  it(`is read as by zod in ${SPOILED.length} spoiled files`, { timeout: 600_000 }, () => {
    let accepted = 0;
    let refused = 0;
    for (const seed of SPOILED) {
      const text = mutate(FILES[seed % FILES.length] ?? '', seeded(50_000 + seed));
      const document = parseDocument(text, { logLevel: 'silent', stringKeys: true });
      if (document.errors.length > 0 || document.warnings.length > 0) continue;
      const value = jsonOf(document);
      if (value === undefined) continue;
      const judged = ours(fileSchema, value);
      expect([seed, judged]).toEqual([seed, once(zods(fileSchema, value))]);
      if (judged.paths === undefined) accepted++;
      else refused++;
    }
    expect(accepted).toBeGreaterThan(SPOILED.length * 0.02);
    expect(refused).toBeGreaterThan(SPOILED.length * 0.05);
  });
});
