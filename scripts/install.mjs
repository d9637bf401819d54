/**
 * Installs the packages that a script is about to need, if they are missing. Plain JavaScript for
 * Node 20 without packages: this runs before anything is installed.
 *
 * A set counts as installed if its stamp holds the hash of the lockfile, or if npm's own record of the
 * installation agrees with the lockfile (someone ran `npm ci` by hand).
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {'runtime' | 'node' | 'dev' | 'sdks' | 'servers' | 'client' | 'temporal' | 'otel' | 'oldest' | 'peers'} SetName
 * @typedef {object} InstallSet
 * @property {string} directory relative to the root of the checkout
 * @property {readonly string[]} flags of `npm ci`
 * @property {string} contents what the set is, for the line that announces it
 * @property {boolean} withDev whether development packages are part of it
 * @property {SetName} [coveredBy] a larger set in the same directory
 */

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const TOOLS = join(ROOT, 'node_modules', '.bin');

/** The first Node that runs TypeScript sources without a flag. */
export const NEEDED_NODE = '22.18';

/** @type {Readonly<Record<SetName, InstallSet>>} */
const SETS = {
  runtime: {
    directory: '.',
    flags: ['--omit=dev'],
    contents: 'the packages that Errand runs on',
    withDev: false,
    coveredBy: 'dev',
  },
  node: {
    directory: 'tools/node',
    flags: [],
    contents: `a current Node, because this one is ${process.versions.node}`,
    withDev: false,
  },
  dev: {
    directory: '.',
    flags: ['--include=dev'],
    contents: 'the development tools',
    withDev: true,
  },
  sdks: {
    directory: 'test/sdks',
    // two of them have install scripts, and tests need neither
    flags: ['--ignore-scripts'],
    contents: "the providers' official SDKs, which tests compare with",
    withDev: false,
  },
  servers: {
    directory: 'test/mcp-servers',
    flags: ['--ignore-scripts'],
    contents: 'published MCP servers, which tests start',
    withDev: false,
  },
  client: {
    directory: 'test/http-client',
    flags: ['--ignore-scripts'],
    contents: 'a generator of HTTP clients, which tests use',
    withDev: false,
  },
  temporal: {
    directory: 'test/temporal-sdk',
    // its native parts come built
    flags: ['--ignore-scripts'],
    contents: "Temporal's SDK, which only the tests of that backend load",
    withDev: false,
  },
  otel: {
    directory: 'test/otel-sdk',
    flags: ['--ignore-scripts'],
    contents: "OpenTelemetry's SDK, which tests register as a host does",
    withDev: false,
  },
  oldest: {
    directory: 'test/oldest-node',
    flags: [],
    contents: 'the oldest Node that Errand runs on, which tests start',
    withDev: false,
  },
  peers: {
    directory: 'bench/peers',
    flags: ['--ignore-scripts'],
    contents: 'packages that benches compare Errand with',
    withDev: false,
  },
};

/**
 * Settings of an outer npm that are wrong for the inner one: they change the packages that it
 * installs, or the place.
 */
const OUTER_NPM_SETTINGS = [
  'dry_run',
  'global',
  'global_prefix',
  'include',
  'local_prefix',
  'omit',
  'only',
  'optional',
  'package_lock',
  'package_lock_only',
  'prefix',
  'production',
  'workspace',
  'workspaces',
];

/** A failed installation, with a message that says what to do. */
export class InstallError extends Error {}

/**
 * Installs the sets that are missing.
 *
 * @param {...SetName} names
 */
export function ensureInstalled(...names) {
  for (const name of names) {
    const reason = whyMissing(name);
    if (reason === null) continue;
    const larger = SETS[name].coveredBy;
    // a developer's packages are updated, and not reduced to those that run
    const hasLarger = larger !== undefined && existsSync(stampPath(larger));
    install(hasLarger ? larger : name, reason);
  }
}

