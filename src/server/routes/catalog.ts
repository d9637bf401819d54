/** The catalog of kinds, and the classification of failures of others. */
import { z } from '@hono/zod-openapi';
import { RUNTIME_KINDS } from '../../errors/catalog/catalog.ts';
import { explainedKind } from '../../errors/catalog/explained-kind.ts';
import { classifiedValue } from '../../providers/classify/classified-value.ts';
import type { ServerCore } from '../core.ts';
import { jsonAnswer } from '../http/answer.ts';
import type { CheckedRequest, Route } from '../http/http-route.ts';
import { explainKind } from '../runs/explain-failures.ts';

const Row = z
  .looseObject({
    kind: z.string(),
    class: z.string(),
    category: z.string(),
    retryable: z.boolean().nullable(),
    httpStatus: z.int(),
    exitCode: z.int(),
    title: z.string(),
    help: z.string(),
  })
  .openapi('CatalogRow');

const Failure = z.looseObject({}).openapi('Failure', {
  description: 'A failure: some of provider, status, headers, body, transport, stream.',
});

const Classification = z
  .looseObject({
    kind: z.string(),
    category: z.string(),
    retryable: z.boolean().nullable(),
    retryAfterMs: z.number().nullable(),
    outcome: z.string(),
    rule: z.string(),
    confidence: z.string(),
  })
  .openapi('Classification');

export function catalogRoutes(_core: ServerCore): readonly Route[] {
  return [
    {
      operationId: 'listCatalog',
      method: 'get',
      path: '/v1/catalog',
      summary: 'List every kind of failure',
      role: 'read',
      answers: { 200: { description: 'All rows.', content: { 'application/json': z.array(Row) } } },
      handle: () => jsonAnswer(RUNTIME_KINDS.map(explainedKind)),
    },
    {
      operationId: 'getCatalogRow',
      method: 'get',
      path: '/v1/catalog/{kind}',
      summary: 'Explain a kind of failure',
      role: 'read',
      answers: { 200: { description: 'The row.', content: { 'application/json': Row } } },
      refusals: ['request.not_found'],
      handle: ({ params }) =>
        jsonAnswer(explainKind(params['kind'] ?? '', '`GET /v1/catalog` lists all kinds.')),
    },
    {
      operationId: 'classify',
      method: 'post',
      path: '/v1/classify',
      summary: 'Classify a failure of a provider, or a list of them',
      role: 'read',
      body: { media: ['application/json'], schema: z.union([Failure, z.array(Failure)]) },
      answers: {
        200: {
          description: 'One classification for each failure.',
          content: { 'application/json': z.union([Classification, z.array(Classification)]) },
        },
      },
      refusals: ['validation.input'],
      handle: (request) => classify(request),
    },
  ];
}

function classify({ json }: CheckedRequest): Response {
  return jsonAnswer(
    Array.isArray(json)
      ? json.map((failure: unknown, index) => classifiedValue(failure, `The JSON at /${index}`))
      : classifiedValue(json),
  );
}
