/** Calls of tools as a run would make them, and servers that leave nothing behind. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { contextFor } from '../../src/effects/effect-port.cases.ts';
import type { EffectClock } from '../../src/effects/clock.ts';
import type { EffectContext, EffectResult } from '../../src/effects/effect-port.ts';
import {
  createMcpServers,
  type McpOptions,
  type McpRequest,
  type McpServers,
} from '../../src/effects/mcp/mcp-servers.ts';
import type { JsonObject } from '../../src/errors/support/safe-json.ts';
import type { McpServer } from '../../src/workflow/plan/plan.ts';
import { afterThisTest } from '../left-behind.ts';
import { requireSdks } from '../sdk-parity/install.ts';
import { SDKS } from './tools.ts';

export const SERVER = fileURLToPath(new URL('stdio-server.ts', import.meta.url));

export interface Asked {
  readonly server?: Partial<McpServer>;
  readonly name?: string;
  readonly request?: Partial<McpRequest>;
  readonly context?: Partial<EffectContext>;
}

export interface Host {
  readonly servers: McpServers;
  /** A word in the command line of every process that the host starts. */
  readonly mark: string;
  readonly did: () => readonly string[];
  /** How the next process starts. */
  readonly startBy: (how: 'work' | 'crash' | 'hang' | 'modern') => void;
  readonly call: (tool: string, given?: JsonObject, asked?: Asked) => Promise<EffectResult>;
}

let count = 0;

export function host(options: Partial<McpOptions> = {}): Host {
  requireSdks();
  const folder = mkdtempSync(join(tmpdir(), 'errand-mcp-'));
  afterThisTest(() => rmSync(folder, { recursive: true, force: true }));
  const mark = `mark-${process.pid}-${(count += 1)}`;
  const servers = createMcpServers({
    env: { PATH: process.env['PATH'], SECRET_TOKEN: 'token-that-nobody-may-see', OTHER_KEY: 'x' },
    directory: SDKS,
    ...options,
  });
  afterThisTest(() => servers.close());
  const call: Host['call'] = (tool, given = {}, { server, name = 's', request, context } = {}) =>
    servers.call(
      {
        server: { name, settings: { ...stdio(folder, mark), ...server } },
        tool,
        arguments: given,
        isIdempotent: false,
        ...request,
      },
      contextFor(context),
    );
  return {
    servers,
    mark,
    call,
    did: () =>
      existsSync(join(folder, 'did'))
        ? readFileSync(join(folder, 'did'), 'utf8').trim().split('\n')
        : [],
    startBy: (how) => writeFileSync(join(folder, 'start'), how),
  };
}

function stdio(folder: string, mark: string): McpServer {
  return {
    type: 'stdio',
    command: process.execPath,
    args: [SERVER, mark],
    env: {
      DID: join(folder, 'did'),
      START: join(folder, 'start'),
      TOKEN: '${SECRET_TOKEN}',
      MARK: '1000.5',
    },
    headers: {},
    tools: null,
    toolSettings: {},
  };
}

export function http(url: string, type: 'http' | 'sse' = 'http'): Partial<McpServer> {
  return { type, url, headers: { authorization: 'Bearer ${SECRET_TOKEN}' } };
}

/** A clock whose waits end only when something has happened, however busy the machine is. */
export function onceIt(has: () => boolean): EffectClock {
  return {
    now: () => 0,
    after: (_ms, fire) => {
      const timer = setInterval(() => {
        if (!has()) return;
        clearInterval(timer);
        fire();
      }, 5);
      return () => clearInterval(timer);
    },
  };
}

/** Polls with a short pause, which it leaves to the processes that it waits for. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await after(5);
}
