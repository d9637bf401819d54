import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import { checkSchema, checkValue, MAX_FINDINGS } from './check-value.ts';
import { expectLinear } from '../../../test/own-time.ts';
import { runs } from '../../../test/runs.ts';

function findingsOf(schema: JsonObject, value: JsonValue): readonly string[] {
  return checkValue(schema, value).map(({ of, pointer, message }) => `${of} ${pointer} ${message}`);
}

/** Built from a list, because an object literal with a `then` resembles a promise. */
function conditional(...schemas: readonly JsonObject[]): JsonObject {
  const words = 'if then else'.split(' ');
  return Object.fromEntries(words.map((word, index) => [word, schemas[index] ?? {}]));
}

const ORDER: JsonObject = {
  type: 'object',
  properties: {
    id: { type: 'string', minLength: 2, pattern: '^o' },
    lines: { type: 'array', items: { $ref: '#/$defs/line' }, minItems: 1 },
    state: { enum: ['open', 'paid'] },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  required: ['id', 'lines'],
  additionalProperties: false,
  $defs: {
    line: {
      type: 'object',
      properties: { count: { type: 'integer', minimum: 1 } },
      required: ['count'],
    },
  },
};

describe('a value', () => {
  it('that fits has no findings', () => {
    expect(
      findingsOf(ORDER, { id: 'o1', lines: [{ count: 1 }], state: 'paid', note: null }),
    ).toEqual([]);
    expect(findingsOf({}, 'anything')).toEqual([]);
  });

  it('is checked at every depth, and each finding has a pointer and the requirement', () => {
    const value = {
      id: 'x',
      lines: [{ count: 1 }, { count: 0.5 }, {}, 7],
      state: 'lost',
      note: 3,
      more: 1,
    };
    expect(findingsOf(ORDER, value)).toEqual([
      'value /id must have at least 2 characters',
      'value /id must match the pattern of its schema',
      'value /lines/1/count must be an integer',
      'value /lines/1/count must be at least 1',
      'value /lines/2 must have the property "count"',
      'value /lines/3 must be an object',
      'value /state must be one of ["open","paid"]',
      'value /note must match one of the shapes that its schema allows',
      'value /more must not exist',
    ]);
  });

  const wanted: readonly [JsonObject, JsonValue, string][] = [
    [{ type: ['string', 'null'] }, 1, ' must be a string or null'],
    [{ const: { a: 1 } }, 1, ' must be {"a":1}'],
    [{ minimum: 3 }, 1, ' must be at least 3'],
    [{ maximum: 3 }, 4, ' must be at most 3'],
    [{ exclusiveMinimum: 3 }, 3, ' must be above 3'],
    [{ minimum: 3, exclusiveMinimum: true }, 3, ' must be above 3'],
    [{ maximum: 3, exclusiveMaximum: true }, 3, ' must be below 3'],
    [{ minimum: 3, exclusiveMinimum: false }, 2, ' must be at least 3'],
    [{ exclusiveMaximum: 3.5 }, 4, ' must be below 3.5'],
    [{ multipleOf: 0.1 }, 0.25, ' must be a multiple of 0.1'],
    [{ maxLength: 1 }, '😀a', ' must have at most 1 characters'],
    [{ format: 'email' }, 'x', ' must have the format email'],
    [{ maxItems: 1 }, [1, 2], ' must have at most 1 items'],
    [{ uniqueItems: true }, [1, 1], ' must not have the same item twice'],
    [{ contains: { type: 'string' } }, [1], ' must have an item that matches `contains`'],
    [
      { contains: { type: 'string' }, minContains: 2 },
      ['a', 1],
      ' must have at least 2 items that match `contains`',
    ],
    [
      { contains: { type: 'string' }, maxContains: 1 },
      ['a', 'b'],
      ' must have at most 1 items that match `contains`',
    ],
    [{ minProperties: 1 }, {}, ' must have at least 1 properties'],
    [{ maxProperties: 0 }, { a: 1 }, ' must have at most 0 properties'],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, ' must not have a property of that name'],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, ' must have the property "b"'],
    [{ not: { type: 'null' } }, null, ' must not match what its schema excludes'],
    [
      { oneOf: [{ type: 'number' }, { type: 'integer' }] },
      1,
      ' must match exactly one shape, but matches 2',
    ],
    [
      { oneOf: [{ type: 'number' }, { type: 'integer' }] },
      'x',
      ' must match one of the shapes that its schema allows',
    ],
    [JSON.parse('{"if":{"type":"number"},"then":{"minimum":3}}'), 1, ' must be at least 3'],
    [{ allOf: [{ minimum: 3 }] }, 1, ' must be at least 3'],
    [{ properties: { 'a b/c~%': { type: 'null' } } }, { 'a b/c~%': 1 }, '/a b~1c~0% must be null'],
    [{ prefixItems: [{ type: 'string' }], items: false }, ['a', 1], '/1 must not exist'],
    [
      { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] },
      [1],
      '/0 must be a string',
    ],
  ];
  it.each(wanted)('%j of %j', (schema, value, expected) => {
    expect(findingsOf(schema, value)).toEqual([`value ${expected}`]);
  });

  it('is never quoted', () => {
    const secret = 31_415_926_535;
    const schemas: JsonObject[] = [
      { minimum: 1e12 },
      { maximum: 0 },
      { multipleOf: 2 },
      { type: 'string' },
      { enum: [1] },
      { const: 1 },
      { not: {} },
    ];
    for (const schema of schemas)
      expect(JSON.stringify(checkValue(schema, secret))).not.toContain('31415');
  });

  it('has a bounded number of findings, however large it is', () => {
    const schema = { items: { type: 'string' } };
    const numbers = (length: number): number[] => Array.from({ length }, (_, index) => index);
    expect(checkValue(schema, numbers(1000))).toHaveLength(MAX_FINDINGS);
    expect(checkValue(schema, numbers(500_000)).length).toBeGreaterThan(0);
    expectLinear((length) => checkValue(schema, numbers(length)), 500_000);
  });

  it('may have names that are not well-formed text', () => {
    expect(findingsOf({ additionalProperties: { type: 'number' } }, { '\ud800': 1 })).toEqual([]);
    expect(findingsOf({ additionalProperties: false }, { '\ud800': 1 })).toEqual([
      'value /\ufffd must not exist',
    ]);
  });

  it.each<[JsonObject, JsonValue, readonly string[]]>([
    [{ properties: { a: {} } }, { a: 1, b: 2 }, ['/b must not exist']],
    [
      { allOf: [{ properties: { a: {} } }, { patternProperties: { '^b': {} } }] },
      { a: 1, b: 2 },
      [],
    ],
    [{ anyOf: [{ required: ['z'], properties: { a: {} } }, {}] }, { a: 1 }, ['/a must not exist']],
    [{ oneOf: [{ required: ['a'], properties: { a: {} } }, false] }, { a: 1 }, []],
    [{ not: { not: { properties: { a: {} } } } }, { a: 1 }, ['/a must not exist']],
    [{ if: { properties: { a: { const: 1 } } }, else: {} }, { a: 1 }, []],
    [{ if: { properties: { a: { const: 1 } } }, else: {} }, { a: 2 }, ['/a must not exist']],
    [{ $ref: '#/$defs/x', $defs: { x: { additionalProperties: {} } } }, { a: 1 }, []],
    [{ dependentSchemas: { a: { properties: { a: {}, b: {} } } } }, { a: 1, b: 1 }, []],
    [{ prefixItems: [{}] }, [1, 2], ['/1 must not exist']],
    [{ contains: { type: 'string' } }, ['a', 1], ['/1 must not exist']],
    [{ allOf: [{ items: {} }] }, [1, 2], []],
  ])('%j and %j have no other findings', (schema, value, wanted) => {
    const rest = { unevaluatedProperties: false, unevaluatedItems: false };
    expect(findingsOf({ ...schema, ...rest }, value)).toEqual(
      wanted.map((words) => `value ${words}`),
    );
    // a surrounding schema does not count
    if (wanted.length === 0)
      expect(findingsOf({ ...schema, allOf: [rest] }, value).length).toBeGreaterThan(0);
  });

  it('is judged as by another validator', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
    const leaf = fc.oneof(
      fc.record({
        type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object'),
      }),
      fc.record({ enum: fc.array(fc.constantFrom(0, 1, 'a', null, true), { minLength: 1 }) }),
      fc.record({ minimum: fc.integer({ min: -2, max: 2 }) }),
      fc.record({ minLength: fc.nat(2) }),
      fc.record({ pattern: fc.constantFrom('^a', 'b?c$', '^(a|ab)*$', '(?=.*b)a', '.', '^$') }),
      fc.record({ const: fc.constantFrom<JsonValue>(1, 'a', { a: 1, b: [0] }, [1, 'a']) }),
      fc.record({ multipleOf: fc.constantFrom(0.5, 2, 0.1) }),
      fc.record({ $ref: fc.constantFrom('#/$defs/one', '#two') }),
    );
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        leaf as fc.Arbitrary<JsonObject>,
        fc.record({
          properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')),
          required: fc.subarray(['a', 'b']),
        }) as fc.Arbitrary<JsonObject>,
        fc.record({ items: tie('schema'), maxItems: fc.nat(3) }) as fc.Arbitrary<JsonObject>,
        fc.record({
          anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        }) as fc.Arbitrary<JsonObject>,
        fc.record({ not: tie('schema') }) as fc.Arbitrary<JsonObject>,
        fc.record({
          additionalProperties: fc.boolean(),
          properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')),
        }) as fc.Arbitrary<JsonObject>,
        fc.record({
          patternProperties: fc.dictionary(fc.constantFrom('^a$', '[bc]'), tie('schema')),
          additionalProperties: tie('schema'),
        }) as fc.Arbitrary<JsonObject>,
        fc.record({
          allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        }) as fc.Arbitrary<JsonObject>,
        fc.record({
          oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
        }) as fc.Arbitrary<JsonObject>,
        fc
          .tuple(tie('schema'), tie('schema'), tie('schema'))
          .map(([condition, then, other]) => conditional(condition, then, other)),
        fc.record({
          contains: tie('schema'),
          minContains: fc.integer({ min: 1, max: 2 }),
          maxContains: fc.integer({ min: 2, max: 3 }),
          uniqueItems: fc.boolean(),
        }) as fc.Arbitrary<JsonObject>,
        fc.record({
          prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
          items: tie('schema'),
          minItems: fc.nat(2),
        }) as fc.Arbitrary<JsonObject>,
        fc.record({
          dependentRequired: fc.dictionary(fc.constantFrom('a', 'b'), fc.subarray(['b', 'c'])),
          dependentSchemas: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')),
          propertyNames: tie('schema'),
          minProperties: fc.nat(2),
          maxProperties: fc.integer({ min: 2, max: 4 }),
        }) as fc.Arbitrary<JsonObject>,
      ),
    }));
    const item = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<JsonValue>(0, 1, -3, 0.5, 'a', 'abc', null, true),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')),
      ),
    })).value;
    fc.assert(
      fc.property(schema, item, (top, made) => {
        // the other validator treats an object without a prototype differently
        const value = JSON.parse(JSON.stringify(made)) as JsonValue;
        const two = { $anchor: 'two', items: { $ref: '#/$defs/one' }, maxItems: 1 };
        const shape = { allOf: [top], $defs: { one: { type: ['string', 'object'] }, two } };
        expect(checkValue(shape, value).length === 0).toBe(ajv.compile(shape)(value));
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('a schema', () => {
  const bad: readonly [JsonObject, string][] = [
    [
      { type: 'strin' },
      '/type must be one or more of array, boolean, integer, null, number, object, string',
    ],
    [
      { type: [] },
      '/type must be one or more of array, boolean, integer, null, number, object, string',
    ],
    [{ properties: 5 }, '/properties must be an object of schemas'],
    [{ properties: { a: 'string' } }, '/properties/a must be a schema: an object, true or false'],
    [{ required: 'id' }, '/required must be a list of names'],
    [{ items: { pattern: '(' } }, '/items/pattern must be a regular expression'],
    [
      { patternProperties: { '(': {} } },
      '/patternProperties must have regular expressions as names',
    ],
    [{ anyOf: {} }, '/anyOf must be a list of schemas'],
    [{ anyOf: [1] }, '/anyOf/0 must be a schema: an object, true or false'],
    [
      { additionalProperties: 'no' },
      '/additionalProperties must be a schema: an object, true or false',
    ],
    [{ minimum: '3' }, '/minimum must be a number'],
    [{ minLength: -1 }, '/minLength must be a whole number from 0'],
    [{ multipleOf: 0 }, '/multipleOf must be a number above 0'],
    [{ enum: 'a' }, '/enum must be a list'],
    [
      { properties: { a: { $ref: '#/$defs/nope' } } },
      '/properties/a/$ref refers to a schema that does not exist',
    ],
    [{ $ref: 'https://example.com/other.json' }, '/$ref refers to a schema that does not exist'],
  ];
  it.each(bad)('%j is a finding of its own', (schema, message) => {
    const findings = checkSchema(schema);
    expect(findings.map((found) => `${found.pointer} ${found.message}`)).toEqual([message]);
    expect(findings[0]?.of).toBe('schema');
    expect(checkValue(schema, {})).toEqual(findings);
  });

  it('that refers to itself endlessly is a finding, and one that can end is not', () => {
    expect(checkValue({ $ref: '#' }, 1)).toMatchObject([{ of: 'schema' }]);
    const tree: JsonObject = { properties: { next: { $ref: '#' }, n: { type: 'number' } } };
    expect(findingsOf(tree, { next: { next: { n: 'x' } } })).toEqual([
      'value /next/next/n must be a number',
    ]);
  });

  it('names the patterns that cannot be used', () => {
    expect(checkSchema({ items: { pattern: '(a)\\1' } })).toEqual([
      {
        of: 'schema',
        pointer: '/items/pattern',
        message: 'must not contain back references',
      },
    ]);
    expect(checkSchema({ patternProperties: { '^(a)\\1$': {} } })).toMatchObject([
      {
        pointer: '/patternProperties',
        message: expect.stringContaining('must not contain back references'),
      },
    ]);
  });

  it('resolves references by pointer, anchor and address', () => {
    const parts: JsonObject = {
      $id: 'https://example.com/all/root.json',
      $defs: {
        'a b': { type: 'string' },
        named: { $anchor: 'name', type: 'number' },
        other: {
          $id: '../other.json',
          $defs: { own: { type: 'boolean' } },
          items: { $ref: '#/$defs/own' },
        },
      },
      anywhere: { deep: [{ type: 'null' }] },
    };
    const at = (reference: string): readonly string[] =>
      findingsOf({ ...parts, $ref: reference }, [1]);
    expect(at('#/$defs/a%20b')).toEqual(['value  must be a string']);
    expect(at('#name')).toEqual(['value  must be a number']);
    expect(at('root.json#/anywhere/deep/0')).toEqual(['value  must be null']);
    expect(at('https://example.com/other.json')).toEqual(['value /0 must be a boolean']);
    expect(at('/other.json#/$defs/own')).toEqual(['value  must be a boolean']);
    expect(at('missing.json')).toEqual(['schema /$ref refers to a schema that does not exist']);
  });

  it('is not changed, and may be frozen', () => {
    const schema = Object.freeze({
      properties: Object.freeze({ a: Object.freeze({ type: 'string' }) }),
    });
    expect(findingsOf(schema, { a: 1 })).toEqual(['value /a must be a string']);
    expect(JSON.stringify(schema)).toBe('{"properties":{"a":{"type":"string"}}}');
  });

  it('of any kind never throws, for any value', () => {
    const keyword = fc.constantFrom(
      'type',
      'properties',
      'items',
      'anyOf',
      '$ref',
      'enum',
      'required',
      'not',
      'pattern',
      '$id',
      'if',
      'then',
      'minLength',
      'dependencies',
      'contains',
      '$anchor',
      '$schema',
    );
    fc.assert(
      fc.property(fc.dictionary(keyword, fc.jsonValue()), fc.jsonValue(), (schema, value) => {
        const findings = checkValue(schema as JsonObject, value as JsonValue);
        expect(findings.length).toBeLessThanOrEqual(MAX_FINDINGS);
      }),
      { numRuns: runs(1000) },
    );
  });
});

describe('a check that is built to never end', () => {
  const letters = (count: number): string => `${'a'.repeat(count)}!`;

  it.each(['^([a-z]+)+$', '^(a|aa)+$', '(.*)*=(.*)*$', '^(?=(a+)+b)'])(
    'by the pattern %s is over, and right',
    (pattern) => {
      expect(findingsOf({ pattern }, letters(60))).toEqual([
        'value  must match the pattern of its schema',
      ]);
      expect(findingsOf({ pattern }, letters(200_000))).toHaveLength(1);
      expect(
        findingsOf(
          { patternProperties: { [pattern]: false } },
          { [letters(60)]: 1, [letters(61)]: 1 },
        ),
      ).toEqual([]);
      expect(findingsOf({ propertyNames: { pattern } }, { [letters(60)]: 1 })).toHaveLength(1);
    },
  );

  it.each(['url', 'uri', 'uri-reference', 'uri-template', 'email', 'hostname', 'ipv6', 'duration'])(
    'by a text for the format %s is over, and right',
    (format) => {
      for (const text of [
        `http://${letters(50_000)}`,
        `${'a.'.repeat(50_000)}!`,
        `${'{a,'.repeat(20_000)}`,
        `${'1:'.repeat(50_000)}`,
        `P${'1'.repeat(50_000)}`,
        `"${'\\a'.repeat(30_000)}@`,
      ])
        expect(checkValue({ format }, text).every(({ of }) => of === 'value')).toBe(true);
    },
  );

  it('by comparing each item with each grows with the items alone', () => {
    const items = Array.from({ length: 100_000 }, (_, id) => ({ id, at: [id] }));
    expect(findingsOf({ uniqueItems: true }, items)).toEqual([]);
    expect(findingsOf({ uniqueItems: true }, [...items, { at: [7], id: 7 }])).toEqual([
      'value  must not have the same item twice',
    ]);
  });

  it.each(['allOf', 'anyOf', 'oneOf'])('by references that multiply under %s ends', (keyword) => {
    const $defs: Record<string, JsonObject> = { d0: { type: 'string' } };
    for (let level = 1; level <= 40; level++) {
      const below = { $ref: `#/$defs/d${level - 1}` };
      $defs[`d${level}`] = { [keyword]: [below, below, below] };
    }
    const [finding] = checkValue({ $ref: '#/$defs/d40', $defs }, keyword === 'allOf' ? 'x' : 1);
    expect(finding).toMatchObject({
      of: 'schema',
      message: expect.stringContaining('takes too many steps'),
    });
  });

  it('by addresses inside of addresses ends', () => {
    let schema: JsonObject = { $id: 'https://example.com/0', type: 'string' };
    for (let level = 1; level <= 60; level++)
      schema = { $id: `https://example.com/${level}`, items: schema };
    expect(findingsOf(schema, [[1]])).toEqual([]);
    expect(checkSchema(schema)).toEqual([]);
  });

  it('by a property for each of many objects ends', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`p${index}`, { type: 'string' }]),
    );
    const value = Array.from({ length: 20_000 }, () => ({}));
    expect(checkValue({ items: { properties } }, value)).toMatchObject([{ of: 'schema' }]);
  });

  it('by its depth ends, and a depth that outputs may have is allowed', () => {
    const nested = (depth: number): JsonValue =>
      JSON.parse(`${'{"next":'.repeat(depth)}1${'}'.repeat(depth)}`);
    const tree: JsonObject = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          allOf: [{ properties: { next: { $ref: '#/$defs/node' } } }],
          not: { type: 'null' },
        },
      },
    };
    expect(findingsOf(tree, nested(500))).toEqual([]);
    expect(checkValue({ $ref: '#' }, nested(1))).toMatchObject([{ of: 'schema' }]);
  });

  it('of any pattern at any text ends', () => {
    const piece = fc.constantFrom(
      'a',
      '.',
      '[^b]',
      '(',
      ')',
      '|',
      '*',
      '+',
      '?',
      '{2,}',
      '(?!',
      '$',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), fc.nat(2000), (pieces, count) => {
        const findings = checkValue({ pattern: pieces.join('') }, letters(count));
        expect(findings.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: runs(500) },
    );
  });
});
