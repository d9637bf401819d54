/**
 * A route of the server: one description that checks requests, calls handlers and makes the OpenAPI
 * document.
 */
import type { z } from '@hono/zod-openapi';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { RuntimeKind } from '../../errors/catalog/catalog.ts';
import type { Role } from '../access/access-tokens.ts';
import type { Visitor } from '../access/request-access.ts';

export type Method = 'get' | 'post' | 'put' | 'delete';

/** An answer that is no refusal. */
export interface AnswerShape {
  readonly description: string;
  /** Default: `application/json`. Absent schema: no body. */
  readonly content?: Readonly<Record<string, z.ZodType>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface BodyShape {
  /** Media types that are taken; the first one describes it. */
  readonly media: readonly string[];
  /** Absent: text. */
  readonly schema?: z.ZodType;
  /** The schema only describes it: the route reads the text itself. */
  readonly isText?: true;
}

export interface Route {
  readonly operationId: string;
  readonly method: Method;
  /** As in OpenAPI: `/v1/runs/{run}`. */
  readonly path: string;
  readonly summary: string;
  /** Absent: no token is needed. */
  readonly role?: Role;
  /** Why nobody may use it on this server, whatever their role. */
  readonly closed?: string | undefined;
  readonly query?: z.ZodObject;
  /** Headers that change the answer, each with its meaning. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyShape;
  readonly answers: Readonly<Record<number, AnswerShape>>;
  /** The kinds of its refusals, beside those that every route has. */
  readonly refusals?: readonly RuntimeKind[];
  /** May answer with the failure of a run, whatever its status. */
  readonly answersRunFailures?: true;
  handle(request: CheckedRequest): Promise<Response> | Response;
}

/** A request that has passed every check of its route. */
export interface CheckedRequest {
  readonly raw: Request;
  readonly params: Readonly<Record<string, string>>;
  /** As the schema of the route gives it. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly text: string | undefined;
  /** As it was sent. */
  readonly json: JsonValue;
  /** As the schema of the route gives it. */
  readonly body: unknown;
  /** Absent on routes that need no token. */
  readonly visitor: Visitor | undefined;
  /** The path of a link into this server. */
  readonly href: (path: string) => string;
}

/** The `by` of a request's action, as the audit shows it. */
export function byOf({ visitor }: Pick<CheckedRequest, 'visitor'>): string {
  return `http:${visitor?.name ?? 'nobody'}`;
}

/** The run that the path names; every route that asks has it in its path. */
export function runOf({ params }: Pick<CheckedRequest, 'params'>): string {
  return params['run'] ?? '';
}
