/** `errand simulate` as a process: what it prints, and how it ends. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SimulateOptions } from '../../src/cli/commands/simulate.ts';

const COMMAND = new URL('../../src/cli/commands/simulate.ts', import.meta.url).href;
const EXIT = new URL('../../src/cli/exit.ts', import.meta.url).href;
const TERMINAL = new URL('../../src/cli/terminal.ts', import.meta.url).href;

let folder: string;
let child: ChildProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'simulate-'));
});

afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

class Running {
  out = '';
  err = '';
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;

  constructor(options: SimulateOptions) {
    const program = `
      const { simulate } = await import('${COMMAND}');
      const { refuse } = await import('${EXIT}');
      const { processTerminal } = await import('${TERMINAL}');
      const terminal = processTerminal();
      try {
        process.exitCode = await simulate(${JSON.stringify(options)}, terminal);
      } catch (error) {
        process.exitCode = refuse(error, { format: 'text' }, terminal);
      }`;
    this.#child = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd: folder });
    child = this.#child;
    this.#child.stdout?.on('data', (data: Buffer) => (this.out += data.toString()));
    this.#child.stderr?.on('data', (data: Buffer) => (this.err += data.toString()));
    this.#ended = new Promise((resolve) => this.#child.once('close', resolve));
  }

  async ready(): Promise<string> {
    while (!this.out.includes('Any key works'))
      await new Promise((resolve) => this.#child.stdout?.once('data', resolve));
    return /OPENAI_BASE_URL=(\S+)/.exec(this.out)?.[1] ?? '';
  }

  end(signal: 'SIGINT' | 'SIGTERM'): Promise<number | null> {
    this.#child.kill(signal);
    return this.#ended;
  }

  ended(): Promise<number | null> {
    return this.#ended;
  }
}

it('prints where it is, one line for each request, and ends cleanly', async () => {
  writeFileSync(join(folder, 'script.yaml'), 'clerk:\n  - answer: hello\n  - hang: true\n');
  const running = new Running({ port: '0', script: 'script.yaml' });
  const base = await running.ready();
  expect(base).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  const ask = (): Promise<Response> =>
    fetch(`${base}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'clerk', messages: [{ role: 'user', content: 'Hi' }] }),
    });
  expect(await (await ask()).json()).toMatchObject({
    choices: [{ message: { content: 'hello' } }],
  });
  const hanging = expect(ask()).rejects.toThrow();
  expect(await running.end('SIGINT')).toBe(0);
  await hanging;
  expect(running.err).toMatch(/^1 chat clerk #1: answered 200, 1\+2 tokens\n/);
  expect(running.out).toMatch(/^ANTHROPIC_BASE_URL=/m);
});

it('refuses a script that is wrong, with its place', async () => {
  writeFileSync(join(folder, 'script.yaml'), 'clerk:\n  - answr: hello\n');
  const running = new Running({ script: 'script.yaml' });
  expect(await running.ended()).toBe(2);
  expect(running.err).toContain('answr');
  expect(running.out).toBe('');
});

it.each(['x', '70000', '-1'])('refuses the port %s', async (port) => {
  const running = new Running({ port });
  expect(await running.ended()).toBe(2);
  expect(running.err).toContain('is not a port');
});

it('refuses a port that is in use', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => {
    taken.listen(0, '127.0.0.1', resolve);
  });
  const address = taken.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const running = new Running({ port: String(port) });
  expect(await running.ended()).toBe(2);
  expect(running.err).toContain('the port is in use');
  await new Promise((resolve) => {
    taken.close(resolve);
  });
});
