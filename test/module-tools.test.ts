import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../src/errors/support/safe-json.ts';
import { checkValue } from '../src/workflow/json-schema/check-value.ts';
import { openModuleBench, type Answer, type ModuleBench } from './module.cases.ts';

let bench: ModuleBench;
beforeEach(() => {
  bench = openModuleBench();
});
afterEach(() => bench.dispose());

/** One module, many calls of it. */
function call(
  text: string,
  ...orders: readonly { readonly [key: string]: JsonValue }[]
): readonly Answer[] {
  bench.install('zod');
  bench.write('m.ts', `import { raise, tool } from 'errand';\nimport { z } from 'zod';\n${text}`);
  return bench.obey(...orders.map((order) => ({ module: './m.ts', ...order })));
}

describe('a bad declaration', () => {
  const bad: readonly [string, string, RegExp, RegExp][] = [
    ['nothing', 'undefined', /`run` is not a function$/, /run: \(input, context\)/],
    ['no function', '{ run: 3 }', /`run` is not a function$/, /run: /],
    ['another name', '{ execute: go }', /tool\(\{…\}\) has no `execute`$/, /^Write `run`\.$/],
    ['a misspelt name', '{ run: go, raise: [] }', /has no `raise`$/, /^Write `raises`\.$/],
    ['an unknown name', '{ run: go, colour: 1 }', /has no `colour`$/, /^It may have description, /],
    [
      'a description that is no text',
      '{ run: go, description: 3 }',
      /`description` must be a text/,
      /Correct/,
    ],
    [
      'a flag that is none',
      `{ run: go, idempotent: 'yes' }`,
      /`idempotent` must be true or false/,
      /Correct/,
    ],
    [
      'a time that is none',
      '{ run: go, timeoutMs: 0 }',
      /`timeoutMs` must be a number of milliseconds/,
      /Correct/,
    ],
    ['an endless time', '{ run: go, timeoutMs: Infinity }', /`timeoutMs` must be/, /Correct/],
    [
      'a schema that is none',
      `{ run: go, input: 'string' }`,
      /`input` is not a schema$/,
      /zod schema/,
    ],
    [
      'a schema with a flaw',
      `{ run: go, input: { type: 'objekt' } }`,
      /`input` is not JSON Schema: \/type must be/,
      /zod/,
    ],
    [
      'a schema of names',
      `{ run: go, input: { id: { type: 'string' } } }`,
      /`input` has no keyword of JSON Schema, only id$/,
      /properties/,
    ],
    [
      'a schema that is not JSON',
      `{ run: go, output: { enum: [() => 1] } }`,
      /`output` is not JSON: \/enum\/0 is a function$/,
      /zod/,
    ],
    [
      'zod without an object',
      '{ run: go, input: { id: z.string() } }',
      /`input` is an object of schemas/,
      /z\.object/,
    ],
    [
      'arguments without names',
      '{ run: go, input: z.string() }',
      /`input` is a schema of type string, but arguments are an object$/,
      /by its name/,
    ],
    [
      'another library',
      `{ run: go, input: { '~standard': { version: 1, vendor: 'other', validate() {} } } }`,
      /is a schema of other, which gives no JSON Schema$/,
      /zod/,
    ],
    [
      'an old zod',
      `{ run: go, input: { '~standard': { version: 1, vendor: 'zod', validate() {} } } }`,
      /is a schema of zod 3, which/,
      /version 4/,
    ],
    [
      'a schema with traps',
      `{ run: go, input: new Proxy({}, { get() { throw 1; }, ownKeys() { throw 1; } }) }`,
      /`input` is not/,
      /zod/,
    ],
    [
      'a kind of the runtime',
      `{ run: go, raises: ['tool.failed'] }`,
      /`raises` has tool\.failed, which belongs to the runtime$/,
      /order\.missing/,
    ],
    ['no kind', `{ run: go, raises: ['Missing'] }`, /`raises` must be a list of kinds$/, /dotted/],
    ['no list of kinds', `{ run: go, raises: 'a.b' }`, /`raises` must be a list/, /dotted/],
    ['a retry that is none', '{ run: go, retry: 3 }', /`retry` must be an object$/, /\{max: 2\}/],
    [
      'a retry without an end',
      '{ run: go, retry: { max: Infinity } }',
      /`retry\.max` must be a whole number from 1 to 100$/,
      /after the first/,
    ],
    [
      'a retry in the file’s words',
      '{ run: go, retry: { max: 1, initial_seconds: 1 } }',
      /`retry` has no `initial_seconds`$/,
      /`initialSeconds`/,
    ],
    [
      'another backoff',
      `{ run: go, retry: { max: 1, backoff: 'often' } }`,
      /`backoff` must be one of none, fixed/,
      /Correct/,
    ],
    [
      'a wait below zero',
      '{ run: go, retry: { max: 1, initialSeconds: -1 } }',
      /`initialSeconds` must be/,
      /Correct/,
    ],
    [
      'a retry on nothing',
      '{ run: go, retry: { max: 1, on: [] } }',
      /`retry\.on` must be a list of kinds$/,
      /tool\.busy/,
    ],
    [
      'a retry on a misspelt kind',
      `{ run: go, retry: { max: 1, on: ['tool.failled'] } }`,
      /`retry\.on` has tool\.failled, which is not a kind/,
      /^Write tool\.failed\.$/,
    ],
  ];

  it('is refused when the module is loaded, with the name of its export', () => {
    bench.install('zod');
    const orders = bad.map(([, options], index) => {
      const text = `import { tool } from 'errand';\nimport { z } from 'zod';\nconst go = () => z;\nexport const lookup = tool(${options});`;
      bench.write(`m${index}.ts`, text.replace('(undefined)', '(undefined as never)'));
      return { load: `m${index}.ts` };
    });
    const answers = bench.obey(...orders);
    for (const [index, [what, , problem, advice]] of bad.entries()) {
      const error = answers[index]?.error;
      expect(error, what).toMatchObject({
        kind: 'extension.contract',
        message: expect.stringMatching(
          new RegExp(`^The tool lookup of the module m${index}\\.ts is declared wrongly: `),
        ),
      });
      expect(error?.message, what).toMatch(problem);
      expect(error?.action.detail, what).toMatch(advice);
    }
  });
});

