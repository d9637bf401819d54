/**
 * Starts the simulator as a server on this machine, with the protocols of the large providers, to
 * test any client against it. It needs no key and calls no other server.
 */
import { ErrandError } from '../errors/thrown/errand-error.ts';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isPlainObject, type JsonObject } from '../errors/support/safe-json.ts';
import type { Usage } from '../machine/state/events.ts';
import { latestWords, type ModelCall } from '../machine/conversation/model-message.ts';
import { simulatedEntry } from '../workflow/plan/simulated-entry.ts';
import { MACHINE_CLOCK, type EffectClock } from '../effects/clock.ts';
import { errorBody, type Dialect } from '../effects/simulator/wire-failure.ts';
import { CHAT } from './openai-chat.ts';
import type { Corpus } from './corpus.ts';
import { GEMINI } from './gemini.ts';
import { MESSAGES } from './anthropic-messages.ts';
import {
  playEntry,
  playRecorded,
  type RequestEnding,
  type PlayedEntry,
  type RequestContext,
} from './play-entry.ts';
import { isPlayable } from './playable.ts';
import type { ReceivedRequest, Protocol, ProtocolName } from './protocol.ts';
import { RESPONSES } from './openai-responses.ts';
import { EVERY_MODEL, type Script, type ScriptEntry } from './reply-script.ts';
import { Wire } from './wire.ts';

export interface ServerOptions {
  readonly script?: Script;
  readonly corpus?: Corpus;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: a free port. */
  readonly port?: number;
  readonly clock?: EffectClock;
  /** Called when a request has ended. */
  readonly onRequest?: (record: RequestRecord) => void;
}

export interface RequestRecord {
  /** From 1. */
  readonly number: number;
  readonly path: string;
  readonly protocol?: ProtocolName;
  readonly model?: string;
  /** Number of earlier requests to this model. */
  readonly ordinal?: number;
  readonly isStream: boolean;
  readonly ending: RequestEnding | 'refused';
  readonly status?: number;
  /** The usage to bill. */
  readonly usage: Usage;
}

export interface SimulatorServer {
  /** Without a path, because each protocol has its own. */
  readonly url: string;
  /** The latest requests, in the order in which they ended. */
  readonly records: readonly RequestRecord[];
  /** Breaks open connections. */
  close(): Promise<void>;
}

const PROTOCOLS: readonly Protocol[] = [CHAT, RESPONSES, MESSAGES, GEMINI];

/**
 * Longer than clients keep a connection: if the server closed one while a request is on its way,
 * that would be a failure that no script asked for.
 */
const KEEP_ALIVE_MS = 60_000;

