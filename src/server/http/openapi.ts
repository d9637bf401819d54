/** `GET /openapi.json`: the document of the API, made from the routes themselves. */
import { OpenAPIHono, z, type RouteConfig } from '@hono/zod-openapi';
import { CATALOG, type RuntimeKind } from '../../errors/catalog/catalog.ts';
import { VERSION } from '../../engine/version.ts';
import { Problem } from '../schemas/common.ts';
import { jsonAnswer } from './answer.ts';
import type { AnswerShape, Route } from './http-route.ts';

type ResponseConfig = RouteConfig['responses'][string];

/** Refusals that every route with a token has. */
const WITH_TOKEN: readonly RuntimeKind[] = [
  'request.unauthenticated',
  'request.forbidden',
  'request.limited',
  // whether a session was ended stands in the store
  'store.unavailable',
];

export function openapiRoute(routes: readonly Route[], { base }: { readonly base: string }): Route {
  let document: object | undefined;
  const own: Route = {
    operationId: 'getOpenapi',
    method: 'get',
    path: '/openapi.json',
    summary: 'This document',
    role: 'read',
    answers: {
      200: { description: 'The document.', content: { 'application/json': z.looseObject({}) } },
    },
    handle: () => jsonAnswer((document ??= openapiDocument([...routes, own], base))),
  };
  return own;
}

function openapiDocument(routes: readonly Route[], base: string): object {
  const app = new OpenAPIHono();
  const registry = app.openAPIRegistry;
  registry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
  for (const route of routes) registry.registerPath(described(route));
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Errand',
      version: VERSION,
      description: 'Runs of workflows, over HTTP. Every refusal is a problem document.',
    },
    servers: [{ url: base === '' ? '/' : base }],
  });
}

function described(route: Route): RouteConfig {
  const { operationId, method, path, summary, role, query, headers, body, answers } = route;
  const params = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const named = Object.entries(headers ?? {});
  return {
    operationId,
    method,
    path,
    summary,
    security: role === undefined ? [] : [{ token: [] }],
    request: {
      ...(params.length === 0
        ? {}
        : { params: z.object(Object.fromEntries(params.map((name) => [name, z.string()]))) }),
      ...(query === undefined ? {} : { query }),
      ...(named.length === 0
        ? {}
        : {
            headers: z.object(
              Object.fromEntries(
                named.map(([name, description]) => [
                  name,
                  z.string().optional().openapi({ description }),
                ]),
              ),
            ),
          }),
      ...(body === undefined
        ? {}
        : {
            body: {
              content: Object.fromEntries(
                body.media.map((media) => [media, { schema: body.schema ?? z.string() }]),
              ),
            },
          }),
    },
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, answerConfig(answer)]),
      ),
      ...refusalConfigs(route),
    },
  };
}

function answerConfig({ description, content, headers }: AnswerShape): ResponseConfig {
  const named = Object.entries(headers ?? {});
  return {
    description,
    ...(content === undefined
      ? {}
      : {
          content: Object.fromEntries(
            Object.entries(content).map(([media, schema]) => [media, { schema }]),
          ),
        }),
    ...(named.length === 0
      ? {}
      : {
          headers: Object.fromEntries(
            named.map(([name, text]) => [name, { description: text, schema: { type: 'string' } }]),
          ),
        }),
  };
}

/** One answer for each status, which lists its kinds. */
function refusalConfigs(route: Route): Readonly<Record<string, ResponseConfig>> {
  const kinds = new Set<RuntimeKind>([
    'request.forbidden',
    ...(route.role === undefined ? [] : WITH_TOKEN),
    ...(route.body === undefined
      ? []
      : (['request.media_type', 'request.too_large'] satisfies RuntimeKind[])),
    'request.invalid',
    ...(route.refusals ?? []),
  ]);
  const byStatus = Map.groupBy(kinds, (kind) => CATALOG[kind].httpStatus);
  const content = { 'application/problem+json': { schema: Problem } };
  const refused = Array.from(byStatus, ([status, names]): [string, ResponseConfig] => [
    String(status),
    { description: `Refused: ${names.join(', ')}.`, content },
  ]);
  return {
    ...Object.fromEntries(refused),
    ...(route.answersRunFailures === true
      ? {
          default: { description: 'The failure of the run, with the status of its kind.', content },
        }
      : {}),
  };
}