describe('a throw', () => {
  it('is what it is known for, a raise, or a failure of which nothing is claimed', () => {
    const text = `
      class Gone extends Error { kind = 'order.gone'; details = { id: 1 }; }
      const ways = {
        raise: () => { throw raise('order.missing', 'No order', { id: 7 }); },
        own: () => { throw new Gone('gone'); },
        claim: () => { throw Object.assign(new Error('mine'), { kind: 'provider.auth' }); },
        sdk: () => { throw Object.assign(new Error('Rate limit'), { name: 'AI_APICallError', statusCode: 429,
          url: 'https://api.openai.com/v1/chat/completions', responseHeaders: { 'retry-after': '7' },
          responseBody: '{"error":{"type":"requests","code":"rate_limit_exceeded","message":"x"}}', isRetryable: true }); },
        bug: () => { throw new TypeError('x is not a function'); },
        string: () => { throw 'text'; },
        nothing: () => { throw undefined; },
      };
      export const plain = ({ way }) => ways[way]();
      export const declared = tool({ input: z.object({ way: z.string() }), run: async ({ way }) => ways[way as keyof typeof ways]() });
      export const early = tool({ input: z.object({ way: z.string().refine((way) => ways[way as keyof typeof ways]()) }), run: () => 1 });
    `;
    const ways = ['raise', 'own', 'claim', 'sdk', 'bug', 'string', 'nothing'];
    const kinds = (target: object): unknown[] =>
      call(text, ...ways.map((way) => ({ ...target, arguments: { way } }))).map(({ error }) => [
        error?.kind,
        error?.retryable,
      ]);
    const known = [
      ['order.missing', false],
      ['order.gone', false],
    ];
    const limited = ['provider.rate_limited', true];
    const failed = (kind: string): unknown[] => [
      ...known,
      [kind, null],
      limited,
      ...Array.from({ length: 3 }, () => [kind, null]),
    ];
    expect(kinds({ call: 'plain' })).toEqual(failed('call.failed'));
    bench.dispose();
    bench = openModuleBench();
    expect(kinds({ tool: 'declared' })).toEqual(failed('tool.failed'));
    bench.dispose();
    bench = openModuleBench();
    expect(kinds({ tool: 'early' })).toEqual(failed('tool.failed'));
  });
});

