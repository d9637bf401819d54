/** `GET /metrics`: figures for Prometheus. */
import { z } from '@hono/zod-openapi';
import type { ServerCore } from '../core.ts';
import type { Route } from '../http/http-route.ts';

const MEDIA = 'text/plain; version=0.0.4; charset=utf-8';

export function metricsRoute(core: ServerCore): Route {
  return {
    operationId: 'getMetrics',
    method: 'get',
    path: '/metrics',
    summary: 'Figures in the text form of Prometheus',
    role: 'read',
    answers: { 200: { description: 'The figures.', content: { 'text/plain': z.string() } } },
    refusals: ['store.unavailable'],
    handle: async () => {
      const runs = await (await core.engine()).list({ onDamage: () => undefined });
      return new Response(core.metrics.text(runs), {
        headers: { 'content-type': MEDIA, 'cache-control': 'no-store' },
      });
    },
  };
}
