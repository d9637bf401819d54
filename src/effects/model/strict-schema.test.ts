import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { isStrictSchema } from './strict-schema.ts';

const TEXT = { type: 'string' };
const closed = (properties: JsonObject, required = Object.keys(properties)): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

describe('a schema that leaves nothing open', () => {
  it.each<[string, JsonObject]>([
    ['all required, no others', closed({ a: TEXT })],
    ['nested', closed({ a: closed({ b: TEXT }) })],
    ['in a list', closed({ a: { type: 'array', items: closed({ b: TEXT }) } })],
    ['in a choice', closed({ a: { anyOf: [closed({ b: TEXT }), { type: 'null' }] } })],
    ['with a property called properties', closed({ properties: TEXT })],
    ['in definitions', { ...closed({ a: { $ref: '#/$defs/x' } }), $defs: { x: closed({}) } }],
  ])('is one: %s', (_name, schema) => {
    expect(isStrictSchema(schema)).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ['an optional property', closed({ a: TEXT, b: TEXT }, ['a'])],
    ['others allowed', { type: 'object', properties: { a: TEXT }, required: ['a'] }],
    ['any object', closed({ a: { type: 'object' } })],
    ['open in a list', closed({ a: { type: 'array', items: { type: 'object' } } })],
    ['open in a choice', closed({ a: { anyOf: [{ type: ['object', 'null'] }] } })],
    ['open in definitions', { ...closed({}), $defs: { x: { type: 'object' } } }],
  ])('is not one: %s', (_name, schema) => {
    expect(isStrictSchema(schema)).toBe(false);
  });
});
