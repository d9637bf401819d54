/** Schemas that several routes share. Answers may have more fields than are described. */
import { z } from '@hono/zod-openapi';
import { ATTENTIONS } from '../../history/attention.ts';
import { NEEDED_FIELDS } from '../../history/next-moves.ts';
import { RUN_STATUSES } from '../../machine/ports/store-port.ts';

export const Json = z.unknown().openapi('Json', { description: 'Any JSON value.' });

export const RunStatus = z.enum(RUN_STATUSES).openapi('RunStatus');

export const AttentionName = z.enum(ATTENTIONS).openapi('Attention');

export const Timestamp = z.string().openapi({ format: 'date-time' });

export const Problem = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    kind: z.string(),
    category: z.string(),
    domain: z.string(),
    retryable: z.boolean().nullable(),
    action: z.looseObject({ kind: z.string(), detail: z.string() }),
    location: z.looseObject({}).optional(),
    retryAfterMs: z.number().optional(),
    diagnostics: z.array(z.looseObject({})).optional(),
    changed: z.array(z.looseObject({})).optional(),
  })
  .openapi('Problem', { description: 'A problem document (RFC 9457) with a kind of the catalog.' });

export const Report = z
  .looseObject({
    id: z.string(),
    kind: z.string(),
    category: z.string(),
    retryable: z.boolean().nullable(),
    message: z.string(),
    title: z.string(),
    at: Timestamp,
  })
  .openapi('Report', { description: 'The record of a failure, as a person may see it.' });

const WAIT = {
  reason: z.enum(['gate', 'time', 'budget', 'outcome', 'person']),
  gate: z.string().optional(),
  node: z.string().optional(),
  path: z.string().optional(),
  until: Timestamp.optional(),
  options: z.array(Json).optional(),
  error: z.looseObject({ kind: z.string(), message: z.string() }).optional(),
};

const Waiting = z.looseObject({ ...WAIT, all: z.array(z.looseObject(WAIT)) }).openapi('Waiting');

export const RunRow = z
  .looseObject({
    run: z.string(),
    workflow: z.string(),
    status: RunStatus,
    startedAt: Timestamp,
    endedAt: Timestamp.optional(),
    error: z.looseObject({ kind: z.string(), message: z.string() }).optional(),
    waiting: Waiting.optional(),
    where: z.string().optional().openapi({ description: 'The path where it failed.' }),
    retry: z
      .looseObject({
        path: z.string(),
        at: Timestamp,
        error: z.looseObject({ kind: z.string(), message: z.string() }).optional(),
      })
      .optional()
      .openapi({ description: 'The next try of a step, while the run is running.' }),
    costUsdMicros: z.int(),
    attention: AttentionName,
  })
  .openapi('RunRow');

export const Costs = z
  .looseObject({
    totalUsdMicros: z.int(),
    failedUsdMicros: z.int(),
    attempts: z.array(z.looseObject({ node: z.string(), path: z.string(), target: z.string() })),
  })
  .openapi('Costs');

export const NextMove = z
  .looseObject({
    move: z.enum(['answer', 'resume', 'retry', 'cancel']),
    method: z.literal('POST'),
    path: z.string(),
    body: z.record(z.string(), Json).optional(),
    needs: z.array(z.enum(NEEDED_FIELDS)).optional(),
    gate: z.string().optional(),
    options: z.array(Json).optional(),
    promptFor: z.array(z.looseObject({ value: Json, name: z.string() })).optional(),
    command: z.string(),
  })
  .openapi('NextMove');

export const Run = z
  .looseObject({
    run: z.string(),
    workflow: z.string(),
    file: z.string().nullable(),
    status: RunStatus,
    input: Json,
    output: Json.optional(),
    error: Report.optional(),
    waiting: Waiting.optional(),
    nodes: z.array(
      z.looseObject({
        path: z.string(),
        status: z.enum(['running', 'waiting', 'completed', 'failed', 'skipped', 'cancelled']),
        attempts: z.int(),
        startedAt: Timestamp,
        endedAt: Timestamp.optional(),
        error: Report.optional(),
      }),
    ),
    costs: Costs,
    traceparent: z.string().optional(),
    seq: z.int(),
    attention: AttentionName,
    nextMoves: z.array(NextMove),
  })
  .openapi('Run');

export const RunEventShape = z
  .looseObject({ seq: z.int(), run: z.string(), at: Timestamp, type: z.string() })
  .openapi('RunEvent');

const MAX_QUOTED_CHARS = 80;

/** A value of a query, for a message about it. */
export function quoted(value: unknown): string {
  return JSON.stringify(String(value).slice(0, MAX_QUOTED_CHARS));
}

/** One of these words. */
export function word<const T extends readonly [string, ...string[]]>(known: T) {
  return z.enum(known, {
    error: ({ input }) => `${quoted(input)} is not one of ${known.join(', ')}`,
  });
}

/** A list of words, separated by commas. */
export function words<const T extends readonly [string, ...string[]]>(known: T) {
  return z
    .string()
    .transform((written) => written.split(',').map((part) => part.trim()))
    .pipe(z.array(word(known)))
    .openapi({ type: 'string', description: `Some of ${known.join(', ')}, separated by commas.` });
}

/** A whole number in a query. */
export function wholeNumber(least: number, most: number) {
  return (
    z
      .string()
      .regex(/^(?:\d+|-[1-9]\d*)$/, 'it is not a whole number')
      // finite, so that a number of any length is compared with the bounds
      .transform((text) => Math.min(Math.max(Number(text), -Number.MAX_VALUE), Number.MAX_VALUE))
      .pipe(z.number().min(least).max(most))
      .openapi({ type: 'integer', minimum: least, maximum: most })
  );
}
