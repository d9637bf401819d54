/**
 * The built-in tool `http_fetch`. It exists only where the host allows hosts, asks only those, and
 * never this machine or its network unless a host says so; a redirect is judged like the first address.
 *
 * | what happened                                   | kind                    | outcome     |
 * |-------------------------------------------------|-------------------------|-------------|
 * | no address of the web                           | `tool.input_invalid`    | not_started |
 * | a host that is not allowed, a private address   | `tool.denied`           | not_started |
 * | the same after a redirect                       | `tool.denied`           | failed      |
 * | could not be resolved or connected to           | `tool.failed`           | not_started |
 * | broke off                                       | `tool.failed`           | failed, or unknown where it writes |
 * | an answer that is no success                    | `tool.failed`           | failed      |
 * | a gateway's answer (408, 502, 503, 504, 52x)    | `tool.failed`           | failed, or unknown where it writes |
 * | longer than what is read                        | `internal.output_too_large`, unless the node keeps it | failed |
 * | neither text nor JSON                           | `tool.output_malformed` | failed      |
 *
 * After a request that wrote was answered with a redirect to another page, every failure is `unknown`:
 * the page can be missing, and what was written was written.
 */
import type { IncomingMessage } from 'node:http';
import { ErrandError } from '../../errors/errand-error.ts';
import type { JsonObject, JsonValue } from '../../errors/json.ts';
import type { ReportDraft } from '../../errors/report.ts';
import { tool, type AnyTool, type ToolContext } from '../../workflow/tool.ts';
import { quoted } from '../../workflow/words.ts';
import { TruncatedOutput } from '../function.ts';
import { codeOf } from '../system-code.ts';
import { createAllowList, hostOf, type AllowList } from './allow-list.ts';
import { FETCH_TOOL, type FetchMethod } from '../../workflow/model.ts';
import { readCallable, type Callable } from '../module/callable.ts';
import type { FetchOptions } from './fetch-options.ts';
import { PrivateAddress, resolveBySystem, sendHop, type ResolveName } from './one-hop.ts';
import { readBody } from './read-body.ts';
import { lasting, statusFailure } from './status-failure.ts';

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Names are resolved by the system unless a test knows better. */
export function createFetchTool(
  options: FetchOptions,
  resolve: ResolveName = resolveBySystem,
): AnyTool {
  const methods = options.methods ?? ['GET'];
  const isReading = methods.every((method) => method === 'GET' || method === 'HEAD');
  const rules: Rules = {
    isAllowed: createAllowList(options.allow),
    mayBePrivate: createAllowList(options.allowPrivate ?? []),
    maxBytes: options.maxBytes ?? 1024 * 1024,
    resolve,
  };
  return tool({
    description: `Fetches text or JSON from one of: ${options.allow.join(', ')}.`,
    input: inputSchema(methods, isReading),
    idempotent: isReading,
    writes: !isReading,
    timeoutMs: options.timeoutMs ?? 30_000,
    run: (input, context) => run(input, rules, context),
  });
}

/** As a file declares it; the same tool for the same settings. */
export function createFileFetch(): (settings: FetchOptions) => Promise<Callable> {
  const made = new Map<string, Promise<Callable>>();
  return (settings) => {
    const key = JSON.stringify(settings);
    const known = made.get(key) ?? read(settings);
    made.set(key, known);
    return known;
  };
}

async function read(settings: FetchOptions): Promise<Callable> {
  const reading = await readCallable(FETCH_TOOL, createFetchTool(settings), 'the file');
  if (reading.type === 'callable') return reading.callable;
  throw new TypeError('tool() makes nothing else');
}

function inputSchema(methods: readonly FetchMethod[], isReading: boolean): JsonObject {
  return {
    type: 'object',
    properties: {
      url: { type: 'string' },
      method: { type: 'string', enum: [...methods] },
      ...(isReading ? {} : { body: {} }),
    },
    required: ['url'],
    additionalProperties: false,
  };
}

interface Rules {
  readonly isAllowed: AllowList;
  readonly mayBePrivate: AllowList;
  readonly maxBytes: number;
  readonly resolve: ResolveName;
}