describe('time', () => {
  it('is the tool’s own or the node’s, whichever is shorter', () => {
    const text = `
      const polite = (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      export const quick = tool({ timeoutMs: 30, run: polite });
      export const slow = tool({ timeoutMs: 60_000, run: polite });
      export const plain = polite;
      export const deaf = tool({ timeoutMs: 30, run: () => new Promise(() => {}) });
      export const again = tool({ timeoutMs: 30, idempotent: true, run: () => new Promise(() => {}) });
      export const stuck = tool({ timeoutMs: 30, input: z.object({}).refine(() => new Promise(() => {})), run: () => 1 });
    `;
    const answers = call(
      text,
      { tool: 'quick' },
      { tool: 'quick', timeoutMs: 60_000 },
      { call: 'quick', timeoutMs: 60_000 },
      { tool: 'slow', timeoutMs: 30 },
      { call: 'plain', timeoutMs: 30 },
      { tool: 'deaf' },
      { tool: 'again' },
      { tool: 'stuck' },
    );
    expect(answers.map(({ error }) => [error?.kind, error?.outcome])).toEqual([
      ['tool.timeout', 'partial'],
      ['tool.timeout', 'partial'],
      ['tool.timeout', 'partial'],
      ['limit.node_timeout', 'partial'],
      ['limit.node_timeout', 'partial'],
      ['tool.timeout', 'unknown'],
      ['tool.timeout', 'partial'],
      ['tool.timeout', 'unknown'],
    ]);
  });
});

describe('a zod schema', () => {
  const TOOL = `
    const order = z.object({ id: z.string().min(2), count: z.number().int().default(1), at: z.coerce.date().optional() });
    export const keep = tool({
      input: order,
      output: z.object({ id: z.string(), count: z.number(), at: z.date().optional() }),
      run: ({ id, count, at }) => ({ id, count, at, extra: true }),
    });
    const { jsonSchema: _, ...standard } = order['~standard'];
    export const old = tool({ input: Object.create(order, { '~standard': { value: standard } }), run: ({ id }) => id });
  `;

  it('gives the tool its defaults and its own types, and takes out what it does not have', () => {
    const at = '2026-11-16T00:00:00.000Z';
    const [kept, whole] = call(
      TOOL,
      { tool: 'keep', arguments: { id: 'xy', odd: 1 } },
      { tool: 'keep', arguments: { id: 'xy', count: 3, at } },
    );
    expect(kept).toEqual({ output: { id: 'xy', count: 1 } });
    expect(whole).toEqual({ output: { id: 'xy', count: 3, at } });
  });

  it('says where it is broken', () => {
    const [bad] = call(TOOL, { tool: 'keep', arguments: { id: 'x', count: 'many' } });
    expect(bad?.error).toMatchObject({
      kind: 'tool.input_invalid',
      outcome: 'not_started',
      message: expect.stringMatching(
        /^The input of the tool keep does not have its declared shape: \/id is not valid: Too small: .* \(and 1 more\)$/,
      ),
      details: { findings: [{ pointer: '/id' }, { pointer: '/count' }] },
    });
  });

  it('is shown as JSON Schema, by itself or by ours where it is older', () => {
    const [description] = call(TOOL, { load: './m.ts' });
    const schema = {
      type: 'object',
      properties: {
        id: { type: 'string', minLength: 2 },
        count: { default: 1, type: 'integer' },
        at: {},
      },
      required: ['id'],
    };
    expect(description?.tools?.['keep']?.['inputSchema']).toMatchObject(schema);
    expect(description?.tools?.['old']?.['inputSchema']).toMatchObject(schema);
    expect(description?.tools?.['keep']?.['inputSchema']).not.toHaveProperty('$schema');
  });
});