/**
 * The path of a Node that runs TypeScript; installs one if the running Node is too old and no other
 * set brought one.
 *
 * @returns {string}
 */
export function ensureNode() {
  // it may have been among the packages that were just replaced
  if (isCurrent(process.versions.node) && existsSync(process.execPath)) return process.execPath;
  const fromDev = whyMissing('dev') === null ? nodeIn('.') : null;
  if (fromDev !== null) return fromDev;

  ensureInstalled('node');
  const installed = nodeIn('tools/node');
  if (installed === null) throw new InstallError(noBinaryMessage('tools/node'));
  return installed;
}

/**
 * The Node that development is pinned to; only after `dev` is installed. `DEV_NODE` names another, to
 * run the checks and the suites on each version that Errand supports.
 *
 * @returns {string}
 */
export function devNode() {
  const asked = process.env['DEV_NODE'];
  if (asked !== undefined && asked !== '') {
    if (existsSync(asked)) return asked;
    throw new InstallError(
      `errand: DEV_NODE is ${asked}, and there is no such file. Give the path of a Node, or unset it.`,
    );
  }
  const pinned = nodeIn('.');
  if (pinned !== null) return pinned;
  if (isCurrent(process.versions.node)) return process.execPath;
  throw new InstallError(noBinaryMessage('.'));
}

/**
 * @param {string} version such as 22.18.0
 * @returns {boolean}
 */
export function isCurrent(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [neededMajor = 0, neededMinor = 0] = NEEDED_NODE.split('.').map(Number);
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}

/**
 * The environment for a program of the checkout: its own tools come first in the search path.
 *
 * @param {string} node
 * @returns {NodeJS.ProcessEnv}
 */
export function toolEnvironment(node) {
  return withSearchPath(process.env, (entries) => [dirname(node), TOOLS, ...entries]);
}

/**
 * Runs the body of a script; a failed installation ends it with a message instead of a stack.
 *
 * @param {() => void} body
 */
