/** `GET /v1/events`: one small event for each change of any run. Not resumable: it carries hints. */
import { z } from '@hono/zod-openapi';
import type { ServerCore } from '../core.ts';
import type { Route } from '../http/http-route.ts';
import { AllRunsStream } from '../stream/all-runs-stream.ts';
import { eventStream, STREAM_HEADERS } from '../stream/sse.ts';

export function changesRoute(core: ServerCore): Route {
  return {
    operationId: 'followRuns',
    method: 'get',
    path: '/v1/events',
    summary: 'Follow the changes of all runs',
    role: 'read',
    answers: {
      200: { description: 'A stream.', content: { 'text/event-stream': z.string() } },
    },
    refusals: ['request.limited', 'store.unavailable'],
    handle: async () => {
      await core.engine();
      return new Response(eventStream(new AllRunsStream(core), core.clock), {
        headers: STREAM_HEADERS,
      });
    },
  };
}