interface Request {
  readonly url: URL;
  readonly method: string;
  readonly body?: JsonValue;
  readonly redirects: number;
  /** A request before this one may have changed something. */
  readonly hasWritten: boolean;
}

async function run(input: JsonObject, rules: Rules, context: ToolContext): Promise<JsonObject> {
  const { url: address, method, body } = input;
  const first: Request = {
    url: readUrl(address),
    method: typeof method === 'string' ? method : 'GET',
    ...(body === undefined ? {} : { body }),
    redirects: 0,
    hasWritten: false,
  };
  for (let request = first; ;) {
    const response = await send(request, rules, context);
    const next = redirectOf(request, response);
    if (next === undefined) return await resultOf(request, response, rules);
    response.destroy();
    request = next;
  }
}

function readUrl(address: unknown): URL {
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined;
  if (url !== undefined && isOfTheWeb(url)) return url;
  throw noAddress('not_started');
}

function noAddress(outcome: 'not_started' | 'unknown'): ErrandError {
  return new ErrandError({
    kind: 'tool.input_invalid',
    outcome,
    message:
      'The `url` must be an address that begins with http:// or https://, without a name or password in it',
  });
}

function isOfTheWeb({ protocol, username, password }: URL): boolean {
  return /^https?:$/.test(protocol) && `${username}${password}` === '';
}

