/**
 * The simulator as a server on this machine: the protocols of the large providers, so that any client
 * can be tested against it. It knows no key and sends nothing anywhere.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isPlainObject, type JsonObject } from '../../../errors/json.ts';
import type { Usage } from '../../../machine/events.ts';
import { latestWords, type ModelCall } from '../../../machine/model-call.ts';
import { simulatedEntry } from '../../../workflow/simulated-entry.ts';
import { MACHINE_CLOCK, type EffectClock } from '../../clock.ts';
import { errorBody, type Dialect } from '../wire-failure.ts';
import { CHAT } from './chat.ts';
import type { Corpus } from './corpus.ts';
import { GEMINI } from './gemini.ts';
import { MESSAGES } from './messages.ts';
import { perform, performRecorded, type Ending, type Performed, type Stage } from './perform.ts';
import { isPlayable } from './playable.ts';
import type { Asked, Protocol, ProtocolName } from './protocol.ts';
import { RESPONSES } from './responses.ts';
import { EVERY_MODEL, type Script, type ScriptEntry } from './script.ts';
import { Wire } from './wire.ts';

export interface ServerOptions {
  readonly script?: Script;
  readonly corpus?: Corpus;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: one that is free. */
  readonly port?: number;
  readonly clock?: EffectClock;
  /** Called when a request is over. */
  readonly onRequest?: (record: RequestRecord) => void;
}

export interface RequestRecord {
  /** Counts from 1. */
  readonly number: number;
  readonly path: string;
  readonly protocol?: ProtocolName;
  readonly model?: string;
  /** How often this model had been asked before. */
  readonly ordinal?: number;
  readonly isStream: boolean;
  readonly ending: Ending | 'refused';
  readonly status?: number;
  /** What a bill would say. */
  readonly usage: Usage;
}

export interface SimulatorServer {
  /** Without a path: each protocol has its own. */
  readonly url: string;
  /** In the order in which they ended; the latest ones, as a server may run for weeks. */
  readonly records: readonly RequestRecord[];
  /** Breaks what is still open. */
  close(): Promise<void>;
}

const PROTOCOLS: readonly Protocol[] = [CHAT, RESPONSES, MESSAGES, GEMINI];

/** More than any client sends, and less than would fill the memory. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Rejects when the port cannot be had. */
export async function startSimulator(options: ServerOptions = {}): Promise<SimulatorServer> {
  const { host = '127.0.0.1', port = 0 } = options;
  const desk = new Desk(options);
  const server = createServer((request, response) => void desk.take(request, response));
  // an answer may take as long as the script wants
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
/** Of a path or a model in a record; a request may name anything. */
const MAX_NAME_CHARS = 500;

/** Counts requests and hands each to its protocol. */
class Desk {
  readonly records: RequestRecord[] = [];
  readonly #options: ServerOptions;
  readonly #clock: EffectClock;
  readonly #asked = new Map<string, number>();
  readonly #open = new Set<Promise<void>>();
  #taken = 0;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? MACHINE_CLOCK;
  }

  /** Never rejects: a bug here is an answer with status 500. */
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
      const why = `Nothing is at ${request.method ?? ''} ${path}; the simulator serves ${served}`;
      return refuse(response, protocol?.dialect ?? 'openai', 404, why);
    }
    const asked = understood(text, protocol, path);
    if (typeof asked === 'string') return refuse(response, protocol.dialect, 400, asked);
    const { model } = asked.call;
    const ordinal = this.#asked.get(model) ?? 0;
    this.#asked.delete(model);
    this.#asked.set(model, ordinal + 1);
    for (const name of this.#asked.keys())
      if (this.#asked.size > MAX_RECORDS) this.#asked.delete(name);
      else break;
    const call = { ...asked.call, ...formOf(asked), ordinal };
    const wire = new Wire(response, this.#clock);
    const atSeconds = Math.floor(this.#clock.now() / 1000);
    const stage: Stage = { wire, protocol, asked, call, id: `sim${number}`, atSeconds };
    const about = { protocol: protocol.name, model, ordinal, isStream: asked.isStream };
    const performed = await this.#perform(stage);
    if (typeof performed === 'string')
      return { ...about, ...refuse(response, protocol.dialect, 404, performed) };
    return { ...about, ...performed };
  }

  /** Text: why there is nothing to play. */
  async #perform(stage: Stage): Promise<Performed | string> {
    const { model, ordinal } = stage.call;
    const entry = this.#entryFor(model, { ordinal, prompt: latestWords(stage.call.messages) });
    const id = entry?.wire.corpus ?? (entry === undefined ? named(model, 'corpus/') : undefined);
    if (id !== undefined) {
      const recorded = this.#options.corpus?.get(id);
      return recorded === undefined
        ? `The corpus has no entry ${id}`
        : performRecorded(recorded, stage);
    }
    const kind = entry === undefined ? named(model, 'fail/') : undefined;
    if (kind === undefined) return perform(entry, stage);
    if (!isPlayable(kind)) return `No answer of a server is ${kind}`;
    return perform({ answer: { type: 'fail', delayMs: 0, fail: { kind } }, wire: {} }, stage);
  }

  /** Under the name as it was sent, and without what stands before its last slash. */
  #entryFor(
    model: string,
    asked: { readonly ordinal: number; readonly prompt: string },
  ): ScriptEntry | undefined {
    const { script } = this.#options;
    const list =
      script?.get(model) ?? script?.get(model.replace(/^.*\//, '')) ?? script?.get(EVERY_MODEL);
    return simulatedEntry(list ?? [], ({ answer }) => answer, asked);
  }
}

/** The arguments of the tool that has to be called are the form of the answer. */
function formOf({ forcedTool, call }: Asked): Pick<ModelCall, 'outputSchema'> {
  const tool = call.tools.find(({ name }) => name === forcedTool);
  return tool === undefined ? {} : { outputSchema: tool.inputSchema };
}

function named(model: string, prefix: string): string | undefined {
  return model.startsWith(prefix) ? model.slice(prefix.length) : undefined;
}

/** Text: why it is no request. */
function understood(text: string, protocol: Protocol, path: string): Asked | string {
  try {
    const body: unknown = JSON.parse(text);
    // what was parsed is JSON
    if (isPlainObject(body)) return protocol.read(body as JsonObject, path);
  } catch {
    // the answer says so
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

/** Undefined when the client went away, or sent more than anyone does. */
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
