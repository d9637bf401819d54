/** A real `errand serve` in a folder of its own, and requests to it through real sockets. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { hasOwnProcess, openShared } from '../cli/shared/command.ts';
import { afterThisTest } from '../left-behind.ts';
import { createErrandServer, type ErrandServerOptions } from '../../src/server/errand-server.ts';

export interface Setup {
  readonly files?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** An existing folder, to start a second server on it. */
  readonly folder?: string;
  readonly port?: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, if it is JSON. */
  readonly json: Json;
}

/** Whatever the server sent; tests look into it without types. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: string;
  readonly token?: string | null;
  readonly signal?: AbortSignal;
}

interface ServerProcess {
  readonly pid?: number | undefined;
  kill(signal: NodeJS.Signals): unknown;
  readonly ended: Promise<number | null>;
}

export class Served {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly folder: string;
  readonly child: ServerProcess;
  readonly #output: { stderr: string; stdout: string };
  readonly ended: Promise<number | null>;

  constructor(
    child: ServerProcess,
    folder: string,
    first: { url: string; port: number; token?: string },
    output: { stderr: string; stdout: string },
  ) {
    this.child = child;
    this.folder = folder;
    this.url = first.url;
    this.port = first.port;
    this.token = first.token ?? '';
    this.#output = output;
    this.ended = child.ended;
  }

  /** The same server at another address, as behind a proxy. */
  behind(url: string): Served {
    const { child, folder, port, token } = this;
    return new Served(child, folder, { url, port, token }, this.#output);
  }

  get stderr(): string {
    return this.#output.stderr;
  }

  get stdout(): string {
    return this.#output.stdout;
  }

  headers({ token = this.token, headers = {}, json }: Ask = {}): Record<string, string> {
    return {
      ...(token === null || token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
  }

  fetch(path: string, ask: Ask = {}): Promise<Response> {
    const { method = ask.json === undefined && ask.body === undefined ? 'GET' : 'POST' } = ask;
    const body = ask.json === undefined ? ask.body : JSON.stringify(ask.json);
    return fetch(this.url + path, {
      method,
      headers: this.headers(ask),
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
      ...(ask.signal === undefined ? {} : { signal: ask.signal }),
    });
  }

  async ask(path: string, ask: Ask = {}): Promise<Answer> {
    return answerOf(await this.fetch(path, ask));
  }

  /** Sends `Host` and other headers unchanged, which `fetch` does not allow. */
  raw(path: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest(
        { host: '127.0.0.1', port: this.port, path, method, headers, setHost: false },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => (text += part));
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: new Headers(
                Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
              ),
              text,
              json: parsed(text),
            }),
          );
        },
      );
      sent.on('error', reject).end();
    });
  }

  /** The body as sent: `fetch` would decompress it. */
  encoded(
    path: string,
    encoding: string,
  ): Promise<{ readonly headers: IncomingHttpHeaders; readonly body: Buffer }> {
    const headers = { 'accept-encoding': encoding };
    return new Promise((resolve, reject) => {
      const sent = httpRequest(
        { host: '127.0.0.1', port: this.port, path, headers },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('end', () =>
            resolve({ headers: response.headers, body: Buffer.concat(parts) }),
          );
        },
      );
      sent.on('error', reject).end();
    });
  }

  /** Starts a run and waits until it rests. */
  async run(workflow: string, more: Record<string, unknown> = {}): Promise<Json> {
    const { json } = await this.ask('/v1/runs', {
      json: { workflow, ...more },
      headers: { prefer: 'wait=60' },
    });
    return json;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    return this.ended;
  }
}

const GRACE_MS = 500;

export function newFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'errand-served-'));
  afterThisTest(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function argsOf({ port = 0, args = [] }: Setup): readonly string[] {
  return ['serve', '--port', String(port), '--format', 'json', ...args];
}

function started(setup: Setup): {
  child: ChildProcess;
  folder: string;
  output: Ended & { stdout: string; stderr: string };
} {
  const folder = setup.folder ?? newFolder(setup.files);
  const child = spawn(process.execPath, [LAUNCHER, ...argsOf(setup)], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...setup.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { code: null, stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (part: string) => (output.stdout += part));
  child.stderr?.setEncoding('utf8').on('data', (part: string) => (output.stderr += part));
  return { child, folder, output };
}

/** Starts a server and waits until it listens. */
export async function serve(setup: Setup = {}): Promise<Served> {
  const { child, folder, output } = started(setup);
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', () => output.stdout.includes('\n') && resolve());
    child.once('exit', () => reject(new Error(`it ended: ${output.stderr}`)));
  });
  const [line = ''] = output.stdout.split('\n');
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const { pid } = child;
  const kill = (signal: NodeJS.Signals): boolean => child.kill(signal);
  afterThisTest(() => (kill('SIGKILL'), ended));
  return new Served({ pid, kill, ended }, folder, JSON.parse(line), output);
}

/** The same for tests of a server's answers: most run in a process that has loaded the command. */
export async function serveWarm(setup: Setup = {}): Promise<Served> {
  if (hasOwnProcess(`server of ${expect.getState().currentTestName}`)) return serve(setup);
  const folder = setup.folder ?? newFolder(setup.files);
  const output = { stdout: '', stderr: '' };
  const { promise: listens, resolve } = Promise.withResolvers<void>();
  const surroundings = { cwd: folder, env: { PATH: process.env['PATH'] ?? '', ...setup.env } };
  const command = openShared(argsOf(setup), surroundings, ({ stdout = '', stderr = '' }) => {
    output.stdout += stdout;
    output.stderr += stderr;
    if (output.stdout.includes('\n')) resolve();
  });
  const early = command.ended.then(() => Promise.reject(new Error(`it ended: ${output.stderr}`)));
  await Promise.race([listens, early]);
  early.catch(() => undefined);
  const [line = ''] = output.stdout.split('\n');
  afterThisTest(() => endSoon(command));
  return new Served(command, folder, JSON.parse(line), output);
}

/** A server with open effects would wait for them. */
async function endSoon(command: ServerProcess): Promise<void> {
  command.kill('SIGTERM');
  const hasEnded = await Promise.race([command.ended.then(() => true), delay(GRACE_MS, false)]);
  if (!hasEnded) command.kill('SIGKILL');
  await command.ended;
}

/** Starts a server that is expected to refuse to start. */
export async function refusedServe(setup: Setup): Promise<Ended> {
  const { child, output } = started(setup);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { ...output, code };
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const { status, headers } = response;
  return { status, headers, text, json: parsed(text) };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    // no JSON
    return undefined;
  }
}

/** A server in this process, without a socket. */
export function embedded(
  files: Readonly<Record<string, string>>,
  options: ErrandServerOptions = {},
): {
  server: ReturnType<typeof createErrandServer>;
  ask: (path: string, ask?: Ask) => Promise<Answer>;
} {
  const directory = newFolder(files);
  const server = createErrandServer({
    directory,
    store: 'memory',
    env: {},
    authorize: () => ({ name: 'ada', role: 'edit' }),
    ...options,
  });
  const base = options.basePath ?? '';
  return {
    server,
    ask: async (path, ask = {}) => {
      const body = ask.json === undefined ? ask.body : JSON.stringify(ask.json);
      const { method = body === undefined ? 'GET' : 'POST' } = ask;
      const headers = {
        ...(ask.json === undefined ? {} : { 'content-type': 'application/json' }),
        ...ask.headers,
      };
      const request = new Request(`http://localhost${base}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      return answerOf(await server.fetch(request));
    },
  };
}
