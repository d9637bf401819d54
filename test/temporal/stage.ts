/** The stage of a test of the Temporal driver: a server, and workers and clients for it. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  openTemporal,
  type TemporalBackend,
  type TemporalBackendOptions,
} from '../../src/engine/temporal/client.ts';
import type { TemporalConfig } from '../../src/engine/temporal/config.ts';
import {
  startWorker,
  type ErrandWorker,
  type WatchedWorkerOptions,
} from '../../src/engine/temporal/temporal-worker.ts';
import { bundleWorkflow } from '../../src/engine/temporal/workflow-bundle.ts';
import { findProgram, hasGo, say, startServer, type TemporalServer } from './server.ts';

export const ROOT = join(import.meta.dirname, '..', '..');
/** The folder of Temporal's packages for tests. */
export const PACKAGES = join(ROOT, 'test', 'temporal-sdk');

/** A slow process is not taken for lost within this time. */
export const PATIENCE_MS = 300_000;
/** The SDK sends a heartbeat at least every minute. */
const HEARTBEAT_MS = 120_000;

export interface Stage {
  readonly config: TemporalConfig;
  /** Undefined if the server belongs to somebody else, who would mind. */
  readonly server: TemporalServer | undefined;
  client(options?: Partial<TemporalBackendOptions>): Promise<TemporalBackend>;
  worker(options?: Partial<WatchedWorkerOptions>): Promise<ErrandWorker>;
  close(): Promise<void>;
}

/**
 * The reason why nothing can be proved here; undefined if it can. In CI with Go such a reason is a
 * failure.
 */
export function whyNot(what: string): string | undefined {
  const reason = reasonAgainst();
  if (reason === undefined) return undefined;
  // if it is available, nothing is skipped quietly
  if (process.env['CI'] === 'true' && hasGo()) throw new Error(`Nothing was proved: ${reason}`);
  say(`SKIPPED, so nothing was proved of: ${what}. To prove it, ${reason}`);
  return reason;
}

function reasonAgainst(): string | undefined {
  if (!hasPackages()) return 'run `npm test`, which installs Temporal’s SDK';
  if (process.env['TEMPORAL_ADDRESS'] !== undefined) return undefined;
  const program = findProgram();
  return 'missing' in program ? program.missing : undefined;
}

/** Whether Temporal's SDK is installed, as `npm test` does. */
export function hasPackages(): boolean {
  return existsSync(join(PACKAGES, 'node_modules', '@temporalio', 'worker'));
}

/**
 * A namespace and a task queue of its own, by the name of the test; `beside`: on the server of that
 * stage.
 */
export async function openStage(name: string, beside?: Stage): Promise<Stage> {
  const given = beside?.config.address ?? process.env['TEMPORAL_ADDRESS'];
  const server = given === undefined ? await ownServer() : undefined;
  const address = given ?? server?.address ?? '';
  const config: TemporalConfig = {
    address,
    namespace: process.env['TEMPORAL_NAMESPACE'] ?? 'default',
    taskQueue: `errand-${name}-${process.pid}`,
    directory: PACKAGES,
  };
  const open: { close(): Promise<void> }[] = [];
  return {
    config,
    server,
    client: async (options = {}) => {
      const driver = await openTemporal({
        config,
        heartbeatMs: HEARTBEAT_MS,
        queryMs: PATIENCE_MS,
        ...options,
      });
      open.push(driver);
      return driver;
    },
    worker: async (options = {}) => {
      const bundleFile = await cachedBundle();
      const worker = await startWorker({
        config,
        base: ROOT,
        env: process.env,
        drainMs: 1000,
        stickyMs: 1000,
        bundleFile,
        ...options,
      });
      open.push({ close: () => worker.stop() });
      return worker;
    },
    close: async () => {
      for (const each of open.reverse()) await each.close();
      await server?.stop();
    },
  };
}

async function ownServer(): Promise<TemporalServer> {
  const program = findProgram();
  if ('missing' in program) throw new Error(program.missing);
  say(`using ${program.path}`);
  return startServer(program.path, []);
}

/** Bundling takes longer than most tests; the same sources give the same bundle. */
export async function cachedBundle(): Promise<string> {
  const hash = createHash('sha256');
  for (const file of globSync(
    'src/{errors,providers,workflow,machine,history,effects,engine}/**/*.ts',
    {
      cwd: ROOT,
    },
  ).toSorted())
    hash.update(file).update(readFileSync(join(ROOT, file)));
  const folder = join(tmpdir(), 'errand-temporal-bundles');
  const file = join(folder, `${hash.digest('hex').slice(0, 16)}.js`);
  if (existsSync(file)) return file;
  const { code } = await bundleWorkflow({ directory: PACKAGES });
  mkdirSync(folder, { recursive: true });
  // two test files may make it at once
  writeFileSync(`${file}.${process.pid}`, code);
  renameSync(`${file}.${process.pid}`, file);
  return file;
}

if (import.meta.main && hasPackages()) await cachedBundle();
