/** What `scripts/install.mjs` installs and when, against an npm that only notes what it was asked. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const INSTALL = join(import.meta.dirname, '../scripts/install.mjs');

const FAKE_NPM = `#!/usr/bin/env node
const fs = require('node:fs');
const asked = { directory: process.cwd(), args: process.argv.slice(2), env: process.env };
fs.appendFileSync(process.env.ASKED, JSON.stringify(asked) + '\\n');
if (process.env.NPM_FAILS) process.exit(1);
fs.rmSync('node_modules', { recursive: true, force: true });
fs.mkdirSync('node_modules');
`;

interface Request {
  readonly directory: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

let checkout: string;
let asked: string;

beforeEach(() => {
  const directory = mkdtempSync(join(tmpdir(), 'errand-bootstrap-'));
  checkout = join(directory, 'checkout');
  asked = join(directory, 'asked.jsonl');
  cpSync(INSTALL, join(checkout, 'scripts', 'install.mjs'));
  for (const place of ['.', 'tools/node', 'test/sdks']) writeLockfile(place, { zod: '4.0.0' });
  mkdirSync(join(checkout, 'fake'));
  writeFileSync(join(checkout, 'fake', 'npm'), FAKE_NPM, { mode: 0o755 });
});

afterEach(() => rmSync(join(checkout, '..'), { recursive: true, force: true }));

describe.skipIf(process.platform === 'win32')('the bootstrap', () => {
  it('installs a set once, and again when the lockfile changes', () => {
    expect(commands(ensure('runtime'))).toEqual(['ci --omit=dev']);
    expect(commands(ensure('runtime'))).toEqual([]);
    writeLockfile('.', { zod: '4.0.1' });
    expect(commands(ensure('runtime'))).toEqual(['ci --omit=dev']);
  });

  it('says what it installs and why, and leaves stdout alone', () => {
    const { stdout, stderr } = ensure('runtime');
    expect(stderr).toMatch(
      /^errand: installing .* \(nothing is installed yet\): npm ci --omit=dev$/m,
    );
    expect(stdout).toBe('');
  });

  it('takes a full installation for the smaller one, and not the other way round', () => {
    ensure('runtime');
    expect(commands(ensure('dev'))).toEqual(['ci --include=dev']);
    expect(commands(ensure('runtime'))).toEqual([]);
  });

  it('keeps the development tools when it brings the packages up to date', () => {
    ensure('dev');
    writeLockfile('.', { zod: '4.0.1' });
    expect(commands(ensure('runtime'))).toEqual(['ci --include=dev']);
  });

  it('believes the record of npm when someone installed by hand', () => {
    writeLockfile('.', { zod: '4.0.0' }, 'node_modules/.package-lock.json');
    expect(commands(ensure('dev', 'runtime'))).toEqual([]);
    writeLockfile('.', { zod: '4.0.1' });
    const { requests, stderr } = ensure('dev');
    expect(requests).toHaveLength(1);
    expect(stderr).toContain('zod 4.0.1 is needed and 4.0.0 is installed');
  });

  it('installs the other manifests in their own folders', () => {
    const folders = ensure('node', 'sdks').requests.map(({ directory }) => directory);
    expect(folders).toEqual([
      expect.stringMatching(/checkout\/tools\/node$/),
      expect.stringMatching(/checkout\/test\/sdks$/),
    ]);
  });

  it('hides the settings of the outer npm from the inner one', () => {
    const { requests } = ensure('dev');
    expect(requests[0]?.env).not.toHaveProperty('npm_config_omit');
    expect(requests[0]?.env).not.toHaveProperty('NPM_CONFIG_PREFIX');
    expect(requests[0]?.env).toHaveProperty('npm_config_cafile', 'kept');
  });

  it('says what to do when npm fails, and tries again the next time', () => {
    const { status, stderr, requests } = ensureWith({ NPM_FAILS: '1' }, 'sdks');
    expect({ status, asked: requests.length }).toEqual({ status: 1, asked: 1 });
    expect(stderr).toContain('no network');
    expect(stderr).not.toContain('at install');
    expect(commands(ensure('sdks'))).toHaveLength(1);
  });

  it('runs the tools on the Node that is asked for, and says when that is not there', () => {
    const given = devNodeWith(process.execPath);
    expect(given).toMatchObject({ status: 0, stdout: `${process.execPath}\n` });
    const missing = devNodeWith('/nowhere/node');
    expect(missing.status).toBe(1);
    expect(missing.stderr).toContain('DEV_NODE is /nowhere/node');
    expect(missing.stderr).not.toContain('at devNode');
  });
});

function devNodeWith(path: string) {
  const script = join(checkout, 'scripts', 'which.mjs');
  const call = 'runScript(() => console.log(devNode()));';
  writeFileSync(script, `import { devNode, runScript } from './install.mjs';\n${call}`);
  const env = { PATH: process.env['PATH'], DEV_NODE: path };
  return spawnSync(process.execPath, [script], { encoding: 'utf8', env });
}

function ensure(...names: string[]): ReturnType<typeof ensureWith> {
  return ensureWith({}, ...names);
}

function ensureWith(
  environment: Record<string, string>,
  ...names: string[]
): { status: number | null; stdout: string; stderr: string; requests: Request[] } {
  rmSync(asked, { force: true });
  const script = join(checkout, 'scripts', 'ensure.mjs');
  const call = `runScript(() => ensureInstalled(...${JSON.stringify(names)}));`;
  writeFileSync(script, `import { ensureInstalled, runScript } from './install.mjs';\n${call}`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
    encoding: 'utf8',
    env: {
      PATH: [join(checkout, 'fake'), process.env['PATH']].join(delimiter),
      ASKED: asked,
      npm_config_omit: 'dev',
      NPM_CONFIG_PREFIX: '/nowhere',
      npm_config_cafile: 'kept',
      ...environment,
    },
  });
  const lines = existsSync(asked) ? readFileSync(asked, 'utf8').trim().split('\n') : [];
  return { status, stdout, stderr, requests: lines.map((line) => JSON.parse(line) as Request) };
}

/** Without the flags that only make npm quiet. */
function commands({ requests }: ReturnType<typeof ensureWith>): string[] {
  return requests.map(({ args }) => args.slice(0, 2).join(' '));
}

function writeLockfile(
  place: string,
  versions: Record<string, string>,
  name = 'package-lock.json',
): void {
  const packages = Object.entries(versions).map(([key, version]) => [
    `node_modules/${key}`,
    { version },
  ]);
  const path = join(checkout, place, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, JSON.stringify({ packages: Object.fromEntries(packages) }));
}
