import { z } from 'zod';
import { expectTypeOf } from 'vitest';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { tool, type ToolContext } from './define-tool.ts';

// `run` gets the output of zod, after defaults and transformations
tool({
  input: z.object({ id: z.string(), count: z.number().default(1), at: z.coerce.date() }),
  run: (input, context) => {
    expectTypeOf(input).toEqualTypeOf<{ id: string; count: number; at: Date }>();
    expectTypeOf(context).toEqualTypeOf<ToolContext>();
    expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
    return 1;
  },
});

// without a schema, and with JSON Schema, arguments are a JSON object
tool({ run: (input) => expectTypeOf(input).toEqualTypeOf<JsonObject>() });
tool({
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  run: (input) => expectTypeOf(input).toEqualTypeOf<JsonObject>(),
});

// the output fits the input of its schema
tool({ output: z.object({ id: z.string() }), run: () => ({ id: 'x' }) });
tool({ output: z.object({ id: z.string() }), run: async () => ({ id: 'x' }) });
tool({ output: z.object({ id: z.string().default('x') }), run: () => ({}) });
// @ts-expect-error a number is no text
tool({ output: z.object({ id: z.string() }), run: () => ({ id: 7 }) });

// a test may call `run` directly
const lookup = tool({ input: z.object({ id: z.string() }), run: ({ id }) => id.length });
expectTypeOf(lookup.run).parameter(0).toEqualTypeOf<{ id: string }>();

// @ts-expect-error a tool does something
tool({ description: 'nothing' });
// @ts-expect-error a schema is zod's or JSON
tool({ input: z.string, run: () => 1 });
