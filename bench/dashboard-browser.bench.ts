/**
 * The page of a run in a real Chromium while 10,000 events arrive. The goals are CPU time of the
 * browser's main thread, because other programs run beside it; the delay of the paintings is
 * printed with them.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  canMeasure,
  inFolder,
  withBrowser,
  withServer,
  type OpenedBrowser,
  type Served,
} from './browser.ts';
import { median } from './measure.ts';

/** Three events for each member, and some around them. */
const MEMBERS = 3400;
/** Events appear within 300 ms, and the page collects them for 150. */
const PAINTING_MS = 150;
/**
 * The most that all of it may take, as a multiple of the time in which the browser's own reader
 * takes the same events without drawing.
 */
const MOST_TIMES = 8;
const TYPES = ['run:started', 'node:started', 'node:completed', 'route:taken', 'run:completed'];
const LOOK_EVERY_MS = 250;

const MANY = `
workflow: {name: many, entry_point: ready}
nodes:
  - {name: ready, type: human_gate, prompt: Ready?, options: [{label: Go, value: go}], routes: [{to: list}]}
  - {name: list, type: transform, code: "return { all: Array.from({ length: ${MEMBERS} }, (_, at) => at) }", routes: [{to: each}]}
for_each:
  - {name: each, source: list.output.all, as: item, max_concurrent: 20, agent: {name: one, type: set, value: "{{ item }}"}}
`;

export const bench = {
  name: 'dashboard in a browser',
  run: async () => {
    if (!canMeasure) return [];
    return inFolder({ 'many.yaml': MANY }, (folder) =>
      withServer(folder, (served) => withBrowser((opened) => painted(opened, served))),
    );
  },
};

async function painted({ page, mainThreadMs }: OpenedBrowser, { url, token, ask }: Served) {
  await page.addInitScript({ path: join(import.meta.dirname, 'watch-painting.mjs') });
  const { run } = await ask('POST', '/v1/runs', { workflow: 'many' });
  await page.goto(`${url}/runs/${run}#token=${token}`);
  const go = page.getByRole('button', { name: 'Go', exact: true });
  await go.waitFor();
  const before = mainThreadMs();
  await go.click();
  // more frequent polling would distort the measurement
  while (!(await page.title()).startsWith('completed')) await delay(LOOK_EVERY_MS);
  const spentMs = mainThreadMs() - before;
  const late = await page.evaluate<number[]>('watched.lateMs');
  const read = mainThreadMs();
  await page.evaluate(`onlyRead('/v1/runs/${run}/events', ${JSON.stringify(TYPES)})`);
  const readMs = mainThreadMs() - read;
  const events = 3 * MEMBERS;
  return [
    {
      name: `CPU time of the main thread for each painting, while ${events} events come`,
      ms: spentMs / late.length,
      limitMs: PAINTING_MS,
      note: `${late.length} paintings, half of them ${median(late).toFixed(0)} ms after the events by the clock`,
    },
    {
      name: `CPU time of the main thread for ${events} events`,
      ms: spentMs,
      limitMs: readMs * MOST_TIMES,
      note: `the browser's own reader alone: ${readMs.toFixed(0)} ms`,
    },
  ];
}
