/**
 * A real browser for tests of the dashboard: Debian's Chromium, or another one of its family that is
 * there. Nothing is downloaded. Where there is none, the cases are skipped, loudly.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect } from 'vitest';
import { sampled } from '../sampled.ts';
import type { Served } from '../server/served.ts';

const PROGRAMS = [
  process.env['ERRAND_TEST_BROWSER'] ?? '',
  // draws no window of its own, and takes a sixth less of the processor
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const PROGRAM = PROGRAMS.find((path) => path !== '' && existsSync(path));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Features of Chromium that no test needs. The first four draw its own windows, which nobody sees: a process for
 * each context, and a fifth of the browser's work. The others are Playwright's, which this list replaces: most of
 * them ask the network.
 */
const SWITCHED_OFF = [
  'InitialWebUI',
  'PreloadTopChromeWebUI',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** Long enough for a machine with other work: it ends what hangs. */
const PATIENCE_MS = 240_000;

export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
}

export interface OpenOptions {
  /** Default: `/`. */
  readonly path?: string;
  /** Default: that of the server. Null: none. */
  readonly token?: string | null;
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Another tab of the same browser profile, with its cookies. */
  readonly context?: BrowserContext;
  readonly colorScheme?: 'light' | 'dark';
}

/** One for all files of a test process; it ends with the pipe to that. */
let browser: Browser | undefined;
const contexts = new Set<BrowserContext>();
/** What went wrong in any page, whatever the case looked at. */
const troubles: string[] = [];
let isTroubleExpected = false;
/** What Chromium says of a request that did not arrive or was refused; never that the server broke. */
const FAILED_REQUEST = /^console: Failed to load resource: (net::|.* status of 4\d\d )/;

/** Cases in a real browser; skipped where there is none. */
export function describeInBrowser(name: string, cases: () => void): void {
  if (PROGRAM === undefined)
    process.stderr.write(
      `\n*** SKIPPED: ${name}: there is no Chromium here (apt-get install chromium-headless-shell, or ERRAND_TEST_BROWSER=/path/to/it) ***\n`,
    );
  describe.skipIf(PROGRAM === undefined)(name, () => {
    beforeAll(async () => {
      browser ??= await chromium.launch({
        executablePath: PROGRAM ?? '',
        args: [
          '--no-sandbox',
          '--disable-dev-shm-usage',
          '--disable-gpu',
          `--disable-features=${SWITCHED_OFF.join(',')}`,
        ],
        timeout: PATIENCE_MS,
      });
    });
    afterEach(async () => {
      const seen = troubles.splice(0);
      const wasExpected = isTroubleExpected;
      isTroubleExpected = false;
      for (const context of contexts) await context.close();
      contexts.clear();
      // a page that is closed cuts its requests, and the next case must not answer for them
      troubles.length = 0;
      const isExpected = (trouble: string): boolean => wasExpected && FAILED_REQUEST.test(trouble);
      expect(seen.filter((trouble) => !isExpected(trouble))).toEqual([]);
    });
    cases();
  });
}

/** In this case requests fail, and the browser says so in its console; it may say nothing else. */
export function expectTrouble(): void {
  isTroubleExpected = true;
}

/** Opens a page of the dashboard, signed in with the token of the server unless it says otherwise. */
export async function open(
  served: Pick<Served, 'url' | 'token'>,
  options: OpenOptions = {},
): Promise<Opened> {
  const { path = '/', token = served.token, viewport = { width: 1280, height: 900 } } = options;
  if (browser === undefined) throw new Error('open a page inside describeInBrowser');
  const context =
    options.context ??
    (await browser.newContext({
      viewport,
      colorScheme: options.colorScheme ?? 'light',
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
    }));
  contexts.add(context);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  watch(page, served.url);
  const fragment = token === null || token === '' ? '' : `#token=${token}`;
  await page.goto(served.url + path + fragment);
  return { page, context };
}

/** Opens a file; the requests that it makes beside its own are noted. */
export async function openFile(
  path: string,
): Promise<{ readonly page: Page; readonly requests: readonly string[] }> {
  if (browser === undefined) throw new Error('open a file inside describeInBrowser');
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  contexts.add(context);
  const page = await context.newPage();
  const own = pathToFileURL(path).href;
  const requests: string[] = [];
  watch(page, own);
  page.on('request', (request) => request.url() === own || requests.push(request.url()));
  await page.goto(own);
  return { page, requests };
}

/** Notes what no page may do: errors, broken rules of its policy, requests to other hosts, style attributes. */
function watch(page: Page, url: string): void {
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      troubles.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('request', (request) => {
    const asked = request.url();
    if (!asked.startsWith(url) && !asked.startsWith('data:')) troubles.push(`request: ${asked}`);
  });
}

export interface AxeFinding {
  readonly rule: string;
  readonly impact: string | null;
  readonly where: readonly string[];
}

/** All that the other colours of a dark page can break. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];

const THEMES = ['light', 'dark'] as const;

/**
 * Findings of axe-core: its default rules and those of WCAG 2.2 AA, in light, or those of colours in dark. A commit
 * takes one of the two for whatever is looked at, which is `what` or the running test.
 */
export async function axeFindings(
  page: Page,
  what = expect.getState().currentTestName ?? '',
): Promise<readonly AxeFinding[]> {
  // not a script of the page, so its policy stays as it is
  if (await page.evaluate(() => !('axe' in globalThis))) await page.evaluate(AXE);
  const found: AxeFinding[] = [];
  for (const colorScheme of sampled(THEMES, { oneOf: THEMES.length, what: `axe on ${what}` })) {
    await page.emulateMedia({ colorScheme });
    const violations = await page.evaluate(
      async (chosen) => {
        const { axe } = globalThis as unknown as {
          axe: {
            run: (options: object) => Promise<{
              violations: { id: string; impact: string | null; nodes: { target: string[] }[] }[];
            }>;
          };
        };
        const { violations: all } = await axe.run({ ...chosen, resultTypes: ['violations'] });
        return all.map(({ id, impact, nodes }) => ({
          rule: id,
          impact,
          where: nodes.map(({ target }) => target.join(' ')),
        }));
      },
      colorScheme === 'light'
        ? { rules: { 'target-size': { enabled: true } } }
        : { runOnly: { type: 'rule', values: RULES_OF_COLOURS } },
    );
    found.push(...violations.map((each) => ({ ...each, rule: `${each.rule} (${colorScheme})` })));
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

/** Whether the page itself can be scrolled sideways; things in it may. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
}

/** Elements with a `style` attribute: the policy forbids them. */
export function styleAttributes(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelectorAll('[style]').length);
}
