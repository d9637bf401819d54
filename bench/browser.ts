/**
 * A real Chromium and a real `errand serve` for benches of the dashboard, and the CPU time of each.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';

const CHROMIUM =
  process.env['ERRAND_TEST_BROWSER'] ??
  (existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : '/usr/bin/chromium-headless-shell');
const PATIENCE_MS = 120_000;
const TICKS_MS = 10;

/** Whether there is a browser, and a system that shows the CPU time of threads. */
export const canMeasure = existsSync(CHROMIUM) && existsSync('/proc/self/schedstat');

/** Runs the work in a folder with workflow files, and removes the folder afterwards. */
export async function inFolder<T>(
  files: Readonly<Record<string, string>>,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'errand-painted-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An answer of the server, reduced to the fields that benches read. */
export interface Answer {
  readonly run: string;
  readonly status: string;
  readonly seq: number;
}

export interface Served {
  readonly url: string;
  readonly token: string;
  readonly ask: (method: 'GET' | 'POST', path: string, body?: object) => Promise<Answer>;
  readonly cpuMs: () => number;
}

export async function withServer<T>(
  folder: string,
  work: (served: Served) => Promise<T>,
): Promise<T> {
  const server = spawn(
    process.execPath,
    [join(import.meta.dirname, '../bin/errand.mjs'), 'serve', '--port', '0', '--format', 'json'],
    { cwd: folder, env: { PATH: process.env['PATH'] }, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  try {
    const { url, token } = await firstLine(server);
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      prefer: 'wait=60',
    };
    const ask: Served['ask'] = async (method, path, body) => {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(url + path, { method, headers, ...sent });
      return (await response.json()) as Answer;
    };
    return await work({ url, token, ask, cpuMs: () => processMs(server.pid ?? 0) });
  } finally {
    server.kill();
    await new Promise((resolve) => server.once('exit', resolve));
  }
}

export interface OpenedBrowser {
  readonly page: Page;
  /** The CPU time of the main threads of all pages. */
  readonly mainThreadMs: () => number;
}

export async function withBrowser<T>(work: (opened: OpenedBrowser) => Promise<T>): Promise<T> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const threads = await pageProcesses(browser);
    const mainThreadMs = (): number => threads.reduce((sum, pid) => sum + threadMs(pid), 0);
    return await work({ page, mainThreadMs });
  } finally {
    await browser.close();
  }
}

async function pageProcesses(browser: Browser): Promise<readonly number[]> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  return processInfo.flatMap(({ type, id }) => (type === 'renderer' ? [id] : []));
}

/** The first thread of a process is its main thread. */
function threadMs(pid: number): number {
  const [nanoseconds = '0'] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

/** The CPU time of all threads, including garbage collection. */
function processMs(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user = '0', system = '0'] = fields.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * TICKS_MS;
}

function firstLine(
  server: ChildProcess,
): Promise<{ readonly url: string; readonly token: string }> {
  return new Promise((resolve, reject) => {
    let text = '';
    server.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      // the contract of the command
      if (text.includes('\n'))
        resolve(JSON.parse(text.split('\n')[0] ?? '') as { url: string; token: string });
    });
    server.once('exit', (code) => reject(new Error(`it ended with ${code}`)));
  });
}
