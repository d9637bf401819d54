/** Converts an application's zod schema to JSON Schema, for versions of zod that cannot do it themselves. */
import { z } from 'zod';

/** Throws for anything but a schema of zod 4. */
export function zodToJson(schema: unknown, io: 'input' | 'output'): object {
  // not checked here: zod throws for anything else
  return z.toJSONSchema(schema as z.ZodType, { io, unrepresentable: 'any' });
}
