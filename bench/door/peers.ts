/**
 * The packages that benches compare Errand with: installed in `bench/peers`, only for `--peers`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PEERS } from './installed.ts';

export function peerVersion(name: string): string {
  const manifest = join(PEERS, 'node_modules', name, 'package.json');
  if (!existsSync(manifest)) throw new Error(`${name} is missing: run npm ci in bench/peers`);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version;
}

/** Loads it as CommonJS does, which Node also does with modules. */
export function loadPeer(name: string): unknown {
  return createRequire(join(PEERS, 'package.json'))(name) as unknown;
}

/** The address of the module that a program beside it would import. */
export function peerAddress(name: string): string {
  const { stdout } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', `console.log(import.meta.resolve(${JSON.stringify(name)}))`],
    { cwd: PEERS, encoding: 'utf8' },
  );
  return stdout.trim();
}
