/**
 * The page of a run in a real Chromium: how long after their arrival events are painted while 10,000 of
 * them come, and what the main thread of the browser spends on it. Nothing is measured where there is none.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { median } from './measure.ts';

const CHROMIUM = process.env['ERRAND_TEST_BROWSER'] ?? '/usr/bin/chromium';
/** Three events for each member, and some around them. */
const MEMBERS = 3400;
const PAINTED_MS = 300;
/** Of the main thread, for all events; the rest of the time it is free. */
const MAIN_THREAD_MS = 3000;
const PATIENCE_MS = 120_000;

const MANY = `
workflow: {name: many, entry_point: ready}
nodes:
  - {name: ready, type: human_gate, prompt: Ready?, options: [{label: Go, value: go}], routes: [{to: list}]}
  - {name: list, type: transform, code: "return { all: Array.from({ length: ${MEMBERS} }, (_, at) => at) }", routes: [{to: each}]}
for_each:
  - {name: each, source: list.output.all, as: item, max_concurrent: 20, agent: {name: one, type: set, value: "{{ item }}"}}
`;

interface Served {
  readonly url: string;
  readonly token: string;
}

export const bench = {
  name: 'dashboard in a browser',
  run: async () => {
    if (!existsSync(CHROMIUM)) return [];
    const directory = mkdtempSync(join(tmpdir(), 'errand-painted-'));
    writeFileSync(join(directory, 'many.yaml'), MANY);
    const server = spawn(
      process.execPath,
      [join(import.meta.dirname, '../bin/errand.mjs'), 'serve', '--port', '0', '--format', 'json'],
      { cwd: directory, env: { PATH: process.env['PATH'] }, stdio: ['ignore', 'pipe', 'ignore'] },
    );
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      return await painted(page, await firstLine(server));
    } finally {
      await browser.close();
      server.kill();
      await new Promise((resolve) => server.once('exit', resolve));
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

async function painted(page: Page, { url, token }: Served) {
  await page.addInitScript({ path: join(import.meta.dirname, 'watch-painting.mjs') });
  await page.goto(`${url}/runs/${await started(url, token)}#token=${token}`);
  const go = page.getByRole('button', { name: 'Go', exact: true });
  await go.waitFor();
  const session = await page.context().newCDPSession(page);
  // CPU time, because other programs run beside it
  await session.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' });
  await session.send('Performance.enable');
  const spent = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
  };
  const before = await spent();
  await go.click();
  await page.locator('.page-status').getByText('completed').waitFor();
  const mainThread = (await spent()) - before;
  const late = await page.evaluate<number[]>('watched.lateMs');
  return [
    {
      name: `events painted after they arrived, of ${3 * MEMBERS} (half of ${late.length} paintings)`,
      ms: median(late),
      limitMs: PAINTED_MS,
    },
    { name: 'CPU time of the main thread for them', ms: mainThread, limitMs: MAIN_THREAD_MS },
  ];
}

async function started(url: string, token: string): Promise<string> {
  const response = await fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      prefer: 'wait=60',
    },
    body: JSON.stringify({ workflow: 'many' }),
  });
  return ((await response.json()) as { readonly run: string }).run;
}

function firstLine(server: ChildProcess): Promise<Served> {
  return new Promise((resolve, reject) => {
    let text = '';
    server.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      // the contract of the command
      if (text.includes('\n')) resolve(JSON.parse(text.split('\n')[0] ?? '') as Served);
    });
    server.once('exit', (code) => reject(new Error(`it ended with ${code}`)));
  });
}
