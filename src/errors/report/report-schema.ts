/**
 * The report as a zod schema: for JSON Schema, for servers and for tests. Not loaded by the core,
 * because loading zod takes longer than everything else together; a type test holds it equal to
 * `ErrorReport`, and property tests hold it to what is built, read and written.
 */
import { z } from 'zod';
import * as bounds from './report-limits.ts';
import { TIME_PATTERN } from './fields.ts';
import type { JsonObject } from '../support/safe-json.ts';
import { KIND_PATTERN, MAX_KIND_CHARS } from '../catalog/kinds.ts';
import { REPORT_VERSION, type ErrorReport } from './report.ts';
import {
  ACTION_KINDS,
  CATEGORIES,
  DOMAINS,
  ERROR_CLASSES,
  OUTCOMES,
} from '../catalog/vocabulary.ts';

const count = z.number().min(0);
const word = z.string().max(bounds.MAX_WORD_CHARS);
const time = z.string().regex(TIME_PATTERN).describe('ISO 8601.');
const kind = z.string().max(MAX_KIND_CHARS).regex(KIND_PATTERN);
const frame = { workflow: word, node: word, path: word };

/** An object of which every member may be missing, but not all. */
function someOf<T extends z.ZodRawShape>(shape: T): z.ZodObject<Optional<T>, z.core.$strict> {
  const optional = Object.entries(shape).map(([name, type]) => [name, z.exactOptional(type)]);
  return (
    z
      // the names are those of the shape
      .strictObject(Object.fromEntries(optional) as Optional<T>)
      .refine((value) => Object.keys(value).length > 0)
      .meta({ minProperties: 1 })
  );
}

type Optional<T extends z.ZodRawShape> = { -readonly [K in keyof T]: z.ZodExactOptional<T[K]> };

const attempt = z.strictObject({
  number: count.describe('Counts from 1.'),
  kind,
  message: word.exactOptional(),
  target: word.exactOptional(),
  at: time.exactOptional(),
  waitedMs: count.exactOptional(),
  inputTokens: count.exactOptional(),
  outputTokens: count.exactOptional(),
  costUsdMicros: count.exactOptional(),
});

const rule = z.strictObject({
  id: word,
  evidence: z.array(word).max(bounds.MAX_EVIDENCE),
  confidence: z.enum(['high', 'low']).describe('Low when only prose supports it.'),
});

const location = { ...frame, file: word, pointer: word, line: count, column: count };

const provider = {
  name: word,
  model: word,
  status: count,
  code: word,
  type: word,
  requestId: word,
  retryAfterMs: count,
  limit: word,
};

const cut = {
  messageChars: count,
  details: count,
  attempts: count,
  frames: count,
  causes: count,
};

const details = z
  .custom<JsonObject>((value) => typeof value === 'object' && value !== null && hasMembers(value))
  .meta({ type: 'object', minProperties: 1 });

const reportObject = z.strictObject({
  v: z.literal(REPORT_VERSION),
  id: word.min(1).describe('The correlation id; the internal record has the same.'),
  kind: kind.describe('What code and routes match on.'),
  class: z.enum(ERROR_CLASSES).describe('Who owns the next move by default.'),
  category: z.enum(CATEGORIES).describe('What would make it go away.'),
  domain: z.enum(DOMAINS).describe('On which side it is.'),
  retryable: z.boolean().nullable().describe('Null: not known.'),
  outcome: z.enum(OUTCOMES).describe('How much of the work was done.'),
  message: z.string().min(1).max(bounds.MAX_MESSAGE_CHARS).describe('Safe for a person.'),
  title: word.describe('The same for every failure of the kind.'),
  details: details.exactOptional(),
  action: z.strictObject({
    kind: z.enum(ACTION_KINDS),
    detail: z.string().max(bounds.MAX_ACTION_CHARS),
  }),
  location: someOf(location).exactOptional(),
  frames: z
    .array(someOf(frame))
    .min(1)
    .max(bounds.MAX_FRAMES)
    .exactOptional()
    .describe('Where it was raised, then each boundary it crossed.'),
  attempt: z.strictObject({ number: count, max: count.exactOptional() }).exactOptional(),
  attempts: z.array(attempt).min(1).max(bounds.MAX_ATTEMPTS).exactOptional(),
  provider: someOf(provider).exactOptional(),
  rule: rule.exactOptional(),
  undeclared: z
    .boolean()
    .exactOptional()
    .describe('True when the node has `raises` and it does not list this kind.'),
  get cause(): z.ZodExactOptional<z.ZodType<ErrorReport, ErrorReport>> {
    return z.exactOptional(reportSchema);
  },
  at: time,
  cut: someOf(cut).exactOptional().describe('What had to be left out to stay within bounds.'),
});

export const reportSchema: z.ZodType<ErrorReport, ErrorReport> = reportObject;

/** For the type test, which compares it with `ErrorReport`. */
export type InferredReport = z.infer<typeof reportObject>;

function hasMembers(value: object): boolean {
  return !Array.isArray(value) && Object.keys(value).length > 0;
}
