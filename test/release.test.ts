/** `scripts/release.mjs` in a repository of its own, with an npm that packs without the network. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SCRIPTS = join(import.meta.dirname, '../scripts');
const CHANGELOG = '# Changelog\n\nNewest first.\n\n## Unreleased\n\n- **feat**: something\n';
const TODAY = /\(\d{4}-\d{2}-\d{2}\)/;

let origin: string;
let clone: string;

function git(...args: readonly string[]): string {
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
  const { status, stdout, stderr } = spawnSync('git', [...who, ...args], {
    cwd: clone,
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  return stdout.trim();
}

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(clone, name)), { recursive: true });
    writeFileSync(join(clone, name), text, { mode: 0o755 });
  }
}

function commit(files: Readonly<Record<string, string>>): void {
  write(files);
  git('add', '.');
  git('commit', '--message', 'Change it');
}

const read = (name: string): string => readFileSync(join(clone, name), 'utf8');

function release(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(clone, 'scripts/release.mjs'), ...args],
    {
      cwd: clone,
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        HOME: origin,
        GIT_AUTHOR_NAME: 'test',
        GIT_AUTHOR_EMAIL: 'test@example.com',
        GIT_COMMITTER_NAME: 'test',
        GIT_COMMITTER_EMAIL: 'test@example.com',
        npm_config_update_notifier: 'false',
      },
    },
  );
  return { status, stdout, stderr };
}

/** Everything that a release changes. */
function state(): unknown {
  return [git('rev-parse', 'HEAD'), git('tag', '--list'), git('status', '--porcelain')];
}

beforeEach(() => {
  origin = mkdtempSync(join(tmpdir(), 'errand-release-'));
  clone = join(origin, 'clone');
  for (const script of ['release.mjs', 'install.mjs'])
    cpSync(join(SCRIPTS, script), join(clone, 'scripts', script));
  git('init', '--quiet');
  const manifest = { name: 'errand', version: '0.1.0' };
  commit({
    'package.json': JSON.stringify(manifest),
    'package-lock.json': JSON.stringify({ ...manifest, lockfileVersion: 3, packages: {} }),
    'CHANGELOG.md': CHANGELOG,
    '.gitignore': 'build/\n',
    '.ci/run': '#!/bin/sh\necho checked\n',
  });
});

afterEach(() => rmSync(origin, { recursive: true, force: true }));

describe.skipIf(process.platform === 'win32')('a release', () => {
  it('sets the version, cuts the changelog, packs, commits and tags', () => {
    const { status, stdout, stderr } = release('0.2.0');
    expect(status, stderr).toBe(0);
    expect(stdout).toContain('checked');
    expect(stdout).toContain('npm publish --provenance --access public');
    expect(JSON.parse(read('package.json'))).toMatchObject({ version: '0.2.0' });
    expect(JSON.parse(read('package-lock.json'))).toMatchObject({ version: '0.2.0' });
    expect(read('CHANGELOG.md').replace(TODAY, '(DAY)')).toBe(
      '# Changelog\n\nNewest first.\n\n## Unreleased\n\n## 0.2.0 (DAY)\n\n- **feat**: something\n',
    );
    expect(existsSync(join(clone, 'build/release/errand-0.2.0.tgz'))).toBe(true);
    expect(git('log', '-1', '--format=%s')).toBe('Release 0.2.0');
    expect(git('rev-list', '-1', 'v0.2.0')).toBe(git('rev-parse', 'HEAD'));
    expect(git('status', '--porcelain')).toBe('');
  });

  it('says in a dry run what it would do, and does nothing of it', () => {
    write({ 'build/kept': '' });
    const before = state();
    const { status, stdout, stderr } = release('minor', '--dry-run');
    expect(status, stderr).toBe(0);
    for (const said of ['.ci/run', '0.1.0 to 0.2.0', '## 0.2.0 (', 'v0.2.0', '--provenance'])
      expect(stdout).toContain(said);
    expect(stdout).not.toContain('checked');
    expect(state()).toEqual(before);
    expect(read('CHANGELOG.md')).toBe(CHANGELOG);
  });

  it.each<[string, string, () => void]>([
    ['a tree with changes', 'not committed', () => write({ new: '' })],
    [
      'checks that fail',
      'the checks are not green',
      () => commit({ '.ci/run': '#!/bin/sh\nexit 1' }),
    ],
    ['a tag that is there', 'there is a tag v0.2.0 already', () => void git('tag', 'v0.2.0')],
    [
      'a changelog that says nothing',
      'say what is new',
      () => commit({ 'CHANGELOG.md': '## Unreleased\n\n## 0.1.0\n\n- first\n' }),
    ],
    [
      'a package that cannot be packed',
      'npm pack failed',
      () =>
        commit({
          'package.json': '{"name":"errand","version":"0.1.0","scripts":{"prepack":"exit 3"}}',
        }),
    ],
  ])('is refused with %s, and leaves all as it was', (_, why, arrange) => {
    arrange();
    const before = state();
    const { status, stderr } = release('0.2.0');
    expect(status).toBe(1);
    expect(stderr).toContain(why);
    expect(state()).toEqual(before);
  });

  it.each(['0.1.0', '0.0.9', '0.1.0-rc.1', 'soon', ''])('is refused as version %j', (version) => {
    const { status, stderr } = release(version, '--dry-run');
    expect(status).toBe(1);
    expect(stderr).toMatch(/^release: /);
  });

  it.each([
    ['patch', '0.1.1'],
    ['minor', '0.2.0'],
    ['major', '1.0.0'],
    ['0.2.0-rc.1', '0.2.0-rc.1'],
  ])('of %s is %s', (wanted, version) => {
    expect(release(wanted, '--dry-run').stdout).toContain(`0.1.0 to ${version}`);
  });
});
