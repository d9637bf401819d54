/** Routes about the server itself: whether it is alive, whether its store is, and its sessions. */
import { z } from '@hono/zod-openapi';
import { VERSION } from '../../engine/version.ts';
import type { ServerCore } from '../core.ts';
import { emptyAnswer, jsonAnswer } from '../http/answer.ts';
import type { Route } from '../http/http-route.ts';

export function healthRoutes(core: ServerCore): readonly Route[] {
  return [
    {
      operationId: 'getHealth',
      method: 'get',
      path: '/health',
      summary: 'Whether the server is alive',
      answers: {
        200: {
          description: 'It is alive.',
          content: {
            'application/json': z
              .looseObject({ status: z.literal('ok'), version: z.string() })
              .openapi('Health'),
          },
        },
      },
      handle: () => jsonAnswer({ status: 'ok', version: VERSION }),
    },
    {
      operationId: 'getReady',
      method: 'get',
      path: '/ready',
      summary: 'Whether its store can be used',
      answers: {
        200: {
          description: 'It can.',
          content: {
            'application/json': z.looseObject({ store: z.literal('ok') }).openapi('Ready'),
          },
        },
      },
      refusals: ['store.unavailable'],
      handle: async () => {
        await (await core.engine()).list({ limit: 1, onDamage: () => undefined });
        return jsonAnswer({ store: 'ok' });
      },
    },
  ];
}

/** A page exchanges its token for a cookie, which scripts cannot read. */
export function sessionRoutes(core: ServerCore): readonly Route[] {
  return [
    {
      operationId: 'beginSession',
      method: 'post',
      path: '/session',
      summary: 'Exchange a token for a session cookie',
      role: 'read',
      answers: {
        204: { description: 'The session has begun.', headers: { 'Set-Cookie': 'The session.' } },
      },
      handle: ({ visitor }) =>
        emptyAnswer({
          headers:
            visitor?.token === undefined
              ? {}
              : { 'set-cookie': core.access.sessions.begin(visitor.token) },
        }),
    },
    {
      operationId: 'endSession',
      method: 'delete',
      path: '/session',
      summary: 'End the session',
      role: 'read',
      answers: {
        204: { description: 'The session has ended.', headers: { 'Set-Cookie': 'Removes it.' } },
      },
      handle: async ({ raw }) =>
        emptyAnswer({
          headers: { 'set-cookie': await core.access.sessions.end(raw.headers.get('cookie')) },
        }),
    },
  ];
}
