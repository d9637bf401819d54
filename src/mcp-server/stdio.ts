/** MCP over the input and output of a process: one message on each line. */
import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';
import { jsonText } from '../errors/support/printable.ts';
import type { TraceCarrier } from '../machine/ports/trace-carrier.ts';
import { CallsUnderWay } from './calls-under-way.ts';
import type { McpHost } from './host.ts';
import { readMessage } from './read-message.ts';
import type { McpMessage, McpServerSdk, SdkOccasion, SdkServer, SdkTransport } from './sdk.ts';
import { createMcpServer } from './server.ts';
import { ToolChanges } from './tool-changes.ts';

/** A longer line is no message. */
const MAX_LINE_CHARS = 8 * 1024 * 1024;
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;

export interface StdioOptions {
  readonly input: Readable;
  /** Writes one line of the protocol, without its end. */
  readonly write: (line: string) => void;
  /** Receives the problems that no client learns of. */
  readonly onProblem: (message: string) => void;
  /** The context of the trace that the process belongs to. */
  readonly trace?: TraceCarrier | undefined;
}

export interface ServingStdio {
  /** Resolves when the client has closed the input. */
  readonly closed: Promise<void>;
  /** Accepts no further message; open calls are still answered. */
  stop(): void;
  /** Resolves when open calls are answered. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export function serveStdio(
  { sdk, host }: { readonly sdk: McpServerSdk; readonly host: McpHost },
  options: StdioOptions,
): ServingStdio {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const transport = new LineTransport(sdk, options, resolve);
  const calls = new CallsUnderWay();
  const changes = new ToolChanges(host);
  const onProblem = (thrown: unknown): void => options.onProblem(host.report(thrown).message);
  const create = ({ era }: SdkOccasion): SdkServer => {
    const { trace } = options;
    const server = createMcpServer({ sdk, host, era, calls, trace, announcesTools: true });
    // one client, so one server; the package notifies only a client that listens
    changes.listen(() => void server.sendToolListChanged().catch(onProblem));
    return server;
  };
  const serving = sdk.serveStdio(create, { transport, onerror: onProblem });
  void closed.then(() => changes.close());
  return {
    closed,
    stop: () => transport.stop(),
    settled: () => calls.settled(),
    close: () => {
      changes.close();
      return serving.close();
    },
  };
}

class LineTransport implements SdkTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: McpMessage) => void) | undefined;
  readonly #sdk: McpServerSdk;
  readonly #options: StdioOptions;
  readonly #onEnd: () => void;
  readonly #decoder = new StringDecoder('utf8');
  #held = '';
  #isTooLong = false;
  #isClosed = false;

  constructor(sdk: McpServerSdk, options: StdioOptions, onEnd: () => void) {
    this.#sdk = sdk;
    this.#options = options;
    this.#onEnd = onEnd;
  }

  async start(): Promise<void> {
    const { input } = this.#options;
    input.on('data', this.#onData);
    // a client that disappears closes it by one of these events
    for (const event of ['end', 'close', 'error']) input.on(event, this.#onEnded);
  }

  async send(message: McpMessage): Promise<void> {
    if (!this.#isClosed) this.#options.write(jsonText(message));
  }

  stop(): void {
    const { input } = this.#options;
    input.off('data', this.#onData);
    input.pause();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.stop();
    for (const event of ['end', 'close', 'error']) this.#options.input.off(event, this.#onEnded);
    this.onclose?.();
  }

  readonly #onEnded = (): void => {
    this.#onEnd();
    void this.close();
  };

  readonly #onData = (chunk: Buffer | string): void => {
    this.#held += typeof chunk === 'string' ? chunk : this.#decoder.write(chunk);
    const lines = this.#held.split('\n');
    this.#held = lines.pop() ?? '';
    for (const line of lines) this.#take(line);
    if (this.#held.length <= MAX_LINE_CHARS) return;
    this.#isTooLong = true;
    this.#held = '';
  };

  #take(line: string): void {
    if (this.#isTooLong) {
      this.#isTooLong = false;
      this.#refuse(INVALID_REQUEST, `The message is longer than ${MAX_LINE_CHARS} characters`);
    } else if (line.trim() !== '') this.#read(line);
  }

  #read(line: string): void {
    let message: unknown;
    try {
      message = readMessage(line);
    } catch {
      return this.#refuse(PARSE_ERROR, 'The line is not JSON');
    }
    if (!isMessage(message))
      return this.#refuse(INVALID_REQUEST, 'The line is not one message of JSON-RPC 2.0');
    if (!asksForReply(message) || this.#sdk.isMessage(message)) return this.onmessage?.(message);
    const id = isId(message.id) ? message.id : null;
    if (typeof message.method === 'string' && id !== null)
      this.#refuse(
        INVALID_PARAMS,
        `The parameters of ${clipped(message.method)} are not valid`,
        id,
      );
    else this.#refuse(INVALID_REQUEST, 'The message is not a JSON-RPC 2.0 request', id);
  }

  /** Refuses a message, without an id if no request can be named. */
  #refuse(code: number, message: string, id: McpMessage['id'] = null): void {
    void this.send({ jsonrpc: '2.0', id, error: { code, message } });
  }
}

/** Only one version of the protocol had batches, and only over HTTP. */
function isMessage(value: unknown): value is McpMessage {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    'jsonrpc' in value &&
    value.jsonrpc === '2.0'
  );
}

/** A notification has no id, and a reply has a result or an error: neither gets a reply. */
function asksForReply(message: McpMessage): boolean {
  if ('result' in message || 'error' in message) return false;
  return 'id' in message || typeof message.method !== 'string';
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || typeof id === 'number';
}

const MAX_METHOD_CHARS = 80;

function clipped(method: string): string {
  return method.slice(0, MAX_METHOD_CHARS);
}
