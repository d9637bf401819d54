/** `GET /v1/runs/{run}/events`: the log of a run as a stream, as lines, or a page of it. */
import { z } from '@hono/zod-openapi';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { jsonText } from '../../errors/support/printable.ts';
import { stepAt } from '../../history/run-view/steps.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { ServerCore } from '../core.ts';
import { emptyAnswer, jsonAnswer } from '../http/answer.ts';
import { prefersType } from '../http/accept.ts';
import { runOf, type CheckedRequest, type Route } from '../http/http-route.ts';
import { shownEvent } from '../runs/shown-values.ts';
import { quoted, RunEventShape, wholeNumber } from '../schemas/common.ts';
import { endedBy, RunStream } from '../stream/run-stream.ts';
import { eventStream, STREAM_HEADERS } from '../stream/sse.ts';

const EVENT_TYPE = /^[a-z]+:[a-z_]+$/;

const EventTypeName = z.string().regex(EVENT_TYPE, {
  error: ({ input }) => `${quoted(input)} is not a type of event`,
});

const Query = z.strictObject({
  after: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional(),
  type: z
    .string()
    .transform((written) => written.split(',').map((part) => part.trim()))
    .pipe(z.array(EventTypeName))
    .openapi({ type: 'string', description: 'Types of events, separated by commas.' })
    .optional(),
  limit: wholeNumber(1, 10_000).optional(),
  path: z.string().max(4000).optional(),
});

const DEFAULT_LIMIT = 1000;
const PAGE_CHARS = 64 * 1024;
const MEDIA = ['application/json', 'text/event-stream', 'application/jsonl'] as const;

export function runEventsRoute(core: ServerCore): Route {
  return {
    operationId: 'getEvents',
    method: 'get',
    path: '/v1/runs/{run}/events',
    summary: 'Read or follow the events of a run',
    role: 'read',
    query: Query,
    headers: {
      Accept: '`text/event-stream` follows the run, `application/jsonl` is all that is stored now.',
      'Last-Event-ID': 'The last event that the client has; it wins over `after`.',
    },
    answers: {
      200: {
        description: 'The events.',
        content: {
          'application/json': z
            .looseObject({ events: z.array(RunEventShape), next: z.int().optional() })
            .openapi('EventPage'),
          'text/event-stream': z.string(),
          'application/jsonl': z.string(),
        },
      },
      204: { description: 'The run has ended, and the client has its last event.' },
    },
    refusals: ['run.not_found', 'request.limited', 'store.unavailable', 'store.corrupt'],
    handle: (request) => runEvents(core, request),
  };
}

async function runEvents(core: ServerCore, request: CheckedRequest): Promise<Response> {
  const run = runOf(request);
  // checked against its schema
  const query = request.query as z.output<typeof Query>;
  const after = lastEventId(request.raw) ?? query.after ?? 0;
  const types = query.type === undefined ? undefined : new Set(query.type);
  await core.reader.summary(run);
  const wanted: Wanted = { run, after, types, ...(await boundOf(core, run, query.path)) };
  switch (prefersType(request.raw.headers.get('accept'), MEDIA)) {
    case 'text/event-stream':
      if (query.path !== undefined) throw noStreamOfPath();
      return follow(core, wanted);
    case 'application/jsonl':
      return new Response(lines(core, wanted), {
        headers: { 'content-type': 'application/jsonl', 'cache-control': 'no-store' },
      });
    case 'application/json':
      return page(core, wanted, query.limit ?? DEFAULT_LIMIT);
  }
}

interface Wanted {
  readonly run: string;
  readonly after: number;
  readonly types: ReadonlySet<string> | undefined;
  /** Only events of this node. */
  readonly path?: string;
  /** No event after this one is wanted. */
  readonly until?: number;
}

/** Looks for events of one node up to its last one, not to the end of the log. */
async function boundOf(
  core: ServerCore,
  run: string,
  path: string | undefined,
): Promise<Pick<Wanted, 'path' | 'until'>> {
  if (path === undefined) return {};
  const { view } = await core.folds.viewOf(run);
  return { path, until: stepAt(view, path)?.lastSeq ?? 0 };
}

function fits(event: RunEvent, { types, path }: Wanted): boolean {
  if (path !== undefined && (!('path' in event) || event.path !== path)) return false;
  return types?.has(event.type) !== false;
}

function noStreamOfPath(): ErrandError {
  return new ErrandError({
    kind: 'request.invalid',
    message: 'A stream has the events of all nodes, so it takes no path',
  });
}

async function follow(core: ServerCore, wanted: Wanted): Promise<Response> {
  const { run, after } = wanted;
  const engine = await core.engine();
  const lastSeq = (await engine.record(run)).head.nextSeq - 1;
  if (after >= lastSeq) {
    const [last] = await core.reader.page(run, lastSeq - 1, { events: 1 });
    if (endedBy(last) !== undefined) return emptyAnswer();
  }
  // the log was longer before it was restored: the reader would wait for ever
  const from = { ...wanted, after: Math.min(after, lastSeq) };
  const stream = eventStream(new RunStream(core, from), core.clock);
  return new Response(stream, { headers: STREAM_HEADERS });
}

async function page(core: ServerCore, wanted: Wanted, limit: number): Promise<Response> {
  const { run, until = Infinity } = wanted;
  const found: RunEvent[] = [];
  let { after } = wanted;
  let isAtEnd = false;
  while (found.length < limit && !isAtEnd) {
    const events = await core.reader.page(run, after, { events: limit - found.length });
    after = events.at(-1)?.seq ?? after;
    isAtEnd = events.length === 0 || after >= until;
    found.push(...events.filter((event) => fits(event, wanted)));
  }
  const hasMore = !isAtEnd && (await core.reader.page(run, after, { events: 1 })).length > 0;
  return jsonAnswer({
    events: found.map((event) => shownEvent(event, core.base)),
    ...(hasMore ? { next: after } : {}),
  });
}

/** Pulled page by page, so that a long log is never in memory as a whole. */
function lines(core: ServerCore, wanted: Wanted): ReadableStream<Uint8Array> {
  const { run, after: first, until = Infinity } = wanted;
  const encoder = new TextEncoder();
  let after = first;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const engine = await core.engine();
      const page: string[] = [];
      let chars = 0;
      for await (const event of engine.history(run, after + 1)) {
        if (event.seq > until) break;
        after = event.seq;
        if (!fits(event, wanted)) continue;
        const line = `${jsonText(shownEvent(event, core.base))}\n`;
        page.push(line);
        chars += line.length;
        if (chars >= PAGE_CHARS) break;
      }
      if (page.length === 0) controller.close();
      else controller.enqueue(encoder.encode(page.join('')));
    },
  });
}

function lastEventId(request: Request): number | undefined {
  const header = request.headers.get('last-event-id')?.trim() ?? '';
  if (header === '') return undefined;
  if (/^\d{1,15}$/.test(header)) return Number(header);
  throw new ErrandError({
    kind: 'request.invalid',
    message: 'The Last-Event-ID is not the number of an event',
  });
}
