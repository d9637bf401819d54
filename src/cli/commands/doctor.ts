/**
 * `errand doctor`: whether this machine and this project are ready. Keys are named and never shown, and
 * nothing is sent anywhere unless that is asked for.
 */
import { onScreen } from '../../errors/on-screen.ts';
import { jsonText } from '../../errors/printable.ts';
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { readProperty } from '../../errors/json.ts';
import { wrap } from '../../errors/render/columns.ts';
import { toReport } from '../../errors/to-report.ts';
import { openSqliteStore } from '../../stores/sqlite.ts';
import { sqliteEngine } from '../../stores/sqlite/engine.ts';
import { KNOWS_NOOP } from '../../stores/sqlite/wal-check.ts';
import type { Format } from '../format.ts';
import { errandHome } from '../home.ts';
import { makePrivateFolder, systemWords } from '../make-folder.ts';
import { LOCAL_PROVIDERS, PROVIDERS, reachability, type KnownProvider } from '../providers.ts';
import { tableLines } from '../screen/table.ts';
import { countWords } from '../screen/words.ts';
import type { Terminal } from '../terminal.ts';
import { VERSION } from '../version.ts';
import { withStore } from '../stored-run.ts';

export interface Finding {
  readonly check: string;
  /** `off`: not set up, which is fine unless it is wanted. */
  readonly state: 'ok' | 'wrong' | 'off';
  readonly detail: string;
  /** What to do, where something is wrong. */
  readonly next?: string;
}

const NEEDED = { major: 22, minor: 18 };
const EXIT_WRONG = 2;

export async function doctor(
  options: { readonly online?: boolean; readonly format: Format; readonly quiet?: boolean },
  terminal: Terminal,
): Promise<number> {
  const findings: Finding[] = [
    nodeVersion(process.versions.node),
    { check: 'errand', state: 'ok', detail: VERSION },
    await store(),
    packages(),
    ...PROVIDERS.map((provider) => providerFinding(provider, process.env)),
    ...(options.online === true ? await online(process.env) : []),
  ];
  const isReady = findings.every(({ state }) => state !== 'wrong');
  if (options.format === 'json') terminal.out(jsonText({ isReady, findings }, 2));
  else if (options.quiet !== true) terminal.out(doctorText(onScreen(findings), terminal.columns));
  else if (!isReady) terminal.out(wrongText(onScreen(findings), terminal.columns));
  return isReady ? 0 : EXIT_WRONG;
}

export function doctorText(findings: readonly Finding[], columns: number): string {
  const marks = { ok: '✓', wrong: '✗', off: '–' } as const;
  const told = findings.filter(({ state }) => state !== 'off');
  const off = findings.filter(({ state }) => state === 'off').map(({ check }) => check);
  const lines = tableLines(
    told.map(({ check, state, detail }) => [marks[state], check, detail]),
    columns,
    { wrapped: true },
  );
  const wrong = told.filter(({ state }) => state === 'wrong');
  const isKeyless = !told.some(({ check }) => check.startsWith(KEY));
  return [
    ...lines,
    ...(off.length === 0
      ? []
      : wrap(
          `no key for: ${off.map((check) => check.slice(KEY.length)).join(', ')}`,
          columns - 3,
        ).map((line, at) => `${at === 0 ? marks.off : ' '}  ${line}`)),
    '',
    ...wrong.flatMap(({ check, next }) => (next === undefined ? [] : [`${check}: ${next}`])),
    ...(wrong.length === 0 ? ['Ready.'] : []),
    ...(isKeyless
      ? wrap(
          `Without a key these models answer: sim/ (errand init writes a workflow), and those that you serve yourself: ${LOCAL_PROVIDERS.map((name) => `${name}/`).join(', ')}.`,
          columns,
        )
      : []),
  ].join('\n');
}

function wrongText(findings: readonly Finding[], columns: number): string {
  const wrong = findings.filter(({ state }) => state === 'wrong');
  return tableLines(
    wrong.map(({ check, detail, next = '' }) => [check, `${detail}. ${next}`]),
    columns,
    { wrapped: true },
  ).join('\n');
}

const KEY = 'key ';

export function nodeVersion(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNew = major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor);
  const needed = `${NEEDED.major}.${NEEDED.minor}`;
  return isNew
    ? { check: 'node', state: 'ok', detail: version }
    : {
        check: 'node',
        state: 'wrong',
        detail: `${version}, and ${needed} is needed`,
        next: `Install Node ${needed} or newer.`,
      };
}

