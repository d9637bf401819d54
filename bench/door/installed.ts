/**
 * The package as users install it: built, and copied into a folder of its own without a link back
 * to the checkout.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The checkout, whose packages a bench may use. */
export const ROOT: string = dirname(dirname(import.meta.dirname));
export const PEERS: string = join(ROOT, 'bench', 'peers');

export interface Installed {
  /** The folder that contains `node_modules/errand`. */
  readonly folder: string;
  readonly command: string;
  readonly remove: () => void;
}

/**
 * Set for the process of one bench among several, whose parent has built: holds the load of the
 * machine before all of them.
 */
export const WITHIN = 'ERRAND_BENCH_WITHIN';

let isBuilt = process.env[WITHIN] !== undefined;

export function install(): Installed {
  buildOnce();
  const folder = mkdtempSync(join(tmpdir(), 'errand-bench-'));
  const installed = join(folder, 'node_modules', 'errand');
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(ROOT, part), join(installed, part), { recursive: true });
  return {
    folder,
    command: join(installed, 'bin', 'errand.mjs'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Builds in any case: an older build may come from another tree. */
export function buildOnce(): void {
  if (isBuilt) return;
  const made = spawnSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs')], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`The build ended with ${made.status}\n${made.stderr}`);
  isBuilt = true;
}