export function runScript(body) {
  try {
    body();
  } catch (error) {
    if (!(error instanceof InstallError)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}

/**
 * @param {SetName} name
 * @returns {string | null} null when the set is installed
 */
function whyMissing(name) {
  const set = SETS[name];
  if (set.coveredBy !== undefined && whyMissing(set.coveredBy) === null) return null;

  const expected = expectedStamp(set);
  const stamp = readIfThere(stampPath(name));
  if (stamp === expected) return null;

  const reason = whyDifferent(set);
  // someone else installed it; from now on the stamp says so
  if (reason === null) writeFileSync(stampPath(name), expected);
  return reason;
}

/**
 * Compares the lockfile with the record that npm wrote at its end.
 *
 * @param {InstallSet} set
 * @returns {string | null}
 */
function whyDifferent(set) {
  const record = readIfThere(join(ROOT, set.directory, 'node_modules', '.package-lock.json'));
  if (record === null) return 'nothing is installed yet';

  /** @typedef {{version?: string, optional?: boolean, dev?: boolean, devOptional?: boolean}} Entry */
  /** @type {{packages: Record<string, Entry>}} */
  const locked = JSON.parse(readFileSync(lockfilePath(set), 'utf8'));
  /** @type {{packages: Record<string, Entry>}} */
  const installed = JSON.parse(record);

  for (const [path, entry] of Object.entries(locked.packages)) {
    const isOptional = entry.optional === true || entry.devOptional === true;
    if (path === '' || isOptional || (entry.dev === true && !set.withDev)) continue;
    const found = installed.packages[path]?.version;
    const wanted = `${path.slice('node_modules/'.length)} ${entry.version}`;
    if (found === undefined) return `${wanted} is missing`;
    if (found !== entry.version) return `${wanted} is needed and ${found} is installed`;
  }
  return null;
}

/**
 * @param {SetName} name
 * @param {string} reason
 */
function install(name, reason) {
  const set = SETS[name];
  const flags = ['ci', ...set.flags, '--no-audit', '--no-fund', '--loglevel=error'];
  console.error(`errand: installing ${set.contents} (${reason}): ${shownCommand(set)}`);

  for (const each of stampsIn(set.directory)) rmSync(each, { force: true });
  const { status, signal, error } = spawnSync('npm', flags, {
    // not --prefix, which the install script of `node` would inherit
    cwd: join(ROOT, set.directory),
    env: npmEnvironment(),
    // stdout belongs to the program that runs afterwards
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (error !== undefined || status !== 0) {
    const how = error?.message ?? (signal === null ? `exit code ${status}` : signal);
    throw new InstallError(failureMessage(set, how));
  }
  writeFileSync(stampPath(name), expectedStamp(set));
}

/**
 * @param {InstallSet} set
 * @param {string} how
 * @returns {string}
 */
function failureMessage(set, how) {
  return [
    `errand: could not install ${set.contents} (${how}).`,
    'The message of npm is above. What usually helps:',
    '  - no network, or a registry that does not answer: check `npm ping`, then run the same command again; npm continues from its cache',
    '  - package.json and package-lock.json disagree: run `npm install` and look at what it changed',
    `  - anything else: run \`${shownCommand(set)}\` by itself and read what it says`,
  ].join('\n');
}

/**
 * @param {string} directory
 * @returns {string}
 */
function noBinaryMessage(directory) {
  const where = relative(process.cwd(), join(ROOT, directory)) || '.';
  return [
    `errand: Node ${NEEDED_NODE} or newer is needed, this is ${process.versions.node}, and the one in ${where}/node_modules is not there.`,
    'Its install script did not run (is `ignore-scripts` set?): allow it, delete that node_modules and try again, or install a newer Node.',
  ].join('\n');
}

/**
 * @param {InstallSet} set
 * @returns {string}
 */
function shownCommand(set) {
  const place = set.directory === '.' ? '' : `cd ${set.directory} && `;
  return `${place}${['npm ci', ...set.flags].join(' ')}`;
}

/** @returns {NodeJS.ProcessEnv} */
function npmEnvironment() {
  const removed = OUTER_NPM_SETTINGS.map((setting) => `npm_config_${setting}`);
  const kept = Object.entries(process.env).filter(([key]) => !removed.includes(key.toLowerCase()));
  // npm is about to replace the Node among the tools, so it must run on another one
  return withSearchPath(Object.fromEntries(kept), (entries) =>
    entries.filter((entry) => entry !== TOOLS),
  );
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {(entries: string[]) => string[]} change
 * @returns {NodeJS.ProcessEnv}
 */
function withSearchPath(env, change) {
  // Windows spells it Path
  const key = Object.keys(env).find((each) => each.toUpperCase() === 'PATH') ?? 'PATH';
  return { ...env, [key]: change((env[key] ?? '').split(delimiter)).join(delimiter) };
}

/**
 * @param {string} directory
 * @returns {string | null}
 */
function nodeIn(directory) {
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  const path = join(ROOT, directory, 'node_modules', 'node', 'bin', file);
  return existsSync(path) ? path : null;
}

/**
 * @param {InstallSet} set
 * @returns {string}
 */
function expectedStamp(set) {
  return `${createHash('sha256')
    .update(readFileSync(lockfilePath(set)))
    .digest('hex')}\n`;
}

/**
 * @param {InstallSet} set
 * @returns {string}
 */
function lockfilePath(set) {
  return join(ROOT, set.directory, 'package-lock.json');
}

/**
 * @param {SetName} name
 * @returns {string}
 */
function stampPath(name) {
  return join(ROOT, SETS[name].directory, 'node_modules', `.errand-install-${name}`);
}

/**
 * @param {string} directory
 * @returns {string[]}
 */
function stampsIn(directory) {
  const names = /** @type {SetName[]} */ (Object.keys(SETS));
  return names.filter((name) => SETS[name].directory === directory).map(stampPath);
}

/**
 * @param {string} path
 * @returns {string | null}
 */
function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
