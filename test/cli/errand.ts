/** The command as people start it, in a folder and with runs of its own. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { hasOwnProcess, sharedErrandSync } from './shared/command.ts';

export interface Ended {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Place {
  readonly folder: string;
  /** The environment of a child process: only the path of the person who runs the tests. */
  readonly env: Record<string, string>;
  run(
    args: readonly string[],
    more?: {
      readonly env?: Record<string, string>;
      readonly stdin?: string;
      /** A path below the folder. */
      readonly cwd?: string;
    },
  ): Ended;
  json(args: readonly string[]): unknown;
  /** The most recently started run. */
  lastRun(): string;
  write(name: string, text: string): void;
  remove(): void;
}

export interface PlaceOptions {
  /** Most commands run in a process that has run others. */
  readonly isShared?: boolean;
}

export function newPlace({ isShared = false }: PlaceOptions = {}): Place {
  const folder = mkdtempSync(join(tmpdir(), 'errand-cli-'));
  const env = { PATH: process.env['PATH'] ?? '' };
  let count = 0;
  const place: Place = {
    folder,
    env,
    run(args, more = {}) {
      const surroundings = { cwd: join(folder, more.cwd ?? ''), env: { ...env, ...more.env } };
      if (isShared && more.stdin === undefined && !hasOwnProcess(`${++count} ${args[0]}`))
        return sharedErrandSync(args, surroundings);
      const { status, stdout, stderr } = spawnSync(process.execPath, [LAUNCHER, ...args], {
        ...surroundings,
        encoding: 'utf8',
        input: more.stdin ?? '',
      });
      return { exit: status, stdout, stderr };
    },
    json: (args) => JSON.parse(place.run([...args, '--format', 'json']).stdout) as unknown,
    lastRun: () => (place.json(['runs', '--limit', '1']) as { run: string }[])[0]?.run ?? '',
    write: (name, text) => writeFileSync(join(folder, name), text),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  return place;
}
