/** The values that simulated models give for a schema. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { playModel } from '../../src/effects/simulator/play-model.ts';
import { contextFor, reportOf } from '../../src/effects/effect-port.cases.ts';
import type { JsonObject, JsonValue } from '../../src/errors/support/safe-json.ts';
import { checkValue } from '../../src/workflow/json-schema/check-value.ts';

/** What a model without a script says to a call that wants this form. */
async function saidFor(outputSchema: JsonObject): Promise<JsonValue> {
  const call = { model: 'sim/any', messages: [], tools: [], ordinal: 0, outputSchema };
  const result = await playModel(call, contextFor());
  if (!result.ok) throw new Error(result.failure.message);
  return JSON.parse((result.output as { readonly text: string }).text) as JsonValue;
}

const text = fc
  .record({ minLength: fc.nat(30), extra: fc.nat(30), hasMax: fc.boolean() })
  .map(({ minLength, extra, hasMax }) => ({
    type: 'string',
    minLength,
    ...(hasMax ? { maxLength: minLength + extra } : {}),
  }));

const patterned = fc
  .constantFrom(
    '^[A-Z]{3}-\\d+$',
    '^(?:low|high)$',
    '^[^\\s@]+@[^\\s@]+\\.[a-z]{2,}$',
    '^v\\d+\\.\\d+(?:\\.\\d+)?$',
    '^\\+?[0-9]{7,15}$',
    '^#[0-9a-f]{6}$',
    String.raw`^\u{1f600}?[\]\-][^\]]\.\cA{2,3}?\b(?<=\x01)a|b$`,
    String.raw`^\p{Lu}\x62\u00e9[^\w-]?\/(?<rest>z){2}(?!y)$`,
  )
  .map((pattern) => ({ type: 'string', pattern }));

const formatted = fc
  .constantFrom(
    'date',
    'time',
    'date-time',
    'email',
    'uri',
    'uuid',
    'ipv4',
    'ipv6',
    'hostname',
    'duration',
  )
  .map((format) => ({ type: 'string', format }));

const number = fc
  .record({
    type: fc.constantFrom('number', 'integer'),
    low: fc.integer({ min: -50, max: 50 }),
    width: fc.integer({ min: 1, max: 40 }),
    isOpen: fc.boolean(),
  })
  .map(({ type, low, width, isOpen }) =>
    isOpen
      ? { type, exclusiveMinimum: low, exclusiveMaximum: low + width + 1 }
      : { type, minimum: low, maximum: low + width },
  );

const multiple = fc
  .record({
    multipleOf: fc.constantFrom(2, 5, 0.5, 7),
    minimum: fc.integer({ min: -100, max: 100 }),
  })
  .map((fields) => ({ type: 'number', ...fields }));

const choice = fc
  .uniqueArray(fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)), {
    minLength: 1,
    maxLength: 5,
  })
  .map((values) => ({ enum: values }));

const simple = fc.oneof(
  text,
  patterned,
  formatted,
  number,
  multiple,
  choice,
  fc.constantFrom({ type: 'boolean' }, { type: 'null' }, { const: { a: [1] } }, {}),
);

const name = fc.constantFrom('label', 'count', 'items', 'total', 'note', 'id');

const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    simple as fc.Arbitrary<JsonObject>,
    fc
      .record({
        properties: fc.dictionary(name, tie('schema'), { noNullPrototype: true, maxKeys: 4 }),
        keep: fc.boolean(),
        isClosed: fc.boolean(),
      })
      .map(({ properties, keep, isClosed }): JsonObject => ({
        type: 'object',
        properties,
        required: keep ? Object.keys(properties) : Object.keys(properties).slice(0, 1),
        ...(isClosed ? { additionalProperties: false } : {}),
      })),
    fc
      .record({ items: tie('schema'), minItems: fc.nat(4) })
      .map(({ items, minItems }): JsonObject => ({ type: 'array', items, minItems })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf): JsonObject => ({ anyOf })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((prefixItems): JsonObject => ({
      type: 'array',
      prefixItems,
      minItems: prefixItems.length,
    })),
  ),
}));

describe('the answer to a schema', () => {
  it('fits, whatever of the family the schema is', async () => {
    await fc.assert(
      fc.asyncProperty(schema, async (wanted) => {
        expect(checkValue(wanted, await saidFor(wanted))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('is the same every time', async () => {
    await fc.assert(
      fc.asyncProperty(schema, async (wanted) => {
        expect(await saidFor(structuredClone(wanted))).toEqual(await saidFor(wanted));
      }),
      { numRuns: 50 },
    );
  });

  const cases: readonly (readonly [string, JsonObject, JsonValue])[] = [
    ['the first of an enum', { enum: ['refund', 'bug'] }, 'refund'],
    ['an example', { type: 'string', examples: ['such'] }, 'such'],
    ['a default', { type: 'string', default: 'usual' }, 'usual'],
    ['the lowest number', { type: 'integer', minimum: 3 }, 3],
    ['a number between bounds', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
    [
      'only what is required',
      { type: 'object', properties: { a: { type: 'boolean' }, b: {} }, required: ['a'] },
      { a: false },
    ],
    [
      'the end of what refers to itself',
      {
        $ref: '#/$defs/node',
        $defs: {
          node: {
            type: 'object',
            properties: { next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
            required: ['next'],
          },
        },
      },
      { next: null },
    ],
    [
      'all of several parts',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { properties: { b: { multipleOf: 2.5, exclusiveMinimum: 4 } }, required: ['b'] },
        ],
      },
      { a: 'simulated', b: 5 },
    ],
    [
      'different ones',
      { type: 'array', items: { type: 'integer' }, minItems: 3, uniqueItems: true },
      [0, 1, 2],
    ],
    [
      'what a condition asks for',
      {
        type: 'object',
        properties: { x: { enum: ['a', 'b'] } },
        required: ['x'],
        if: { properties: { x: { const: 'a' } } },
        // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
        then: { required: ['y'] },
      },
      { x: 'a', y: null },
    ],
  ];

  it.each(cases)('is %s', async (_, wanted, expected) => {
    expect(checkValue(wanted, expected)).toEqual([]);
    expect(await saidFor(wanted)).toEqual(expected);
  });

  it.each<JsonObject>([
    { type: 'string', minLength: 5, maxLength: 2 },
    { type: 'string', pattern: '^((a{900}){900}){900}$' },
    { type: 'string', pattern: String.raw`^(a)\1$` },
    { $ref: '#/$defs/gone' },
  ])('is a failure that asks for a script where no value fits: %j', async (outputSchema) => {
    const call = { model: 'sim/any', messages: [], tools: [], ordinal: 0, outputSchema };
    expect(reportOf(await playModel(call, contextFor()))).toMatchObject({
      kind: 'agent.output_invalid',
      action: { kind: 'fix_file', detail: expect.stringContaining('`answer:`') },
    });
  });
});
