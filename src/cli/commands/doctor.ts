/**
 * `errand doctor`: checks whether this machine and this project are ready. It names keys and never shows
 * their values, and sends nothing without `--online`.
 */
import { onScreen } from '../../errors/support/on-screen.ts';
import { jsonText } from '../../errors/support/printable.ts';
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { readProperty } from '../../errors/support/safe-json.ts';
import { wrap } from '../../errors/render/columns.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { openSqliteStore } from '../../stores/sqlite/sqlite.ts';
import { sqliteEngine } from '../../stores/sqlite/load-sqlite.ts';
import { KNOWS_NOOP } from '../../stores/sqlite/wal-check.ts';
import type { Format } from '../format.ts';
import { errandHome } from '../project/home.ts';
import { makePrivateFolder, systemWords } from '../project/make-folder.ts';
import {
  LOCAL_PROVIDERS,
  PROVIDERS,
  reachability,
  type KnownProvider,
} from '../project/doctor-providers.ts';
import { tableLines } from '../screen/table-lines.ts';
import { countWords } from '../screen/number-words.ts';
import type { Terminal } from '../terminal.ts';
import { VERSION } from '../../engine/version.ts';
import {
  ENDPOINT_ADVICE,
  missingPackages,
  SDK_PACKAGE,
  wantsSdk,
  wrongEndpoint,
} from '../../telemetry/otel/start-sdk.ts';
import { serverFindings } from '../project/doctor-servers.ts';
import { withRuns } from '../project/stored-run.ts';

