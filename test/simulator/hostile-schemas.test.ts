/**
 * Schemas whose choices, items and lengths multiply. The work of making up a value is counted from outside, by the
 * reads of the schema, so that a search without an end fails here and does not hang.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { playModel } from '../../src/effects/simulator/play-model.ts';
import { contextFor } from '../../src/effects/effect-port.cases.ts';
import type { JsonObject, JsonValue } from '../../src/errors/support/safe-json.ts';
import { madeUp } from '../../src/rehearsal/values/made-up.ts';
import { checkValue } from '../../src/workflow/json-schema/check-value.ts';

/** Many times what a search within its steps takes. */
const MAX_READS = 20_000_000;
const MAX_CHARS = 10_000_000;

/** The same schema; more reads of it than `MAX_READS` throw. */
function counted(schema: JsonObject): JsonObject {
  let reads = 0;
  const known = new WeakMap<object, object>();
  const read = (): void => {
    reads++;
    if (reads > MAX_READS) throw new Error('The search for a value does not end');
  };
  const wrap = <T>(value: T): T => {
    if (typeof value !== 'object' || value === null) return value;
    const made = known.get(value) ?? new Proxy<object>(value, handler);
    known.set(value, made);
    // true: a proxy of it
    return made as T;
  };
  const handler: ProxyHandler<object> = {
    get: (target, key) => {
      read();
      return wrap(Reflect.get(target, key) as unknown);
    },
    getOwnPropertyDescriptor: (target, key) => {
      read();
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
  };
  return wrap(schema);
}

const size = fc.constantFrom(0, 1, 3, 50, 1000, 99_999, 1_000_000_000);
const choiceWord = fc.constantFrom('anyOf', 'oneOf', 'allOf');

const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ type: fc.constant('string'), minLength: size }),
  fc.record({ type: fc.constant('string'), pattern: fc.constantFrom('^(a|b)*c{900}$', '^z{9}$') }),
  fc.record({ type: fc.constant('number'), multipleOf: fc.constantFrom(7, 0.01), minimum: size }),
  fc.integer({ min: 1, max: 300 }).map((length) => ({
    enum: Array.from({ length }, (_, index) => `choice ${index}`),
  })),
  fc.constantFrom<JsonObject>(
    {},
    { not: {} },
    { $ref: '#' },
    { $ref: '#/$defs/d0' },
    { $ref: '#/$defs/%E0%A4%A' },
    { type: 'integer', minimum: 3, maximum: 2 },
  ),
);

const { schema: part } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 5 },
    leaf,
    fc
      .tuple(choiceWord, fc.array(tie('schema'), { minLength: 1, maxLength: 3 }))
      .map(([word, parts]): JsonObject => ({ [word]: parts })),
    fc
      .tuple(choiceWord, leaf, fc.integer({ min: 1, max: 20 }))
      .map(([word, one, length]): JsonObject => ({ [word]: Array.from({ length }, () => one) })),
    fc
      .record({ items: tie('schema'), minItems: size, uniqueItems: fc.boolean() })
      .map((fields): JsonObject => ({ type: 'array', ...fields })),
    fc
      .record({ inner: tie('schema'), minProperties: size, names: fc.integer({ min: 1, max: 5 }) })
      .map(({ inner, minProperties, names }): JsonObject => {
        const all = Array.from({ length: names }, (_, index) => `field_${index}`);
        return {
          type: 'object',
          minProperties,
          properties: Object.fromEntries(all.map((name) => [name, inner])),
          patternProperties: { '^(k|e)*y': inner },
        };
      }),
  ),
}));

/** A ladder of choices: the ways down it are `width ** rungs`. */
const ladder = fc
  .record({
    word: choiceWord,
    width: fc.integer({ min: 1, max: 4 }),
    rungs: fc.nat(40),
    end: leaf,
  })
  .map(({ word, width, rungs, end }): JsonObject => {
    const rung = (number: number): JsonObject => ({
      [word]: Array.from({ length: width }, () => ({ $ref: `#/$defs/d${number + 1}` })),
    });
    const all = Array.from({ length: rungs }, (_, number) => [`d${number}`, rung(number)] as const);
    return { ...Object.fromEntries(all), [`d${rungs}`]: end };
  });

const hostile = fc
  .record({ part, $defs: ladder, isLadder: fc.boolean() })
  .map(({ part, $defs, isLadder }): JsonObject => ({
    ...(isLadder ? { $ref: '#/$defs/d0' } : part),
    $defs,
  }));

async function replyFor(outputSchema: JsonObject): Promise<JsonValue | undefined> {
  const call = { model: 'sim/any', messages: [], tools: [], ordinal: 0, outputSchema };
  const result = await playModel(call, contextFor());
  if (result.ok) return JSON.parse((result.output as { readonly text: string }).text) as JsonValue;
  expect(result.failure).toMatchObject({ kind: 'agent.output_invalid' });
  return undefined;
}

const nested = (levels: number, minItems: number): JsonObject =>
  levels === 0
    ? { type: 'string' }
    : { type: 'array', minItems, items: nested(levels - 1, minItems) };

const rungs = Array.from({ length: 30 }, (_, number) => {
  const next = { $ref: `#/$defs/d${number + 1}` };
  return [`d${number}`, { anyOf: [next, next, next] }] as const;
});

const known: readonly (readonly [string, JsonObject])[] = [
  [
    'choices of choices',
    { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(rungs), d30: { enum: ['zzz'] } } },
  ],
  ['a long list', { type: 'array', minItems: 1_000_000_000, items: { type: 'integer' } }],
  ['a long text', { type: 'string', minLength: 1_000_000_000 }],
  ['lists of lists', nested(5, 50)],
  ['lists of lists of anything', { type: 'array', minItems: 1000, items: nested(2, 1000) }],
  ['many fields', { type: 'object', minProperties: 1_000_000_000 }],
  ['itself', { allOf: [{ $ref: '#' }, { $ref: '#' }] }],
];

describe('a schema whose choices multiply', () => {
  it.each(known)('ends the search of a simulated model: %s', async (_, schema) => {
    const said = await replyFor(counted(schema));
    if (said !== undefined) expect(checkValue(schema, said)).toEqual([]);
  });

  it.each(known)('ends the search of a rehearsal: %s', (_, schema) => {
    expect(JSON.stringify(madeUp(counted(schema))).length).toBeLessThan(MAX_CHARS);
  });

  it('gets a simulated reply that fits, or the word that none was found', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (schema) => {
        const said = await replyFor(counted(schema));
        if (said !== undefined) expect(checkValue(schema, said)).toEqual([]);
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });

  it('gets a made-up value that fits wherever a simulated model has one', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (schema) => {
        const made = madeUp(counted(schema));
        expect(JSON.stringify(made).length).toBeLessThan(MAX_CHARS);
        if (checkValue(schema, made).length > 0) expect(await replyFor(schema)).toBeUndefined();
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });
});
