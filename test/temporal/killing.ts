/** Workers in separate processes, and a record of their work, for tests that kill them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { cachedBundle, ROOT, type Stage } from './stage.ts';
import type { WorkerProcessOptions } from './worker-process.ts';

export interface Deed {
  readonly what: string;
  readonly name: string;
  readonly key: string;
  readonly pid: number;
}

export interface WorkerProcess {
  /** Kills it at once, without a message to anyone. */
  kill(): Promise<void>;
  /** Lets effects end. */
  stop(): Promise<void>;
}

const WAIT_MS = 300_000;

/**
 * For one file of tests: a worker that outlives a test serves the next, because the SDK takes
 * seconds to load.
 */
export class Killing {
  readonly #stage: Stage;
  readonly folder = mkdtempSync(join(tmpdir(), 'errand-killing-'));
  readonly deedsFile = join(this.folder, 'deeds.txt');
  readonly #started = new Map<WorkerProcess, { readonly isUsual: boolean }>();
  #left: WorkerProcess | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Without options, returns the worker that is left from the previous test, if any. */
  async worker(given?: Partial<WorkerProcessOptions>): Promise<WorkerProcess> {
    const left = this.#left;
    this.#left = undefined;
    if (given === undefined && left !== undefined) return left;
    await left?.kill();
    const worker = await this.#start(given);
    this.#started.set(worker, { isUsual: given === undefined });
    return worker;
  }

  async #start(given: Partial<WorkerProcessOptions> = {}): Promise<WorkerProcess> {
    const options: WorkerProcessOptions = {
      config: this.#stage.config,
      base: ROOT,
      bundleFile: await cachedBundle(),
      drainMs: 20_000,
      stickyMs: 1000,
      deeds: this.deedsFile,
      ...given,
    };
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, 'worker-process.ts'), JSON.stringify(options)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const gone = once(child, 'exit');
    await Promise.race([once(child.stdout, 'data'), gone]);
    const end = async (signal: NodeJS.Signals): Promise<void> => {
      this.#started.delete(worker);
      child.kill(signal);
      await gone;
    };
    const worker: WorkerProcess = { kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
    return worker;
  }

  /** Ends all workers but one, and forgets the deeds. */
  async endTest(): Promise<void> {
    for (const [worker, { isUsual }] of this.#started)
      if (isUsual && this.#left === undefined) this.#left = worker;
      else await worker.kill();
    rmSync(this.deedsFile, { force: true });
  }

  deeds(): readonly Deed[] {
    if (!existsSync(this.deedsFile)) return [];
    return readFileSync(this.deedsFile, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [what = '', name = '', key = '', pid = ''] = line.split(' ');
        return { what, name, key, pid: Number(pid) };
      });
  }

  /** The number of times that each began, by name. */
  begun(prefix = ''): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { what, name } of this.deeds())
      if (what === 'begun' && name.startsWith(prefix)) counts[name] = (counts[name] ?? 0) + 1;
    return counts;
  }

  untilBegun(name: string, times = 1): Promise<void> {
    return until(() => (this.begun()[name] ?? 0) >= times);
  }

  async close(): Promise<void> {
    for (const worker of this.#started.keys()) await worker.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + WAIT_MS;
  while (!(await isTrue())) {
    if (performance.now() > endMs) throw new Error('It never came about');
    await after(25);
  }
}
