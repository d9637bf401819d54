/**
 * Opens a run of 100,000 events in a real Chromium, first after a start of the server. One run took
 * one leg, and its view was saved; the other took many legs, and its view was not.
 */
import {
  canMeasure,
  inFolder,
  withBrowser,
  withServer,
  type OpenedBrowser,
  type Served,
} from './browser.ts';

const EVENTS = 100_000;
const OPENS_MS = 1500;
const LEGS = 12;

/** Three events for each member. */
function members(events: number): string {
  const code = `return { all: Array.from({ length: ${Math.ceil(events / 3)} }, (_, at) => at) }`;
  return `{name: list, type: transform, code: "${code}", routes: [{to: each}]}`;
}

const EACH =
  'name: each, source: list.output.all, as: item, max_concurrent: 20, agent: {name: one, type: set, value: "{{ item }}"}';

const ONE_LEG = `
workflow: {name: one-leg, entry_point: list}
nodes:
  - ${members(EVENTS)}
for_each:
  - {${EACH}}
`;

const MANY_LEGS = `
workflow: {name: many-legs, entry_point: ready, limits: {max_iterations: 1000}}
nodes:
  - {name: ready, type: human_gate, prompt: Ready?, options: [{label: Go, value: go}], routes: [{to: list}]}
  - ${members(EVENTS / LEGS)}
for_each:
  - {${EACH}, routes: [{to: ready}]}
`;

export const bench = {
  name: 'dashboard: long runs opened',
  run: async () => {
    if (!canMeasure) return [];
    return inFolder({ 'one-leg.yaml': ONE_LEG, 'many-legs.yaml': MANY_LEGS }, async (folder) => {
      const [oneLeg, manyLegs] = await withServer(folder, async (served) => [
        await rested(served, (await served.ask('POST', '/v1/runs', { workflow: 'one-leg' })).run),
        await inLegs(served),
      ]);
      return [
        ...(await opened(folder, oneLeg ?? '', 'made in one leg')),
        ...(await opened(folder, manyLegs ?? '', `made in ${LEGS} legs`)),
      ];
    });
  },
};

async function rested({ ask }: Served, run: string): Promise<string> {
  while ((await ask('GET', `/v1/runs/${run}`)).status === 'running');
  return run;
}

async function inLegs(served: Served): Promise<string> {
  const { run } = await served.ask('POST', '/v1/runs', { workflow: 'many-legs' });
  let { seq } = await served.ask('GET', `/v1/runs/${run}`);
  for (let leg = 0; leg < LEGS; leg++) {
    await served.ask('POST', `/v1/runs/${run}/answers`, { gate: 'ready', value: 'go' });
    const before = seq;
    const isThere = (): boolean => seq > before + EVENTS / LEGS;
    while (!isThere()) ({ seq } = await served.ask('GET', `/v1/runs/${run}`));
    await rested(served, run);
  }
  return run;
}

/** Opens the run on a server that has just started. */
function opened(folder: string, run: string, how: string) {
  return withServer(folder, (served) =>
    withBrowser((browser) => openedWith(browser, served, { run, how })),
  );
}

async function openedWith(
  { page, mainThreadMs }: OpenedBrowser,
  { url, token, cpuMs }: Served,
  { run, how }: { readonly run: string; readonly how: string },
) {
  // a person who opens a run is signed in
  await page.goto(`${url}/workflows#token=${token}`);
  await page.getByRole('heading', { level: 1, name: 'Workflows' }).waitFor();
  const [main, server, startMs] = [mainThreadMs(), cpuMs(), performance.now()];
  await page.goto(`${url}/runs/${run}`);
  await page.getByRole('region', { name: 'Next moves' }).waitFor();
  const movesMs = performance.now() - startMs;
  await page.getByRole('table', { name: 'Steps' }).waitFor();
  const wallMs = performance.now() - startMs;
  const [pageMs, serverMs] = [mainThreadMs() - main, cpuMs() - server];
  return [
    {
      name: `CPU time of server and page until a run of ${EVENTS} events is open, ${how}`,
      ms: pageMs + serverMs,
      limitMs: OPENS_MS,
      note: `page ${pageMs.toFixed(0)} ms; by the clock ${wallMs.toFixed(0)} ms, what can be done after ${movesMs.toFixed(0)} ms`,
    },
  ];
}
