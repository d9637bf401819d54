/**
 * The report as a zod schema: for JSON Schema, for servers and for tests. Not loaded by the core,
 * because loading zod takes longer than everything else together; the types are held equal below,
 * and a property test holds `fields.ts` to it.
 */
import { z } from 'zod';
import type { JsonObject } from './json.ts';
import { KIND_PATTERN, MAX_KIND_CHARS } from './kinds.ts';
import { REPORT_VERSION, type ErrorReport } from './report.ts';
import { ACTION_KINDS, CATEGORIES, DOMAINS, ERROR_CLASSES, OUTCOMES } from './vocabulary.ts';

const count = z.number().min(0);
const kind = z.string().max(MAX_KIND_CHARS).regex(KIND_PATTERN);
const frame = { workflow: z.string(), node: z.string(), path: z.string() };

export const reportSchema: z.ZodType<ErrorReport> = z.strictObject({
  v: z.literal(REPORT_VERSION),
  id: z.string().min(1).describe('Correlation id; the internal record has the same.'),
  kind: kind.describe('What code and routes match on.'),
  class: z.enum(ERROR_CLASSES),
  category: z.enum(CATEGORIES).describe('What would make it go away.'),
  domain: z.enum(DOMAINS).describe('Whose side it is on.'),
  retryable: z.boolean().nullable().describe('Null: nobody knows.'),
  outcome: z.enum(OUTCOMES).describe('What is known of the work that failed.'),
  message: z.string().max(2000),
  title: z.string(),
  details: z.custom<JsonObject>(isObject).optional(),
  action: z.strictObject({ kind: z.enum(ACTION_KINDS), detail: z.string() }),
  location: z
    .strictObject({ ...frame, file: z.string(), pointer: z.string(), line: count, column: count })
    .partial()
    .exactOptional(),
  frames: z.array(z.strictObject(frame).partial()).exactOptional(),
  attempt: z.strictObject({ number: count, max: count.exactOptional() }).exactOptional(),
  attempts: z
    .array(
      z.strictObject({
        number: count,
        kind,
        message: z.string().exactOptional(),
        target: z.string().exactOptional(),
        at: z.string().exactOptional(),
        waitedMs: count.exactOptional(),
        costUsdMicros: count.exactOptional(),
      }),
    )
    .exactOptional(),
  provider: z
    .strictObject({
      name: z.string(),
      model: z.string(),
      status: count,
      code: z.string(),
      type: z.string(),
      requestId: z.string(),
      retryAfterMs: count,
      limit: z.string(),
    })
    .partial()
    .exactOptional(),
  rule: z
    .strictObject({
      id: z.string(),
      evidence: z.array(z.string()),
      confidence: z.enum(['high', 'low']),
    })
    .exactOptional(),
  undeclared: z.boolean().exactOptional(),
  get cause() {
    return reportSchema.optional();
  },
  at: z.string().min(1),
  cut: z
    .strictObject({
      messageChars: count,
      details: count,
      attempts: count,
      frames: count,
      causes: count,
    })
    .partial()
    .exactOptional(),
}) as never;

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
