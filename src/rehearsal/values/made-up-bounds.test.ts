/** Values for the schemas of others: what choices and lists multiply to is not searched to its end. */
import { expect, it } from 'vitest';
import { sample } from '../../effects/simulator/sample.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { madeUp } from './made-up.ts';

const nested = (depth: number, length: number): JsonObject =>
  depth === 0
    ? { type: 'string' }
    : { type: 'array', minItems: length, items: nested(depth - 1, length) };

const choices = (depth: number, width: number): JsonObject => {
  const steps = Array.from({ length: depth }, (_, at): [string, JsonObject] => [
    `d${at}`,
    { anyOf: Array.from({ length: width }, () => ({ $ref: `#/$defs/d${at + 1}` })) },
  ]);
  const $defs = { ...Object.fromEntries(steps), [`d${depth}`]: { type: 'string', enum: ['zzz'] } };
  return { $ref: '#/$defs/d0', $defs };
};

const field = (a: JsonObject): JsonObject => ({
  type: 'object',
  required: ['a'],
  properties: { a },
});

const HOSTILE: Readonly<Record<string, JsonObject>> = {
  'choices that multiply': choices(30, 3),
  'choices that multiply in a field': {
    ...field({ $ref: '#/$defs/d0' }),
    $defs: choices(30, 3)['$defs'] ?? {},
  },
  'lists in lists': nested(5, 50),
  'lists in lists in a field': field(nested(8, 10)),
  'unique lists in lists': { ...nested(5, 50), uniqueItems: true },
  'a list without end': field({
    type: 'array',
    minItems: 1e9,
    items: { type: 'string', minLength: 1e9 },
  }),
  'a list of lists without end': nested(3, 1e9),
  'a list of what multiplies': {
    type: 'array',
    minItems: 1000,
    items: { $ref: '#/$defs/d0' },
    $defs: choices(30, 3)['$defs'] ?? {},
  },
  'fields that multiply': Array.from({ length: 12 }).reduce<JsonObject>(
    (inner) => ({
      type: 'object',
      required: ['a', 'b', 'c'],
      properties: { a: inner, b: inner, c: inner },
    }),
    { type: 'integer', minimum: 3 },
  ),
  'a schema that holds itself': {
    type: 'object',
    required: ['a', 'b'],
    properties: { a: { $ref: '#' }, b: { $ref: '#' } },
  },
  'a reference that is no text': field({ $ref: '#/$defs/%E0%A4%A' }),
};

it.each(Object.entries(HOSTILE))('%s come to an end', (_, schema) => {
  const found = sample(schema);
  const made = madeUp(schema);
  for (const value of [found, made])
    expect(JSON.stringify(value)?.length ?? 0).toBeLessThan(10_000_000);
});

it('small lists in lists have their value', () => {
  expect(sample(nested(3, 5))).toEqual(madeUpOf(3, 5, 'simulated'));
  expect(sample(choices(5, 3))).toBe('zzz');
});

function madeUpOf(depth: number, length: number, leaf: string): unknown {
  if (depth === 0) return leaf;
  return Array.from({ length }, () => expect.anything());
}
