/**
 * The package as a user gets it: built into a copy of the packed files, so that `dist` of the
 * checkout stays untouched, packed there, and unpacked beside its dependencies.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const COPIED = ['bin', 'helpers', 'schema', 'CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'];

export interface PackedPackage {
  /** A project with the package installed. */
  readonly app: string;
  /** The package in that project. */
  readonly directory: string;
  /** Paths of the tarball's files, relative to the package. */
  readonly files: readonly string[];
  readonly remove: () => void;
}

export interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function packPackage(): PackedPackage {
  // macOS keeps its temporary directory behind a link, and Node identifies modules by their real
  // paths
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'errand-package-')));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  try {
    return { ...unpack(pack(copyCheckout(directory)), directory), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

export function runIn(directory: string, program: string, args: readonly string[]): Result {
  return spawnSync(program, args, { cwd: directory, encoding: 'utf8' });
}

function copyCheckout(directory: string): string {
  const checkout = join(directory, 'checkout');
  for (const name of COPIED) {
    const from = join(ROOT, name);
    for (const found of globSync(from)) cpSync(found, join(checkout, name), { recursive: true });
  }
  mustRun(ROOT, process.execPath, ['scripts/build.mjs', '--into', join(checkout, 'dist')]);
  return checkout;
}

function pack(checkout: string): string {
  const destination = dirname(checkout);
  mustRun(checkout, 'npm', ['pack', '--ignore-scripts', '--pack-destination', destination]);
  const [tarball] = globSync(join(destination, '*.tgz'));
  if (tarball === undefined) throw new Error('npm pack left no tarball');
  return tarball;
}

function unpack(tarball: string, directory: string): Omit<PackedPackage, 'remove'> {
  const app = join(directory, 'app');
  const target = join(app, 'node_modules', 'errand');
  mkdirSync(target, { recursive: true });
  mustRun(target, 'tar', ['-xzf', tarball, '--strip-components=1']);

  const manifest: unknown = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
  for (const name of Object.keys((manifest as { dependencies: object }).dependencies)) {
    const link = join(app, 'node_modules', name);
    // a scoped name has a folder of its own
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
  const files = readdirSync(target, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(target.length + 1));
  return { app, directory: target, files: files.map((file) => file.replaceAll('\\', '/')) };
}

function mustRun(directory: string, program: string, args: readonly string[]): void {
  const { status, stdout, stderr } = runIn(directory, program, args);
  if (status === 0) return;
  throw new Error(`${program} ${args.join(' ')} ended with ${status}\n${stdout}\n${stderr}`);
}