/** Promises are kept by what Node brings along. */
function blindSpot(): string {
  if (KNOWS_NOOP) return '';
  const version = process.versions['sqlite'] ?? '';
  return `; the SQLite of this Node (${version}) does not notice every damage to a log that is being written, that of Node 24 does`;
}

/** Where `ERRAND_STORE` says that runs are. */
async function configuredStore(): Promise<Finding> {
  try {
    const { length } = await withStore((opened) => opened.list());
    return { check: 'store', state: 'ok', detail: `ERRAND_STORE, ${countWords(length, 'run')}` };
  } catch (thrown) {
    const { message, action } = toReport(thrown);
    return {
      check: 'store',
      state: 'wrong',
      detail: `ERRAND_STORE: ${message}`,
      next: action.detail,
    };
  }
}

/** Looking makes no store: where there is none yet, the folder is tried. */
async function store(): Promise<Finding> {
  if ((process.env['ERRAND_STORE'] ?? '') !== '') return configuredStore();
  const home = errandHome(process.env, process.cwd());
  const shown = relative(process.cwd(), home) || '.';
  const where = shown.startsWith('..') ? 'ERRAND_HOME' : shown;
  const path = join(home, 'errand.db');
  try {
    sqliteEngine();
    if (!existsSync(path)) {
      tryFolder(home);
      return {
        check: 'store',
        state: 'ok',
        detail: `${where} can be written; no runs yet${blindSpot()}`,
      };
    }
    accessSync(path, constants.R_OK | constants.W_OK);
    const opened = await openSqliteStore({ path, now: Date.now });
    const runs = await opened.list();
    await opened.close();
    return {
      check: 'store',
      state: 'ok',
      detail: `${where}, ${countWords(runs.length, 'run')}${blindSpot()}`,
    };
  } catch (thrown) {
    const isSystem = typeof readProperty(thrown, 'code') === 'string';
    const { message, action } = toReport(thrown);
    return {
      check: 'store',
      state: 'wrong',
      detail: `${where}: ${isSystem ? systemWords(thrown) : message}`,
      next: isSystem ? 'Make it writable, or set ERRAND_HOME to a folder that is.' : action.detail,
    };
  }
}

/** Leaves nothing behind that was not there. */
function tryFolder(home: string): void {
  const first = makePrivateFolder(home);
  const probe = join(home, `.doctor-${process.pid}`);
  writeFileSync(probe, '');
  rmSync(probe);
  if (first !== undefined) rmSync(first, { recursive: true });
}

/** What is installed for models, tools and stores, whether a key is set or not. */
function packages(): Finding {
  const wanted = [
    'ai',
    ...new Set(PROVIDERS.map(({ packageName }) => packageName)),
    '@modelcontextprotocol/client',
    'pg',
    '@temporalio/client',
  ];
  const there = wanted.filter(isThere);
  const isNone = there.length === 0;
  return {
    check: 'packages',
    state: 'ok',
    detail: isNone ? 'none of the optional ones is installed' : `${there.join(', ')} installed`,
  };
}

function providerFinding(
  { name, keys, packageName }: KnownProvider,
  env: NodeJS.ProcessEnv,
): Finding {
  const set = keys.filter((key) => (env[key] ?? '') !== '');
  const isInstalled = isThere(packageName) && isThere('ai');
  const packages = isInstalled ? `${packageName} installed` : `${packageName} not installed`;
  const check = `${KEY}${name}`;
  if (set.length === 0)
    return { check, state: 'off', detail: `no ${keys.join(' or ')}; ${packages}` };
  const detail = `${set.join(', ')} set; ${packages}`;
  return isInstalled
    ? { check, state: 'ok', detail }
    : { check, state: 'wrong', detail, next: `npm install ai ${packageName}` };
}

/** As the project sees it, else as Errand itself does. */
function isThere(packageName: string): boolean {
  return [join(process.cwd(), 'errand.js'), import.meta.url].some((from) => {
    try {
      createRequire(from).resolve(packageName);
      return true;
    } catch (thrown) {
      // a package that only has an `import` entry is there all the same
      return readProperty(thrown, 'code') === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
    }
  });
}

async function online(env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const set = PROVIDERS.filter(({ keys }) => keys.some((key) => (env[key] ?? '') !== ''));
  return Promise.all(
    set.map(async ({ name, url }): Promise<Finding> => {
      const check = `reach ${name}`;
      if (url === undefined)
        return { check, state: 'ok', detail: 'not asked: its address is yours' };
      const { isReached, detail } = await reachability(url);
      return isReached
        ? { check, state: 'ok', detail }
        : { check, state: 'wrong', detail, next: 'Check the network, the proxy and the address.' };
    }),
  );
}
