/**
 * The official MCP client in both generations, connected to a server in this process or to
 * `errand mcp`.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import type { HostedServerOptions } from '../../src/server/server-options.ts';
import { HostedServer } from '../../src/server/errand-server.ts';
import { afterThisFile } from '../left-behind.ts';
import { load } from '../sdk-parity/install.ts';

const MODULES = fileURLToPath(new URL('../sdks/node_modules', import.meta.url));

const { Client, StreamableHTTPClientTransport } = await load(
  '@modelcontextprotocol/client/dist/index.mjs',
);
const { StdioClientTransport } = await load('@modelcontextprotocol/client/dist/stdio.mjs');

/** Whatever a server sent; tests look into it without types. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export type Era = 'legacy' | 'modern';
export const ERAS: readonly Era[] = ['legacy', 'modern'];

/** The answer of a person: a value, a refusal, or nothing that the server asked for. */
export type Person = (form: Json) => object | Promise<object>;

export interface ClientOptions {
  readonly era?: Era;
  readonly name?: string;
  /** Absent: the client cannot ask. */
  readonly person?: Person;
  /** Whether questions come back as results, for tests that answer in their own way. */
  readonly isManual?: boolean;
  /** Called with the tools whenever the server says that they have changed. */
  readonly onTools?: (tools: readonly Json[]) => void;
}

export interface Connected {
  readonly client: Json;
  /** Calls a tool. */
  readonly call: (name: string, given?: object, more?: object) => Promise<Json>;
  /** The structured result of a call. */
  readonly data: (name: string, given?: object) => Promise<Json>;
}

export function folderWith(files: Readonly<Record<string, string>>, hasSdk = true): string {
  const folder = mkdtempSync(join(tmpdir(), 'errand-mcp-server-'));
  afterThisFile(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  if (hasSdk) symlinkSync(MODULES, join(folder, 'node_modules'));
  return folder;
}

export type Embedded = ReturnType<typeof embedded>;

/**
 * A server without a socket. The token of a request is the name of its caller and, after a colon,
 * the role.
 */
export function embedded(directory: string, options: HostedServerOptions = {}) {
  const server = new HostedServer({
    directory,
    store: 'memory',
    env: {},
    authorize: ({ headers }) => {
      const [name = '', role = 'run'] = (headers.get('authorization') ?? '').slice(7).split(':');
      return { name, role: role === 'read' ? 'read' : 'run' };
    },
    ...options,
  });
  afterThisFile(() => server.close());
  const fetchHere = (url: string | URL, init?: RequestInit): Promise<Response> =>
    server.fetch(new Request(url, init));
  return {
    server,
    directory,
    fetch: fetchHere,
    /** Posts a message unchanged. */
    post: (body: string, headers: Readonly<Record<string, string>> = {}) =>
      fetchHere('http://localhost/mcp', {
        method: 'POST',
        body,
        headers: {
          authorization: 'Bearer ada',
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
      }),
    connect: (given: ClientOptions & { readonly token?: string } = {}): Promise<Connected> =>
      connected(
        new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
          requestInit: { headers: { authorization: `Bearer ${given.token ?? 'ada'}` } },
          fetch: fetchHere,
        }),
        given,
      ),
  };
}

/** `errand mcp` in a separate process. */
export async function overStdio(
  cwd: string,
  { args = [], env = {}, ...given }: ClientOptions & StdioOptions = {},
): Promise<Connected & { readonly transport: Json; readonly stderr: () => string }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [LAUNCHER, 'mcp', ...args],
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (part: Buffer) => (stderr += part.toString()));
  return { ...(await connected(transport, given)), transport, stderr: () => stderr };
}

interface StdioOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

async function connected(transport: Json, given: ClientOptions): Promise<Connected> {
  const { era = 'modern', name = 'tester', person, isManual = false, onTools } = given;
  const client = new Client(
    { name, version: '1' },
    {
      capabilities: person === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
      ...(isManual ? { inputRequired: { autoFulfill: false } } : {}),
      ...(onTools === undefined ? {} : { listChanged: { tools: { onChanged: listOf(onTools) } } }),
    },
  );
  if (person !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }: Json) => person(params));
  await client.connect(transport);
  afterThisFile(() => client.close());
  const call: Connected['call'] = (tool, args = {}, more = {}) =>
    client.callTool(
      { name: tool, arguments: args, ...more },
      isManual ? { allowInputRequired: true } : {},
    );
  return {
    client,
    call,
    data: async (tool, args) => (await call(tool, args)).structuredContent,
  };
}

/** The client reads the list again by itself. */
function listOf(onTools: (tools: readonly Json[]) => void) {
  return (_error: Error | null, tools: readonly Json[] | null): void => {
    if (tools !== null) onTools(tools);
  };
}
