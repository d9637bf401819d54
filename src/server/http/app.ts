/**
 * The application: every request passes the same checks in the same order, then its route. Host and
 * origin, token, path, method, role, media type, size, body.
 */
import { Hono, type Context } from 'hono';
import type { z } from '@hono/zod-openapi';
import type { Redactor } from '../../errors/redaction/redact.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { isPlainObject, readProperty } from '../../errors/support/safe-json.ts';
import type { Access, Visitor } from '../access/request-access.ts';
import { includesRole } from '../access/access-tokens.ts';
import type { RequestHost } from '../server-options.ts';
import { parseJson, readText } from './body.ts';
import { problemResponse, reportOfThrown } from './problem-response.ts';
import { nearestIssues, wordsForAll } from './issue-words.ts';
import type { CheckedRequest, Method, Route } from './http-route.ts';

export interface AppOptions {
  readonly routes: readonly Route[];
  readonly access: Access;
  /** Prefix of every path; empty, or begins with a slash and ends without one. */
  readonly base: string;
  readonly redactor: Redactor;
  /** Whether files may be written at all. */
  readonly allowEdit: boolean;
  /** Answers unknown addresses when a browser asks for a page. */
  readonly page: (request: Request, status: number) => Response;
  readonly log: (line: string) => void;
}

type Env = { Bindings: RequestHost };

export function createApp(options: AppOptions): Hono<Env> {
  const app = new Hono<Env>({ strict: true });
  const byPath = Map.groupBy(options.routes, ({ path }) => path);
  app.use('*', (context: Context<Env>, next) => guarded(context, next, options));
  for (const [path, routes] of byPath)
    for (const each of addressesOf(options.base, path))
      app.all(honoPath(each), (context) => dispatch(context, routes, options));
  app.notFound(async (context) => {
    if (isForBrowser(context, options)) return options.page(context.req.raw, 404);
    await options.access.admit(context.req.raw, addressOf(context));
    throw new ErrandError({
      kind: 'request.not_found',
      message: 'The server has nothing at this path',
    });
  });
  app.onError((thrown, context) => refuse(thrown, context, options));
  return app;
}

/** Some hosts, such as Next.js, remove the slash at the end of `/base/`. */
function addressesOf(base: string, path: string): readonly string[] {
  return path === '/' && base !== '' ? [base, `${base}/`] : [base + path];
}

/** A person who follows a dead link gets the page, which says so. */
function isForBrowser({ req }: Context<Env>, { base }: AppOptions): boolean {
  const isPage = req.path.startsWith(`${base}/`) && !req.path.startsWith(`${base}/v1/`);
  return isPage && req.method === 'GET' && /\btext\/html\b/.test(req.header('accept') ?? '');
}

async function guarded(
  context: Context<Env>,
  next: () => Promise<void>,
  { access }: AppOptions,
): Promise<Response | void> {
  const request = context.req.raw;
  access.checkHost(request);
  const origin = request.headers.get('origin');
  const isShared = origin !== null && access.isAllowedOrigin(origin);
  if (isShared && request.method === 'OPTIONS') return preflight(origin);
  await next();
  if (isShared)
    for (const [name, value] of corsHeaders(origin)) context.res.headers.set(name, value);
}

const EXPOSED =
  'ETag, Location, Link, Retry-After, Errand-Error-Source, Errand-Role, Idempotent-Replayed, Mcp-Session-Id, Preference-Applied, WWW-Authenticate';

function corsHeaders(origin: string): readonly (readonly [string, string])[] {
  return [
    ['access-control-allow-origin', origin],
    ['access-control-allow-credentials', 'true'],
    ['access-control-expose-headers', EXPOSED],
    ['vary', 'Origin'],
  ];
}

function preflight(origin: string): Response {
  const headers = new Headers([
    ...corsHeaders(origin).map(([name, value]): [string, string] => [name, value]),
    ['access-control-allow-methods', 'GET, POST, PUT, DELETE'],
    [
      'access-control-allow-headers',
      'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id, Prefer, traceparent',
    ],
    ['access-control-max-age', '600'],
  ]);
  return new Response(null, { status: 204, headers });
}

async function dispatch(
  context: Context<Env>,
  routes: readonly Route[],
  options: AppOptions,
): Promise<Response> {
  const request = context.req.raw;
  const wanted = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
  const route = routes.find(({ method }) => method === wanted);
  const isOpen = (route ?? routes[0])?.role === undefined;
  const visitor = isOpen ? undefined : await options.access.admit(request, addressOf(context));
  if (route === undefined) throw wrongMethod(routes);
  refuseRole(route, visitor);
  if (route.closed !== undefined)
    throw new ErrandError({ kind: 'request.forbidden', message: route.closed });
  const checked = await checkedRequest(context, route, { visitor, base: options.base });
  const answer = withRole(await route.handle(checked), visitor, options);
  if (request.method !== 'HEAD') return answer;
  // a stream that nobody reads would stay open
  await answer.body?.cancel();
  return new Response(null, answer);
}

/** Pages show only what their visitor may do here. */
function withRole(
  answer: Response,
  visitor: Visitor | undefined,
  { allowEdit }: AppOptions,
): Response {
  if (visitor === undefined) return answer;
  const role = visitor.role === 'edit' && !allowEdit ? 'run' : visitor.role;
  answer.headers.set('errand-role', role);
  return answer;
}

/** Refuses with what the role of the caller lacks. */
function refuseRole({ role }: Route, visitor: Visitor | undefined): void {
  if (role === undefined || visitor === undefined || includesRole(visitor.role, role)) return;
  throw new ErrandError({
    kind: 'request.forbidden',
    message: `The role ${visitor.role} does not allow it; it needs the role ${role}`,
  });
}