/** More than any client sends, but less than would fill the memory. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Rejects if the port is not available. */
export async function startSimulator(options: ServerOptions = {}): Promise<SimulatorServer> {
  const { host = '127.0.0.1', port = 0 } = options;
  const desk = new RequestHandler(options);
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    void desk.take(request, response);
  });
  // a reply may take as long as the script says
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const taken = isPlainObject(address) ? Number(address['port']) : port;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${taken}`,
    records: desk.records,
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await desk.settled();
    },
  };
}

type Outcome = Omit<RequestRecord, 'number' | 'path'>;

const MAX_RECORDS = 10_000;
/** Limit of a path or a model name in a record. */
const MAX_NAME_CHARS = 500;

/** Counts requests and hands each to its protocol. */
class RequestHandler {
  readonly records: RequestRecord[] = [];
  readonly #options: ServerOptions;
  readonly #clock: EffectClock;
  readonly #requestCounts = new Map<string, number>();
  readonly #open = new Set<Promise<void>>();
  #taken = 0;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? MACHINE_CLOCK;
  }

  /** Never rejects: a bug here is a response with status 500. */
  async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const number = ++this.#taken;
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const work = this.#answer(request, response, { number, path }).then((outcome) => {
      const record = { number, path: path.slice(0, MAX_NAME_CHARS), ...outcome };
      this.records.push(record);
      if (this.records.length > MAX_RECORDS) this.records.splice(0, MAX_RECORDS / 10);
      this.#options.onRequest?.(record);
    });
    this.#open.add(work);
    try {
      await work;
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      if (response.headersSent) response.destroy();
      else refuse(response, 'openai', 500, `The simulator has a bug: ${message}`);
    } finally {
      this.#open.delete(work);
    }
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#open);
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    { number, path }: { readonly number: number; readonly path: string },
  ): Promise<Outcome> {
    const protocol = PROTOCOLS.find((each) => each.claims(path));
    const text = await bodyOf(request);
    if (text === undefined) return { isStream: false, ending: 'left', usage: {} };
    if (protocol === undefined || request.method !== 'POST') {
      const served = PROTOCOLS.map(({ name }) => name).join(', ');
      const why = `Not found: ${request.method ?? ''} ${path}; the simulator serves ${served}`;
      return refuse(response, protocol?.dialect ?? 'openai', 404, why);
    }
    const received = understood(text, protocol, path);
    if (typeof received === 'string') return refuse(response, protocol.dialect, 400, received);
    const { model } = received.call;
    const ordinal = this.#requestCounts.get(model) ?? 0;
    this.#requestCounts.delete(model);
    this.#requestCounts.set(model, ordinal + 1);
    for (const name of this.#requestCounts.keys())
      if (this.#requestCounts.size > MAX_RECORDS) this.#requestCounts.delete(name);
      else break;
    const call = { ...received.call, ...formOf(received), ordinal };
    const wire = new Wire(response, this.#clock);
    const atSeconds = Math.floor(this.#clock.now() / 1000);
    const context: RequestContext = {
      wire,
      protocol,
      received,
      call,
      id: `sim${number}`,
      atSeconds,
    };
    const about = { protocol: protocol.name, model, ordinal, isStream: received.isStream };
    let played: PlayedEntry | string;
    try {
      played = await this.#playEntry(context);
    } catch (thrown) {
      // no reply fits the schema of the request, and the script has none either
      if (!(thrown instanceof ErrandError) || response.headersSent) throw thrown;
      return { ...about, ...refuse(response, protocol.dialect, 400, thrown.message) };
    }
    if (typeof played === 'string')
      return { ...about, ...refuse(response, protocol.dialect, 404, played) };
    return { ...about, ...played };
  }

  /** A string says why there is nothing to play. */
  async #playEntry(context: RequestContext): Promise<PlayedEntry | string> {
    const { model, ordinal } = context.call;
    const entry = this.#entryFor(model, { ordinal, prompt: latestWords(context.call.messages) });
    const id = entry?.wire.corpus ?? (entry === undefined ? named(model, 'corpus/') : undefined);
    if (id !== undefined) {
      const recorded = this.#options.corpus?.get(id);
      return recorded === undefined
        ? `The corpus has no entry ${id}`
        : playRecorded(recorded, context);
    }
    const kind = entry === undefined ? named(model, 'fail/') : undefined;
    if (kind === undefined) return playEntry(entry, context);
    if (!isPlayable(kind)) return `No server response means ${kind}`;
    return playEntry({ answer: { type: 'fail', delayMs: 0, fail: { kind } }, wire: {} }, context);
  }

  /** Finds the script by the full name, by the part after its last slash, or the one for every model. */
  #entryFor(
    model: string,
    received: { readonly ordinal: number; readonly prompt: string },
  ): ScriptEntry | undefined {
    const { script } = this.#options;
    const list =
      script?.get(model) ?? script?.get(model.replace(/^.*\//, '')) ?? script?.get(EVERY_MODEL);
    return simulatedEntry(list ?? [], ({ answer }) => answer, received);
  }
}

/** For a forced tool, its arguments are the schema of the reply. */
function formOf({ forcedTool, call }: ReceivedRequest): Pick<ModelCall, 'outputSchema'> {
  const tool = call.tools.find(({ name }) => name === forcedTool);
  return tool === undefined ? {} : { outputSchema: tool.inputSchema };
}

function named(model: string, prefix: string): string | undefined {
  return model.startsWith(prefix) ? model.slice(prefix.length) : undefined;
}

/** A string says why it is not a valid request. */
function understood(text: string, protocol: Protocol, path: string): ReceivedRequest | string {
  try {
    const body: unknown = JSON.parse(text);
    // true: parsed from JSON
    if (isPlainObject(body)) return protocol.read(body as JsonObject, path);
  } catch {
    // the message below says so
  }
  return 'We could not parse the JSON body of your request.';
}

function refuse(
  response: ServerResponse,
  dialect: Dialect,
  status: number,
  message: string,
): Outcome {
  const type = REFUSALS[dialect][status === 404 ? 1 : 0];
  const body = errorBody(dialect, { status, type, message, code: null });
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  return { isStream: false, ending: 'refused', status, usage: {} };
}

const REFUSALS: Readonly<Record<Dialect, readonly [bad: string, missing: string]>> = {
  openai: ['invalid_request_error', 'invalid_request_error'],
  anthropic: ['invalid_request_error', 'not_found_error'],
  google: ['INVALID_ARGUMENT', 'NOT_FOUND'],
};

/** Undefined if the client disconnected, or sent more than the limit. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) {
        request.destroy();
        return undefined;
      }
      chunks.push(chunk);
    }
  } catch {
    // the connection broke; the record says that the client left
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}