export interface Finding {
  readonly check: string;
  /** `off`: not set up, which is fine unless it is needed. `warning`: ready all the same. */
  readonly state: 'ok' | 'wrong' | 'warning' | 'off';
  readonly detail: string;
  /** The remedy for a problem. */
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
    ...(await servers()),
    packages(),
    ...telemetry(),
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
  const marks = { ok: '✓', wrong: '✗', warning: '!', off: '–' } as const;
  const shown = findings.filter(({ state }) => state !== 'off');
  const off = findings.filter(({ state }) => state === 'off').map(({ check }) => check);
  const lines = tableLines(
    shown.map(({ check, state, detail }) => [marks[state], check, detail]),
    columns,
    { wrapped: true },
  );
  const wrong = shown.filter(({ state }) => state === 'wrong');
  const advised = shown.filter(({ state }) => state === 'wrong' || state === 'warning');
  const isKeyless = !shown.some(({ check }) => check.startsWith(KEY));
  return [
    ...lines,
    ...(off.length === 0
      ? []
      : wrap(
          `no key for: ${off.map((check) => check.slice(KEY.length)).join(', ')}`,
          columns - 3,
        ).map((line, at) => `${at === 0 ? marks.off : ' '}  ${line}`)),
    '',
    ...advised.flatMap(({ check, next }) => (next === undefined ? [] : [`${check}: ${next}`])),
    ...(wrong.length === 0 ? ['Ready.'] : []),
    ...(isKeyless
      ? wrap(
          `These models need no key: sim/ (errand init writes a workflow), and those that you serve yourself: ${LOCAL_PROVIDERS.map((name) => `${name}/`).join(', ')}.`,
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
        detail: `${version}; Errand needs ${needed} or newer`,
        next: `Install Node ${needed} or newer.`,
      };
}

/** The SQLite of older Nodes lacks a check that we promise. */
function blindSpot(): string {
  if (KNOWS_NOOP) return '';
  const version = process.versions['sqlite'] ?? '';
  return `; the SQLite of this Node (${version}) cannot detect all damage to a log that is being written; the SQLite of Node 24 can`;
}

/** Checks the store that `ERRAND_STORE` names. */
async function configuredStore(): Promise<Finding> {
  try {
    const { length } = await withRuns((runs) =>
      runs.list({
        onDamage: (damage) => {
          throw damage;
        },
      }),
    );
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

/** Notes of servers in the store. Problems of the store itself have rows of their own. */
async function servers(): Promise<readonly Finding[]> {
  try {
    return serverFindings(await withRuns((runs) => runs.serverNotes()));
  } catch {
    // the check of the store reports it
    return [];
  }
}

/** Creates no store: where there is none yet, checks that the folder is writable. */
async function store(): Promise<Finding> {
  if ((process.env['ERRAND_STORE'] ?? '') !== '') return configuredStore();
  const home = errandHome(process.env, process.cwd());
  const folder = relative(process.cwd(), home) || '.';
  const isNamed = (process.env['ERRAND_HOME'] ?? '') !== '';
  const where = isNamed && folder.startsWith('..') ? 'ERRAND_HOME' : folder;
  const path = join(home, 'errand.db');
  try {
    sqliteEngine();
    if (!existsSync(path)) {
      checkWritable(home);
      return {
        check: 'store',
        state: 'ok',
        detail: `${where} is writable; no runs yet${blindSpot()}`,
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

/** Removes what it creates. */
function checkWritable(home: string): void {
  const first = makePrivateFolder(home);
  const probe = join(home, `.doctor-${process.pid}`);
  writeFileSync(probe, '');
  rmSync(probe);
  if (first !== undefined) rmSync(first, { recursive: true });
}

/** Lists the installed optional packages, whether a key is set or not. */
function packages(): Finding {
  const wanted = [
    'ai',
    ...new Set(PROVIDERS.map(({ packageName }) => packageName)),
    '@modelcontextprotocol/client',
    '@modelcontextprotocol/server',
    'pg',
    '@temporalio/client',
  ];
  const there = wanted.filter(isThere);
  const isNone = there.length === 0;
  return {
    check: 'packages',
    state: 'ok',
    detail: isNone ? 'no optional package is installed' : `${there.join(', ')} installed`,
  };
}

/** Only where the environment asks for it. */
function telemetry(): readonly Finding[] {
  const { env } = process;
  if (!wantsSdk(env)) return [];
  const wrong = wrongEndpoint(env);
  if (wrong !== undefined)
    return [
      {
        check: 'telemetry',
        state: 'wrong',
        detail: `${wrong} is no http:// or https:// address, so nothing is sent`,
        next: ENDPOINT_ADVICE,
      },
    ];
  const missing = missingPackages(process.cwd());
  if (missing.length === 0) {
    const detail = `${SDK_PACKAGE} installed; commands send spans and metrics to the receiver in OTEL_EXPORTER_OTLP_ENDPOINT`;
    return [{ check: 'telemetry', state: 'ok', detail }];
  }
  return [
    {
      check: 'telemetry',
      state: 'warning',
      detail: `OTEL_EXPORTER_OTLP_ENDPOINT is set, and nothing is sent: ${missing.join(' and ')} not installed`,
      next: `npm install ${missing.join(' ')}`,
    },
  ];
}

function providerFinding(
  { name, keys, packageName }: KnownProvider,
  env: NodeJS.ProcessEnv,
): Finding {
  const set = keys.filter((key) => (env[key] ?? '') !== '');
  const isInstalled = isThere(packageName);
  const packages = isInstalled ? `${packageName} installed` : `${packageName} not installed`;
  const check = `${KEY}${name}`;
  if (set.length === 0)
    return { check, state: 'off', detail: `no ${keys.join(' or ')}; ${packages}` };
  const detail = `${set.join(', ')} set; ${packages}`;
  return isInstalled
    ? { check, state: 'ok', detail }
    : { check, state: 'wrong', detail, next: `npm install ${packageName}` };
}

/** Resolves from the project, else from Errand itself. */
function isThere(packageName: string): boolean {
  return [join(process.cwd(), 'errand.js'), import.meta.url].some((from) => {
    try {
      createRequire(from).resolve(packageName);
      return true;
    } catch (thrown) {
      // a package with only an `import` entry is installed all the same
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
        return { check, state: 'ok', detail: 'not checked: the address is your own' };
      const { isReached, detail } = await reachability(url);
      return isReached
        ? { check, state: 'ok', detail }
        : { check, state: 'wrong', detail, next: 'Check the network, the proxy and the address.' };
    }),
  );
}