describe('for any value', () => {
  const values = fc.sample(fc.jsonValue({ maxDepth: 3 }), { numRuns: 150, seed: 7 }) as JsonValue[];
  const near = fc.sample(
    fc.record(
      { id: fc.oneof(fc.string(), fc.nat()), n: fc.oneof(fc.integer(), fc.string()) },
      { requiredKeys: [] },
    ),
    { numRuns: 150, seed: 7 },
  ) as JsonObject[];
  const schema = {
    type: 'object',
    properties: { id: { type: 'string' }, n: { type: 'integer', minimum: 0 } },
    required: ['id'],
  };
  const zodSchema = z.object({ id: z.string(), n: z.int().min(0).optional() });
  const TOOLS = `
    const json = ${JSON.stringify(schema)};
    const zod = z.object({ id: z.string(), n: z.int().min(0).optional() });
    export const jsonIn = tool({ input: json, run: (input) => input });
    export const jsonOut = tool({ output: json, run: ({ value }) => value });
    export const zodIn = tool({ input: zod, run: (input) => input });
    export const zodOut = tool({ output: zod, run: ({ value }) => value as never });
  `;

  it('arguments are taken or refused as the schema says, and nothing runs that is refused', () => {
    const objects = [...near, ...values.filter((value) => isObject(value))] as JsonObject[];
    const orders = objects.flatMap((given) => [
      { tool: 'jsonIn', arguments: given },
      { tool: 'zodIn', arguments: given },
    ]);
    const answers = call(TOOLS, ...orders);
    for (const [index, given] of objects.entries()) {
      const [byJson, byZod] = answers.slice(2 * index, 2 * index + 2);
      const fits = checkValue(schema, given).length === 0;
      expect(byJson?.error?.kind, JSON.stringify(given)).toBe(
        fits ? undefined : 'tool.input_invalid',
      );
      const parsed = zodSchema.safeParse(given);
      expect(byZod?.error?.kind, JSON.stringify(given)).toBe(
        parsed.success ? undefined : 'tool.input_invalid',
      );
      if (fits) expect(byJson?.output).toEqual(given);
      else expect(byJson?.error?.outcome).toBe('not_started');
      if (parsed.success) expect(byZod?.output).toEqual(parsed.data);
    }
  });

  it('outputs are kept or refused as the schema says', () => {
    // JSON has no negative zero
    const all = JSON.parse(JSON.stringify([...near, ...values])) as JsonValue[];
    const orders = all.flatMap((value) => [
      { tool: 'jsonOut', arguments: { value } },
      { tool: 'zodOut', arguments: { value } },
    ]);
    const answers = call(TOOLS, ...orders);
    for (const [index, value] of all.entries()) {
      const [byJson, byZod] = answers.slice(2 * index, 2 * index + 2);
      const fits = checkValue(schema, value).length === 0;
      expect(byJson?.error?.kind, JSON.stringify(value)).toBe(
        fits ? undefined : 'tool.output_malformed',
      );
      // what there was of an output stays beside the failure
      expect(byJson?.output).toEqual(value);
      expect(byZod?.error?.kind, JSON.stringify(value)).toBe(
        zodSchema.safeParse(value).success ? undefined : 'tool.output_malformed',
      );
    }
  });
});

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
