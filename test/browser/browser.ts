/**
 * A real browser for tests of the dashboard: Debian's Chromium, or an installed relative of it.
 * Downloads nothing. Without a browser, the cases are skipped, with a loud message.
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
 * Features of Chromium that no test needs. The first four draw its own windows, which nobody sees:
 * a process for each context, and a fifth of the browser's work. The others are Playwright's
 * defaults, which this list would otherwise replace: most of them contact the network.
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

/** Long enough for a busy machine: it only ends tests that hang. */
const PATIENCE_MS = 240_000;

export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
}

export interface OpenOptions {
  /** Default: `/`. */
  readonly path?: string;
  /** Default: the server's. Null: none. */
  readonly token?: string | null;
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Another tab of the same browser profile, with its cookies. */
  readonly context?: BrowserContext;
  readonly colorScheme?: 'light' | 'dark';
}

/** One for all files of a test process; it ends when its pipe to that process closes. */
let browser: Browser | undefined;
const contexts = new Set<BrowserContext>();
/** Everything that went wrong in any page, even if a case did not look for it. */
const troubles: string[] = [];
let isTroubleExpected = false;
/**
 * Chromium's message about a request that did not arrive or was refused; it never means that the
 * server broke.
 */
const FAILED_REQUEST = /^console: Failed to load resource: (net::|.* status of 4\d\d )/;

/** Cases in a real browser; skipped if there is none. */
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
      // closing a page cuts its requests, and the next case must not answer for them
      troubles.length = 0;
      const isExpected = (trouble: string): boolean => wasExpected && FAILED_REQUEST.test(trouble);
      expect(seen.filter((trouble) => !isExpected(trouble))).toEqual([]);
    });
    cases();
  });
}

/**
 * Expects failing requests, which the browser reports in its console; any other message still fails
 * the case.
 */
export function expectTrouble(): void {
  isTroubleExpected = true;
}

/**
 * Opens a page of the dashboard, signed in with the server's token unless the case says otherwise.
 */
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

/** Opens a file, and notes all requests besides its own. */
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

/**
 * Notes everything that no page may do: errors, violations of its policy, requests to other hosts,
 * style attributes.
 */
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

/** The rules that the other colours of a dark page can break. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];

const THEMES = ['light', 'dark'] as const;

/**
 * Findings of axe-core: its default rules and those of WCAG 2.2 AA, in light, or the rules of
 * colours in dark. A commit checks one of the two for each subject, which is `what` or the running
 * test.
 */
export async function axeFindings(
  page: Page,
  what = expect.getState().currentTestName ?? '',
): Promise<readonly AxeFinding[]> {
  // not a script of the page, so its policy stays the same
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

/** Whether the page itself scrolls sideways; its parts may. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
}

/** Elements with a `style` attribute: the policy forbids them. */
export function styleAttributes(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelectorAll('[style]').length);
}
