/**
 * Builds the package as it is installed, for the hundreds of processes that tests start: a bundle loads
 * in a third of the time that the sources take. Its folder is named after a hash of the sources, so a
 * test that runs alone finds the bundle of the present sources or builds it, and never uses an old one.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** Inside the checkout, so that packages resolve from there. */
const BUILDS = join(ROOT, 'node_modules/.cache/errand-built');
const PARTS = ['bin', 'helpers', 'schema', 'package.json'];
const MADE_FROM = [
  'src/**/*.ts',
  'dashboard/**/*.{ts,tsx,css,html}',
  'scripts/{bundle,command-parts,dashboard,loaded-modules}.mjs',
  'package.json',
  'package-lock.json',
  '{bin,helpers,schema}/*',
];
const OLD_MS = 24 * 3600_000;

/** Returns `bin/errand.mjs` of a package built from the present sources. */
export function builtLauncher(): string {
  const folder = join(BUILDS, fingerprint());
  if (!existsSync(folder)) build(folder);
  return join(folder, 'bin/errand.mjs');
}

function fingerprint(): string {
  const hash = createHash('sha256');
  const isShipped = (path: string): boolean => !/\.(test|test-d|cases)\.tsx?$/.test(path);
  for (const path of globSync(MADE_FROM, { cwd: ROOT }).filter(isShipped).toSorted())
    hash.update(`${path}\n`).update(readFileSync(join(ROOT, path)));
  return hash.digest('hex').slice(0, 32);
}

/** Renames the finished folder into place: another test may look for it or build the same one. */
function build(folder: string): void {
  mkdirSync(BUILDS, { recursive: true });
  const making = mkdtempSync(join(BUILDS, 'making-'));
  try {
    for (const part of PARTS) cpSync(join(ROOT, part), join(making, part), { recursive: true });
    const dist = join(making, 'dist');
    bundle('bundle.mjs', join(ROOT, 'src'), dist);
    bundle('dashboard.mjs', dist);
    removeOld();
    renameSync(making, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

function bundle(script: string, ...args: readonly string[]): void {
  const command = [join(ROOT, 'scripts', script), ...args];
  const { status, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the sources could not be bundled\n${stderr}`);
}

function removeOld(): void {
  for (const name of globSync('*', { cwd: BUILDS })) {
    const { mtimeMs = Infinity } = statSync(join(BUILDS, name), { throwIfNoEntry: false }) ?? {};
    if (mtimeMs < Date.now() - OLD_MS) rmSync(join(BUILDS, name), { recursive: true, force: true });
  }
}

if (import.meta.main) builtLauncher();
