/** JSON Schema of somebody else's zod schema, for versions of zod that cannot tell it themselves. */
import { z } from 'zod';

/** Throws for what is no schema of zod 4. */
export function zodToJson(schema: unknown, io: 'input' | 'output'): object {
  // not checked: what is something else makes zod throw
  return z.toJSONSchema(schema as z.ZodType, { io, unrepresentable: 'any' });
}
