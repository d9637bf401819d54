/** The HTTP of an Errand server: requests with its token, and its refusals as errors. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { jsonFrom, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { refusalIn } from './server-refusal.ts';

export interface ServerPlace {
  /** Without a trailing slash, credentials, query or fragment. */
  readonly url: string;
  readonly token?: string | undefined;
}

export interface Ask {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  readonly signal?: AbortSignal;
}

export interface JsonAnswer {
  readonly status: number;
  readonly body: JsonValue;
}

/** For a whole answer. */
const ANSWER_MS = 90_000;

/** More than any answer of an Errand server, which gives long lists in pages. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

const REPEAT =
  'Check the address in --server or ERRAND_SERVER, and that `errand serve` runs there; then repeat the command.';

/** Codes of connections that failed before anything was sent. */
const UNCONNECTED: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

function isUnconnected(thrown: unknown): boolean {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return isObject(cause) && UNCONNECTED.has(cause['code']);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

export class ServerClient {
  readonly url: string;
  readonly #token: string | undefined;

  constructor({ url, token }: ServerPlace) {
    this.url = url;
    this.#token = token;
  }

  async get(path: string, ask: Pick<Ask, 'headers'> = {}): Promise<JsonValue> {
    return (await this.#json('GET', path, ask)).body;
  }

  post(path: string, body: JsonObject, headers: Ask['headers'] = {}): Promise<JsonAnswer> {
    return this.#json('POST', path, { body, headers });
  }

  /** A value that an answer only links to. */
  async linked(href: string): Promise<JsonValue> {
    const { origin } = new URL(this.url);
    const target = new URL(href, origin);
    // the token is for this server only
    if (target.origin !== origin) throw this.#strange(`a link to ${target.origin}`);
    const signal = AbortSignal.timeout(ANSWER_MS);
    return (await this.#read(await this.#send('GET', target.href, { signal }))).body;
  }

  /** Rejects for every refusal; the caller reads the body. */
  async open(path: string, ask: Ask): Promise<Response> {
    const response = await this.#send('GET', this.url + path, ask);
    if (response.ok) return response;
    return this.#refuse(response.status, await this.#text(response));
  }

  /** The failure of a server that cannot be reached, or that stopped in the middle. */
  away(cause?: unknown, advice = REPEAT): ErrandError {
    return new ErrandError(
      {
        kind: 'store.unavailable',
        message: `The Errand server at ${this.url} does not answer`,
        ...(isUnconnected(cause) ? { outcome: 'not_started' } : {}),
        details: { server: this.url },
        action: { kind: 'fix_setup', detail: advice },
      },
      { cause },
    );
  }

  /** Warns of a server that is asked again. */
  awayForNow(cause: unknown): ErrorReport {
    const { kind, details } = this.away(cause).report;
    const message = `The Errand server at ${this.url} does not answer; trying again`;
    return toReport(new ErrandError({ kind, message, details }, { cause }));
  }

  async #json(method: string, path: string, ask: Ask): Promise<JsonAnswer> {
    const signal = AbortSignal.timeout(ANSWER_MS);
    return this.#read(await this.#send(method, this.url + path, { ...ask, signal }));
  }

  async #read(response: Response): Promise<JsonAnswer> {
    const { status, ok } = response;
    const text = await this.#text(response);
    if (!ok) return this.#refuse(status, text);
    const body = jsonIn(text);
    if (body === undefined) throw this.#strange('an answer that is not JSON');
    return { status, body };
  }

  async #send(method: string, url: string, { headers, body, signal }: Ask): Promise<Response> {
    try {
      return await fetch(url, {
        method,
        redirect: 'manual',
        headers: {
          accept: 'application/json',
          ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (thrown) {
      throw this.away(thrown);
    }
  }

  async #text({ body }: Response): Promise<string> {
    const chunks: AsyncIterable<Uint8Array> | readonly Uint8Array[] = body ?? [];
    const decoder = new TextDecoder();
    let text = '';
    let bytes = 0;
    try {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        // leaving the loop cancels the answer
        if (bytes > MAX_ANSWER_BYTES) break;
        text += decoder.decode(chunk, { stream: true });
      }
    } catch (thrown) {
      throw this.away(thrown);
    }
    if (bytes > MAX_ANSWER_BYTES)
      throw this.#strange(`an answer that is larger than ${MAX_ANSWER_BYTES} bytes`);
    return text + decoder.decode();
  }

  #refuse(status: number, text: string): never {
    throw refusalIn(jsonIn(text)) ?? this.#strange(`HTTP ${status}, which is not its own`);
  }

  /** Something else answers at this address: a proxy, or another program. */
  #strange(what: string): ErrandError {
    return new ErrandError({
      kind: 'store.unavailable',
      message: `${this.url} does not answer as an Errand server: it sent ${what}`,
      details: { server: this.url },
      action: {
        kind: 'fix_setup',
        detail: 'Check the address in --server or ERRAND_SERVER, and the proxy before the server.',
      },
    });
  }
}

function jsonIn(text: string): JsonValue | undefined {
  try {
    return jsonFrom(text);
  } catch {
    // the caller says what came instead
    return undefined;
  }
}