class WrongMethod extends ErrandError<'request.method'> {
  readonly allow: string;

  constructor(allow: string) {
    super({ kind: 'request.method', message: `The path takes ${allow}` });
    this.allow = allow;
  }
}

function wrongMethod(routes: readonly Route[]): WrongMethod {
  const names = routes.flatMap(({ method }) =>
    method === 'get' ? ['GET', 'HEAD'] : [upper(method)],
  );
  return new WrongMethod(names.join(', '));
}

function upper(method: Method): string {
  return method.toUpperCase();
}

async function checkedRequest(
  context: Context<Env>,
  route: Route,
  { visitor, base }: { readonly visitor: Visitor | undefined; readonly base: string },
): Promise<CheckedRequest> {
  const { raw } = context.req;
  const { body: shape } = route;
  if (shape !== undefined) refuseMedia(raw, shape.media);
  const text = shape === undefined ? undefined : await readText(raw);
  if (shape !== undefined && text !== undefined && !raw.headers.has('content-type'))
    throw wrongMedia(shape.media);
  const query = checkedQuery(route, new URL(raw.url).searchParams);
  const schema = shape?.isText === true ? undefined : shape?.schema;
  const json = schema === undefined ? {} : parseJson(text);
  return {
    raw,
    params: context.req.param(),
    query,
    text,
    json,
    body: schema === undefined ? undefined : checkedBody(schema, json),
    visitor,
    href: (path) => base + path,
  };
}

/** A request without a body needs no type; only reading may show whether it has one. */
function refuseMedia({ headers }: Request, media: readonly string[]): void {
  const declared = headers.get('content-type');
  const isLong = Number(headers.get('content-length') ?? 0) > 0;
  if (declared === null && !isLong) return;
  const [type = ''] = (declared ?? '').split(';');
  if (!media.includes(type.trim().toLowerCase())) throw wrongMedia(media);
  // a body that nothing unpacks would be misread
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity') throw wrongMedia(media, ', not compressed');
}

function wrongMedia(media: readonly string[], how = ''): ErrandError {
  return new ErrandError({
    kind: 'request.media_type',
    message: `The path takes ${media.join(' or ')}${how}`,
  });
}

function checkedQuery(route: Route, given: URLSearchParams): Readonly<Record<string, unknown>> {
  const values: Record<string, string> = Object.fromEntries(given);
  const names = [...given.keys()];
  const twice = names.find((each, index) => names.indexOf(each) !== index);
  if (twice !== undefined) throw invalid(`The query has ${clip(twice)} twice`);
  const [name] = Object.keys(values);
  if (route.query === undefined) {
    if (name !== undefined) throw invalid(`There is no query parameter ${clip(name)}`);
    return {};
  }
  return parsed(route.query, values, 'query parameter');
}

function checkedBody(schema: z.ZodType, json: unknown): unknown {
  return parsed(schema, json, 'field');
}

function parsed<T>(schema: z.ZodType<T>, value: unknown, noun: string): T {
  const result = schema.safeParse(value);
  if (result.success) {
    const lost = lostName(value, result.data);
    if (lost !== undefined) throw invalid(`There is no ${noun} ${clip(lost)}`);
    return result.data;
  }
  const issues = result.error.issues.slice(0, 1).flatMap(nearestIssues);
  const [issue] = issues;
  const path = sentPath(value, issue?.path ?? []);
  const where = path.map(String).join('.');
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  if (unknown !== undefined)
    throw invalid(`There is no ${noun} ${clip(where === '' ? unknown : `${where}.${unknown}`)}`);
  const why = wordsForAll(issues);
  if (where === '')
    throw invalid(
      `The body is not ${isPlainObject(value) ? 'valid' : 'what the path takes'}: ${why}`,
    );
  const isMissing = issue !== undefined && valueAt(value, path) === undefined;
  throw invalid(`The ${noun} ${clip(where)} ${isMissing ? 'is missing' : `is not valid: ${why}`}`);
}

/**
 * The path as far as the sent value has it: a schema may look inside a text, such as a list of
 * words.
 */
function sentPath(value: unknown, path: readonly PropertyKey[]): readonly PropertyKey[] {
  const inText = path.findIndex((_, at) => typeof valueAt(value, path.slice(0, at)) === 'string');
  return inText < 0 ? path : path.slice(0, inText);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => readProperty(inner, key), value);
}

/**
 * A name that a schema silently leaves out of its copy, such as `__proto__`. Names that it does not
 * copy are data.
 */
function lostName(sent: unknown, copy: unknown): string | undefined {
  if (sent === copy || !isPlainObject(sent) || !isPlainObject(copy)) return undefined;
  for (const name of Object.keys(sent)) {
    if (!Object.hasOwn(copy, name)) return name;
    const inner = lostName(sent[name], copy[name]);
    if (inner !== undefined) return `${name}.${inner}`;
  }
  return undefined;
}

function clip(name: string): string {
  return name.length > 80 ? `${name.slice(0, 79)}…` : name;
}

function invalid(message: string): ErrandError {
  return new ErrandError({ kind: 'request.invalid', message });
}

function refuse(thrown: unknown, context: Context<Env>, options: AppOptions): Response {
  const report = reportOfThrown(thrown, options.redactor);
  const headers = thrown instanceof WrongMethod ? { allow: thrown.allow } : {};
  const response = problemResponse(report, { source: 'request', base: options.base, headers });
  if (response.status > 499) {
    const { method, path } = context.req;
    const asked = options.redactor.text(`${method} ${path}`);
    options.log(`${response.status} ${report.kind} for ${asked} (${report.id})`);
  }
  return response;
}

function addressOf(context: Context<Env>): string {
  // an embedding host may pass no environment at all
  const host = context.env as RequestHost | undefined;
  return host?.address ?? 'unknown';
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
