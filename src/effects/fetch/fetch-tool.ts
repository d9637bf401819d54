/**
 * The built-in tool `http_fetch`. It exists only where hosts are allowed, calls only those, and never
 * this machine or its network unless allowed; a redirect is checked like the first address.
 *
 * | event                                           | kind                    | outcome     |
 * |-------------------------------------------------|-------------------------|-------------|
 * | not an http or https address                    | `tool.input_invalid`    | not_started |
 * | a host that is not allowed, a private address   | `tool.denied`           | not_started |
 * | the same after a redirect                       | `tool.denied`           | failed      |
 * | could not be resolved or connected to           | `tool.failed`           | not_started |
 * | a redirect that would repeat a write            | `tool.failed`           | failed      |
 * | the connection broke                            | `tool.failed`           | failed, or unknown where it writes |
 * | a response that is not a success                | `tool.failed`           | failed      |
 * | a gateway's response (408, 502, 503, 504, 52x)  | `tool.failed`           | failed, or unknown where it writes |
 * | longer than the limit                           | `internal.output_too_large`, unless the node keeps it | failed, or unknown where it writes |
 * | neither text nor JSON                           | `tool.output_malformed` | failed, or unknown where it writes |
 *
 * After a write that was answered with a redirect to another page, every failure is `unknown`: the page
 * may be missing, but the write happened.
 */
import type { IncomingMessage } from 'node:http';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { tool, type AnyTool, type ToolContext } from '../../workflow/authoring/define-tool.ts';
import { TruncatedOutput } from '../function/call-function.ts';
import { createAllowList, hostOf, type AllowList } from './allow-list.ts';
import { FETCH_TOOL, type FetchMethod, type FetchOptions } from '../../workflow/plan/plan.ts';
import { readCallable, type Callable } from '../module/callable.ts';
import {
  PrivateAddress,
  resolveBySystem,
  sendGuarded,
  type ResolveName,
} from './guarded-request.ts';
import { readBody, UnusableBody } from './read-body.ts';
import {
  broken,
  denied,
  isReading,
  noAddress,
  badRedirect,
  onlyPart,
  redirectedWrite,
  tooLarge,
  unusable,
  type FetchRequest,
} from './fetch-failures.ts';
import { statusFailure } from './status-failure.ts';

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The system resolves names, except in tests. */
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

/** The tool as a file configures it; the same settings give the same tool. */
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
  throw new TypeError('tool() returned something that cannot be called');
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

async function run(input: JsonObject, rules: Rules, context: ToolContext): Promise<JsonObject> {
  const { url: address, method, body } = input;
  const first: FetchRequest = {
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

function isOfTheWeb({ protocol, username, password }: URL): boolean {
  return /^https?:$/.test(protocol) && `${username}${password}` === '';
}

async function send(
  request: FetchRequest,
  rules: Rules,
  context: ToolContext,
): Promise<IncomingMessage> {
  const { url, method, body } = request;
  if (!rules.isAllowed(url)) throw denied(request, 'is not an allowed host');
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  try {
    return await sendGuarded({
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
      throw denied(request, 'resolves to a private address', { cause: thrown, isPrivate: true });
    throw broken(request, thrown, 'request');
  }
}

function redirectOf(request: FetchRequest, response: IncomingMessage): FetchRequest | undefined {
  const { statusCode = 0, headers } = response;
  if (!REDIRECTS.has(statusCode) || headers.location === undefined) return undefined;
  const isKept = statusCode === 307 || statusCode === 308 || isReading(request);
  const hasWritten = request.hasWritten || !isKept;
  if (!URL.canParse(headers.location, request.url.href))
    throw badRedirect(`${hostOf(request.url)} redirects without a valid location`, hasWritten);
  const redirects = request.redirects + 1;
  if (redirects > MAX_REDIRECTS)
    throw badRedirect(
      `${hostOf(request.url)} redirects more than ${MAX_REDIRECTS} times`,
      hasWritten,
    );
  const url = new URL(headers.location, request.url);
  if (!isOfTheWeb(url)) throw noAddress(hasWritten ? 'unknown' : 'not_started');
  if (!isKept) return { url, method: 'GET', redirects, hasWritten };
  if (isReading(request)) return { ...request, url, redirects };
  // a body is meant only for the origin that it was sent to
  if (url.origin !== request.url.origin)
    throw denied(
      { ...request, url, redirects },
      'is a different origin, so the request body was not sent there',
    );
  throw redirectedWrite(url, statusCode);
}

/**
 * After a write, the change may be done: a gateway did not wait for its server, or the server
 * redirects to the result.
 */
function mayBeDone(status: number): boolean {
  return isOfGateway(status) || (REDIRECTS.has(status) && status <= 303);
}

async function resultOf(
  request: FetchRequest,
  response: IncomingMessage,
  { maxBytes }: Rules,
): Promise<JsonObject> {
  const { url, method } = request;
  const status = response.statusCode ?? 0;
  if (status < 200 || status >= 300) {
    response.destroy();
    throw statusFailure(hostOf(url), status, {
      headers: response.headers,
      isInDoubt: request.hasWritten || (!isReading(request) && mayBeDone(status)),
    });
  }
  if (status === 206 && !isWhole(response.headers['content-range'])) {
    response.destroy();
    throw onlyPart(request);
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
    const cut = `Only the first ${maxBytes} bytes are here; the rest was cut.`;
    throw new TruncatedOutput(tooLarge(request, maxBytes), { ...result, cut });
  } catch (thrown) {
    if (thrown instanceof UnusableBody) throw unusable(request, thrown);
    throw thrown instanceof ErrandError ? thrown : broken(request, thrown, 'response');
  }
}

/** No range is requested, so a 206 counts only if its range is the whole. */
function isWhole(contentRange: string | undefined): boolean {
  const { last, size } =
    /^bytes 0-(?<last>\d+)\/(?<size>\d+)$/i.exec(contentRange ?? '')?.groups ?? {};
  return last !== undefined && Number(last) + 1 === Number(size);
}

/** Statuses of gateways, which do not know the outcome at the server behind them. */
function isOfGateway(status: number): boolean {
  return GATEWAY.has(status) || (status >= 520 && status <= 530);
}

const GATEWAY: ReadonlySet<number> = new Set([408, 499, 502, 503, 504, 598, 599]);