async function send(
  request: Request,
  rules: Rules,
  context: ToolContext,
): Promise<IncomingMessage> {
  const { url, method, body } = request;
  if (!rules.isAllowed(url)) throw denied(request, 'is not among the hosts that may be asked');
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  try {
    return await sendHop({
      url,
      method,
      headers: {
        accept: 'application/json, text/*;q=0.9, */*;q=0.1',
        'accept-encoding': 'identity',
        'user-agent': 'errand',
        ...(body === undefined ? {} : { 'content-type': type }),
        ...(isReading(request) ? {} : { 'idempotency-key': context.idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: text }),
      mayBePrivate: rules.mayBePrivate(url),
      signal: context.signal,
      resolve: rules.resolve,
    });
  } catch (thrown) {
    if (thrown instanceof PrivateAddress)
      throw denied(request, 'does not stand for a public address', thrown);
    throw broken(request, thrown);
  }
}

function redirectOf(request: Request, response: IncomingMessage): Request | undefined {
  const { statusCode = 0, headers } = response;
  if (!REDIRECTS.has(statusCode) || headers.location === undefined) return undefined;
  const isKept = statusCode === 307 || statusCode === 308 || isReading(request);
  const hasWritten = request.hasWritten || !isKept;
  if (!URL.canParse(headers.location, request.url.href))
    throw astray(`${hostOf(request.url)} redirects to nowhere`, hasWritten);
  const redirects = request.redirects + 1;
  if (redirects > MAX_REDIRECTS)
    throw astray(`${hostOf(request.url)} redirects more than ${MAX_REDIRECTS} times`, hasWritten);
  const url = new URL(headers.location, request.url);
  if (!isOfTheWeb(url)) throw noAddress(hasWritten ? 'unknown' : 'not_started');
  if (!isKept) return { url, method: 'GET', redirects, hasWritten };
  // what is sent was meant for the one that it was sent to
  if (!isReading(request) && url.origin !== request.url.origin)
    throw denied({ ...request, url, redirects }, 'was not what the body was meant for');
  return { ...request, url, redirects };
}

function astray(message: string, hasWritten: boolean): ErrandError {
  const outcome = hasWritten ? 'unknown' : 'failed';
  return new ErrandError({ kind: 'tool.failed', outcome, message, ...lasting(hasWritten) });
}

async function resultOf(
  request: Request,
  response: IncomingMessage,
  { maxBytes }: Rules,
): Promise<JsonObject> {
  const { url, method } = request;
  const status = response.statusCode ?? 0;
  if (status < 200 || status >= 300) {
    response.destroy();
    throw statusFailure(hostOf(url), status, {
      retryAfter: response.headers['retry-after'],
      isInDoubt: request.hasWritten || (!isReading(request) && isOfGateway(status)),
    });
  }
  if (status === 206 && !isAllOfIt(response.headers['content-range'])) {
    response.destroy();
    throw onlyAPart(request);
  }
  const about = { status, url: `${url.origin}${url.pathname}` };
  if (method === 'HEAD' || status === 204 || status === 205) {
    response.destroy();
    return { ...about, contentType: response.headers['content-type'] ?? '', body: null };
  }
  try {
    const { contentType, value, isCut } = await readBody(response, maxBytes);
    const result = { ...about, contentType, body: value };
    if (!isCut) return result;
    const cut = `Only the first ${maxBytes} bytes are here; the rest was left out.`;
    throw new TruncatedOutput(tooLarge(request, maxBytes), { ...result, cut });
  } catch (thrown) {
    throw thrown instanceof ErrandError ? thrown : broken(request, thrown);
  }
}

/** No part is ever asked for, so only one that is the whole is an answer. */
function isAllOfIt(contentRange: string | undefined): boolean {
  const { last, size } =
    /^bytes 0-(?<last>\d+)\/(?<size>\d+)$/i.exec(contentRange ?? '')?.groups ?? {};
  return last !== undefined && Number(last) + 1 === Number(size);
}

function onlyAPart(request: Request): ErrandError {
  const host = hostOf(request.url);
  return new ErrandError({
    kind: 'tool.output_malformed',
    ...(request.hasWritten || !isReading(request) ? { outcome: 'unknown' as const } : {}),
    message: `${quoted(host)} answered with a part of what is there (HTTP 206), and the whole was asked for`,
    details: { host, status: 206 },
    action: { kind: 'change_input', detail: 'Fetch an address that answers with the whole.' },
  });
}

function tooLarge({ url }: Request, maxBytes: number): ReportDraft {
  return {
    kind: 'internal.output_too_large',
    message: `The answer of ${quoted(hostOf(url))} is longer than ${maxBytes} bytes, which is the most that is read`,
    details: { host: hostOf(url), maxBytes },
    action: {
      kind: 'change_input',
      detail: 'Ask for less, raise `max_bytes`, or say `on_truncated: keep` on the node.',
    },
  };
}

/** Said by whoever stands before the server, and does not know what the server did. */
function isOfGateway(status: number): boolean {
  return GATEWAY.has(status) || (status >= 520 && status <= 530);
}

const GATEWAY: ReadonlySet<number> = new Set([408, 499, 502, 503, 504, 598, 599]);

function isReading({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

function denied(
  { url, redirects, hasWritten }: Request,
  why: string,
  cause?: unknown,
): ErrandError {
  const host = hostOf(url);
  return new ErrandError(
    {
      kind: 'tool.denied',
      outcome: hasWritten ? 'unknown' : deniedAt(redirects),
      // models read the message, and where an answer leads may name what only the inside knows
      message:
        redirects === 0
          ? `${quoted(host)} ${why}`
          : `The answer leads on to an address that ${why}`,
      details: { host, redirects, by: 'policy' },
      action: {
        kind: 'request_access',
        detail: 'Ask another address, or let the host of this run allow this one.',
      },
    },
    { cause },
  );
}

function deniedAt(redirects: number): 'not_started' | 'failed' {
  return redirects === 0 ? 'not_started' : 'failed';
}

const NEVER_MADE =
  /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENODATA)$|CERT|SSL|TLS/;

function broken(request: Request, thrown: unknown): ErrandError {
  const code = codeOf(thrown);
  const isBegun = request.hasWritten || !NEVER_MADE.test(code);
  const doubt = isReading(request) && !request.hasWritten ? 'failed' : 'unknown';
  return new ErrandError(
    {
      kind: 'tool.failed',
      outcome: isBegun ? doubt : 'not_started',
      ...(/CERT|SSL|TLS/.test(code)
        ? { category: 'configuration', domain: 'config', retryable: false }
        : { retryable: true }),
      message: `${quoted(hostOf(request.url))} could not be asked (${code})`,
      details: { host: hostOf(request.url), code },
    },
    { cause: thrown },
  );
}
