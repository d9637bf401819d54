/** The core that all surfaces of a server share: its engine, its runs, its workflows and its settings. */
import type { EffectClock } from '../effects/clock.ts';
import type { Engine } from '../engine/errand.ts';
import type { Redactor } from '../errors/redaction/redact.ts';
import type { JsonObject } from '../errors/support/safe-json.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import type { Access } from './access/request-access.ts';
import type { CarryOn } from './begin-carry-on.ts';
import type { AllChanges } from './runs/all-changes.ts';
import type { Metrics } from './runs/server-metrics.ts';
import type { RunFolds } from './runs/run-folds.ts';
import type { RunReader } from './runs/run-reader.ts';
import type { Chunks } from './stream/chunks.ts';
import type { LogPages } from './stream/log-pages.ts';
import type { OpenStreams } from './stream/open-streams.ts';
import type { ServedWorkflows } from './workflows/served-workflows.ts';

export interface RunCore {
  /** Opened when it is first needed. Rejects with `store.*`. */
  readonly engine: () => Promise<Engine>;
  readonly reader: RunReader;
  readonly folds: RunFolds;
  readonly workflows: ServedWorkflows;
  readonly streams: OpenStreams;
  readonly chunks: Chunks;
  readonly pages: LogPages;
  readonly changes: AllChanges;
  readonly metrics: Metrics;
  readonly clock: EffectClock;
  readonly redactor: Redactor;
  /** Stands before every path. */
  readonly base: string;
  /** The folder that paths are relative to. */
  readonly directory: string;
  readonly allowEdit: boolean;
  /** The coverage of the last rehearsal of a workflow, by its name. */
  readonly lastRehearsal: (workflow: string) => JsonObject | undefined;
  /** Whether runs are only stored here, and another server continues them. */
  readonly onlyStores: boolean;
  /** Undefined until it has begun, and where no run is resumed. */
  readonly carryOn: () => CarryOn | undefined;
}

/** The core with the parts that only requests over HTTP need. */
export interface ServerCore extends RunCore {
  readonly access: Access;
}

/**
 * Runs work that begins a run here, and counts the run from the start. Throws `request.limited`
 * when the server executes as many runs as it may.
 */
export async function withRoom<T>(
  { carryOn }: Pick<RunCore, 'carryOn'>,
  begin: () => Promise<T>,
): Promise<T> {
  const carrying = carryOn();
  const release = carrying?.reserve();
  if (carrying !== undefined && release === undefined)
    throw new ErrandError({
      kind: 'request.limited',
      message: 'The server executes as many runs as it may',
      details: { retryAfterMs: 2000 },
    });
  try {
    return await begin();
  } finally {
    release?.();
  }
}
