/** Runs with thousands of events, and what the pages load. */
import { expect, it } from 'vitest';
import { serve } from '../server/served.ts';
import { HELLO } from '../server/workflows.ts';
import { describeInBrowser, open } from './browser.ts';
import { DOUBT, REVIEW } from './workflows.ts';

const MEMBERS = 3400;
/** Three events for each member, and some around them. */
const EVENTS = 3 * MEMBERS;

const MANY = `
workflow: {name: many, entry_point: ready}
nodes:
  - {name: ready, type: human_gate, prompt: Ready?, options: [{label: Go, value: go}], routes: [{to: list}]}
  - {name: list, type: transform, code: "return { all: Array.from({ length: ${MEMBERS} }, (_, at) => at) }", routes: [{to: each}]}
for_each:
  - {name: each, source: list.output.all, as: item, max_concurrent: 20, agent: {name: one, type: set, value: "{{ item }}"}}
`;

describeInBrowser('a run of more than 10,000 events', () => {
  it('is painted while they come, each once, and opened again by parts', async () => {
    const served = await serve({ files: { 'many.yaml': MANY } });
    const { run } = await served.run('many');
    const { page } = await open(served, { path: `/runs/${run}` });
    const moves = page.getByRole('region', { name: 'Next moves' });
    await moves.getByRole('button', { name: 'Go', exact: true }).click();
    await expect.poll(() => page.title(), { timeout: 240_000 }).toBe(`completed many ${run}`);
    const { json } = await served.ask(`/v1/runs/${run}/moves`);
    expect(json.seq).toBeGreaterThan(EVENTS);
    const box = page.locator('[data-node="each"]');
    expect(await box.count()).toBe(1);
    const steps = page.getByRole('table', { name: 'Steps' });
    await expect.poll(() => steps.textContent()).toContain(`${MEMBERS} of ${MEMBERS}`);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.reload();
    await page.getByRole('table', { name: 'Steps' }).waitFor();
    expect(await page.title()).toBe(`completed many ${run}`);
    await expect.poll(() => steps.textContent()).toContain(`${MEMBERS} of ${MEMBERS}`);
    // no page of the log was read for it
    expect(asked.filter((path) => path.endsWith('/events') && path.includes(run))).toHaveLength(1);
  });
});

const FAILURES = 1100;
const FAILING = `
workflow: {name: failing, entry_point: list}
nodes:
  - {name: list, type: transform, code: "return { all: Array.from({ length: ${FAILURES} }, (_, at) => at) }", routes: [{to: each}]}
for_each:
  - {name: each, source: list.output.all, as: item, max_concurrent: 20, failure_mode: continue_on_error, agent: {name: one, type: set, value: "{{ item.missing }}"}}
`;

describeInBrowser('a run with more failed steps than a view sends', () => {
  it('sends a thousand of them, and opens any other by its address', async () => {
    const served = await serve({ files: { 'failing.yaml': FAILING } });
    const { run } = await served.run('failing');
    const { json } = await served.ask(`/v1/runs/${run}/view`);
    const { steps, leftOut } = json.view as {
      readonly steps: readonly { readonly path: string; readonly holds?: true }[];
      readonly leftOut: number;
    };
    const ended = steps.filter(({ holds }) => holds !== true);
    expect(ended.length).toBeLessThanOrEqual(1000);
    expect(steps.length + leftOut).toBe(FAILURES + 2);
    const sent = new Set(steps.map(({ path }) => path));
    const { json: last } = await served.ask(`/v1/runs/${run}/steps?after=${FAILURES}`);
    const all = last.steps as readonly { readonly path: string; readonly status: string }[];
    const beyond = all.find(({ path, status }) => status === 'failed' && !sent.has(path))?.path;
    expect(beyond).toBeDefined();
    const address = `/runs/${run}?step=${encodeURIComponent(String(beyond))}`;
    const { page } = await open(served, { path: address });
    await page.getByRole('region', { name: `Step ${beyond}` }).waitFor();
  });
});

const SCRIPTS = 45_000;
const STYLES = 8000;
const PAGES = [
  '/',
  '/runs/RUN',
  '/gates',
  '/workflows',
  '/workflows/hello',
  '/kinds/provider.auth',
  '/runs/RUN/repair',
  '/runs/ASKING?step=decide',
  // it failed, asks for a result in its place, and one of its steps is open: all that a run's page can need at once
  '/runs/DOUBTING?step=classify',
];

describeInBrowser('the first load', () => {
  it('of every page is small, and all of it comes from the server', async () => {
    const served = await serve({
      files: { 'hello.yaml': HELLO, 'review.yaml': REVIEW, 'doubt.yaml': DOUBT },
    });
    const { run } = await served.run('hello');
    const { run: asking } = await served.run('review');
    const { run: doubting } = await served.run('doubt');
    const runs: Readonly<Record<string, string>> = {
      RUN: run,
      ASKING: asking,
      DOUBTING: doubting,
    };
    const { page } = await open(served);
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    // as if it had never been here
    const session = await page.context().newCDPSession(page);
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    const asked: { readonly type: string; readonly path: string }[] = [];
    page.on('response', (response) =>
      asked.push({
        type: response.request().resourceType(),
        path: new URL(response.url()).pathname,
      }),
    );
    // without TLS a browser takes Brotli from its own machine only, and gzip from others
    const sent = async (type: string): Promise<number> => {
      const files = asked.filter((each) => each.type === type);
      const bodies = files.map(({ path }) => served.encoded(path, 'gzip'));
      return (await Promise.all(bodies)).reduce((sum, { body }) => sum + body.length, 0);
    };
    for (const address of PAGES) {
      asked.length = 0;
      await page.goto(served.url + address.replace(/[A-Z]{3,}/, (name) => runs[name] ?? name));
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForFunction(() => !/Loading…|Reading the log/.test(document.body.innerText));
      // parts that a run needs when it asks, or when one of its steps is open
      if (address.includes('ASKING')) {
        await page.getByRole('button', { name: 'Publish it' }).waitFor();
        await page.getByRole('region', { name: 'Step decide' }).waitFor();
      }
      if (address.includes('DOUBTING')) {
        await page.getByRole('heading', { name: 'What became of it' }).waitFor();
        await page.getByRole('button', { name: 'Answer' }).waitFor();
        await page.getByRole('region', { name: 'Step classify' }).waitFor();
      }
      const [script, stylesheet] = [await sent('script'), await sent('stylesheet')];
      expect(script, address).toBeGreaterThan(1000);
      expect(script, address).toBeLessThanOrEqual(SCRIPTS);
      expect(stylesheet, address).toBeGreaterThan(100);
      expect(stylesheet, address).toBeLessThanOrEqual(STYLES);
    }
  });
});
