/**
 * The walks of ARCHITECTURE.md, followed: each walk is run as its reader would run it, and every file that
 * it names must have had one of its functions called. A file that is no longer on the way fails here.
 */
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireSdks } from './sdk-parity/install.ts';

const ROOT = join(import.meta.dirname, '..');
const LAUNCHER = join(ROOT, 'bin/errand.mjs');
const MOST_FILES = 12;

let folder: string;
let server: Server | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'errand-walk-'));
});

afterEach(() => {
  server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** The files of a walk, in its order: the first path in backticks of each numbered line. */
function walk(title: string): readonly string[] {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const section = text.split(/^### /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
  const steps = section.matchAll(/^\d+\. `(?<file>src\/[^`]+\.ts)`/gm);
  return [...steps].map(({ groups }) => groups?.['file'] ?? '');
}

interface Ended {
  readonly exit: number | null;
  readonly output: string;
  /** Sources of which a function was called. */
  readonly called: ReadonlySet<string>;
  /** How often each function was called, by `file name`. */
  readonly calls: ReadonlyMap<string, number>;
}

async function errand(args: readonly string[]): Promise<Ended> {
  const coverage = mkdtempSync(join(folder, 'coverage-'));
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', NODE_V8_COVERAGE: coverage },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => void (output += piece.toString()));
  const exit = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const calls = callsIn(coverage);
  const called = new Set(Array.from(calls.keys(), (key) => key.slice(0, key.indexOf(' '))));
  return { exit, output, called, calls };
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

function callsIn(coverage: string): ReadonlyMap<string, number> {
  const base = pathToFileURL(`${ROOT}/`).href;
  const calls = new Map<string, number>();
  for (const name of readdirSync(coverage)) {
    // our own Node wrote it
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as Coverage;
    for (const { url, functions } of result)
      // the first function is the module itself, which runs when it is loaded
      for (const { functionName, ranges } of functions.slice(1)) {
        const key = `${url.replace(base, '')} ${functionName}`;
        const count = ranges[0]?.count ?? 0;
        if (count > 0) calls.set(key, (calls.get(key) ?? 0) + count);
      }
  }
  return calls;
}

function notOnTheWay(files: readonly string[], called: ReadonlySet<string>): readonly string[] {
  return files.filter((file) => !called.has(file));
}

/** A workflow with one call of a model, which a server answers with this failure. */
async function writeRefusedCall(status: number, error: object): Promise<void> {
  requireSdks();
  server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' });
    response.end(JSON.stringify({ error }));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  symlinkSync(join(ROOT, 'test/sdks/node_modules'), join(folder, 'node_modules'));
  writeFileSync(
    join(folder, 'w.yaml'),
    `workflow: {name: w, entry_point: a, runtime: {provider: {name: vllm, base_url: 'http://127.0.0.1:${port}/v1'}}}
nodes: [{name: a, type: agent, model: vllm/m, prompt: Hi}]
`,
  );
}

describe('the walk of', () => {
  it('a 429 leads from the SDK to the panel', async () => {
    await writeRefusedCall(429, { code: 'rate_limit_exceeded', message: 'Slow down' });
    const { exit, output, called } = await errand(['run', 'w.yaml']);
    expect(output).toContain('provider.rate_limited');
    expect(exit).not.toBe(0);
    const files = walk('A 429, from the SDK to the panel');
    expect(files.length).toBeGreaterThan(5);
    expect(files.length).toBeLessThanOrEqual(MOST_FILES);
    expect(notOnTheWay(files, called)).toEqual([]);
  });

  it('a step leads to its row, and back when it is answered', async () => {
    writeFileSync(
      join(folder, 'w.yaml'),
      `workflow: {name: w, entry_point: a}
nodes:
  - {name: a, type: set, value: {x: 1}, routes: [{to: g}]}
  - {name: g, type: human_gate, prompt: Ok?, options: [{label: Yes, value: y, route: $end}]}
`,
    );
    const paused = await errand(['run', 'w.yaml']);
    expect(paused.exit, paused.output).toBe(5);
    const run = /errand answer (?<run>\S+)/.exec(paused.output)?.groups?.['run'] ?? '';
    const answered = await errand(['answer', run, '--value', 'y']);
    expect(answered.exit, answered.output).toBe(0);
    const files = walk('A step, to its row and back');
    expect(files.length).toBeGreaterThan(5);
    expect(notOnTheWay(files, new Set([...paused.called, ...answered.called]))).toEqual([]);
  });

  it('a key of the file leads to the effect', async () => {
    writeFileSync(
      join(folder, 'w.yaml'),
      `workflow: {name: w, entry_point: a, runtime: {simulate: {a: [{answer: Hello}]}}}
nodes: [{name: a, type: agent, model: sim/m, prompt: Hi, max_turns: 2}]
`,
    );
    const { exit, output, called } = await errand(['run', 'w.yaml']);
    expect(exit, output).toBe(0);
    const files = walk('A key of the file, to its effect');
    expect(files.length).toBeGreaterThan(5);
    expect(files.length).toBeLessThanOrEqual(MOST_FILES);
    expect(notOnTheWay(files, called)).toEqual([]);
  });
});

describe('one failing call that fails its node', () => {
  const BUILD = 'src/errors/report/build.ts buildReport';
  const CLASSIFY = 'src/providers/report-from.ts classifyAt';

  it('is classified once, and built where it is seen and where it leaves the node', async () => {
    await writeRefusedCall(401, { code: 'invalid_api_key', message: 'No' });
    const { output, calls } = await errand(['run', 'w.yaml']);
    expect(output).toContain('provider.auth');
    expect(calls.get(CLASSIFY)).toBe(1);
    expect(calls.get(BUILD)).toBe(2);
  });

  it('is built once for each call, and once more for the node', async () => {
    await writeRefusedCall(429, { code: 'rate_limit_exceeded', message: 'Slow down' });
    const { output, calls } = await errand(['run', 'w.yaml']);
    expect(output).toContain('(attempt 6)');
    expect(calls.get(CLASSIFY)).toBe(6);
    expect(calls.get(BUILD)).toBe(7);
  });
});

describe('ARCHITECTURE.md', () => {
  it('names only files and folders that exist', () => {
    const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
    const named = [...text.matchAll(/`(?<path>(?:src|test|scripts|docs|bench)\/[\w./-]*)`/g)];
    const missing = named
      .map(({ groups }) => groups?.['path'] ?? '')
      .filter((path) => !existsSync(join(ROOT, path)));
    expect(named.length).toBeGreaterThan(20);
    expect(missing).toEqual([]);
  });
});
