/** Opens the backend that the options ask for: over a store, at a Temporal server, or at an Errand server. */
import { dirname, resolve } from 'node:path';
import type { EffectClock } from '../effects/clock.ts';
import { keyValuesIn, storeSecrets } from '../effects/model/key-values.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import type { RunStore } from '../machine/ports/store-port.ts';
import type { TraceCarrier } from '../machine/ports/trace-carrier.ts';
import type { RunEvent } from '../machine/state/events.ts';
import { timedStore } from '../stores/timed-store.ts';
import type { Backend } from './backend.ts';
import type { Extensions } from './loading/extensions.ts';
import { openStore, sqlitePath } from './loading/open-store.ts';
import { LocalBackend } from './local/local-backend.ts';
import type { EffectRunner } from './run/effect-runner.ts';
import type { Progress } from './run/running-effects.ts';
import type { TelemetryPort } from './run/telemetry-port.ts';
import { exportsIn } from './run/exported-events.ts';
import { witnessed } from './run/lost-log.ts';
import { warnProcess } from './process-warning.ts';
import type { ServerPlace } from './remote/server-client.ts';
import type { TemporalOptions } from './temporal/config.ts';
import type { WorkflowHostOptions } from './workflow-host.ts';

/** Where runs are kept: in a store, at a Temporal server, or at an Errand server. */
export type RunLocation =
  | {
      readonly store: string | RunStore;
      /** The folder that runs are exported to: a log that lacks what was exported is refused. */
      readonly home?: string | undefined;
    }
  | { readonly temporal: TemporalOptions }
  | { readonly server: ServerPlace };

export interface EngineOptions extends WorkflowHostOptions {
  /** Called once, when runs are first needed. Default: `store` or `temporal`. */
  readonly locate?: () => RunLocation | Promise<RunLocation>;
  /** Paths of modules that export extensions, beside those that files name. */
  readonly extensionModules?: readonly string[];
  /** Called with each secret that a workflow brings or a call makes, for what prints outside of the runs. */
  readonly onSecret?: (secret: string) => void;
  /** When the store stays away: the run halts and can be resumed, or waits for it. Default: wait. */
  readonly onOutage?: 'halt' | 'wait';
  /** Called with every event of every run that this process executes, after it is stored. */
  readonly onEvent?: (event: RunEvent) => void;
  /** The trace of every leg that is begun without one of its own. Default: the active span. */
  readonly trace?: TraceCarrier | undefined;
  /** Watches the runs that this process executes. Default: nobody does. */
  readonly telemetry?: TelemetryPort | undefined;
  /** Called with how long each call of the store took, in seconds. */
  readonly onStoreCall?: (seconds: number) => void;
  /** Called with the progress of every run that this process executes. */
  readonly onProgress?: (progress: Progress) => void;
  /** Saves views of very long runs, so that their pages open without reading their logs. Default: false. */
  readonly keepsViews?: boolean;
}

interface Surroundings {
  readonly directory: string;
  readonly extensions: Extensions;
  /** For runs whose workflow is not here. */
  readonly effects: EffectRunner;
  readonly clock: EffectClock;
  readonly onEvent: (event: RunEvent) => void;
}

export interface OpenedBackend {
  readonly backend: Backend;
  /** The folder that runs are exported to, where it is known. */
  readonly home?: string | undefined;
}

export async function openBackend(
  options: EngineOptions,
  around: Surroundings,
): Promise<OpenedBackend> {
  const location = await (options.locate?.() ?? locationIn(options, around.directory));
  if ('temporal' in location)
    return { backend: await temporalBackend(location.temporal, options, around) };
  if ('server' in location) {
    // loaded on demand: most commands speak to a store
    const { ServerBackend } = await import('./remote/server-backend.ts');
    return { backend: new ServerBackend(location.server, options.onWarning) };
  }
  const { store: address, home } = location;
  const { onWarning, onInternal, onSecret, onProgress, onOutage = 'wait' } = options;
  const { keepsViews = false } = options;
  const { directory, extensions, ...parts } = around;
  const opened = timed(await openStore(address, directory, extensions), options);
  const backend = new LocalBackend({
    ...parts,
    store: home === undefined ? opened : witnessed(opened, exportsIn(home)),
    onOutage,
    keepsViews,
    ...(onWarning === undefined ? {} : { onWarning }),
    ...(onInternal === undefined ? {} : { onInternal }),
    ...(onSecret === undefined ? {} : { onSecret }),
    ...(onProgress === undefined ? {} : { onProgress }),
    telemetry: options.telemetry,
    storeName: storeName(address),
    secrets: [
      ...secretsIn(options),
      ...(typeof address === 'string' ? storeSecrets(address, envOf(options)) : []),
    ],
  });
  return { backend, home };
}

/** The scheme of the address; a store that the host opened has none. */
function storeName(address: string | RunStore): string {
  return typeof address === 'string'
    ? (/^[a-z][a-z\d+.-]*/i.exec(address)?.[0] ?? 'store')
    : 'host';
}

function timed(store: RunStore, { onStoreCall }: EngineOptions): RunStore {
  return onStoreCall === undefined
    ? store
    : timedStore(store, () => performance.now(), onStoreCall);
}

async function temporalBackend(
  { heartbeatMs, maxHistoryEvents, queryMs, ...config }: TemporalOptions,
  options: EngineOptions,
  { directory }: Surroundings,
): Promise<Backend> {
  // loaded on demand: most people never need it
  const { openTemporal } = await import('./temporal/client.ts');
  const { temporalConfig } = await import('./temporal/config.ts');
  return openTemporal({
    config: temporalConfig(config, envOf(options), directory),
    onWarning: options.onWarning ?? warnProcess,
    ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
    ...(maxHistoryEvents === undefined ? {} : { maxHistoryEvents }),
    ...(queryMs === undefined ? {} : { queryMs }),
    telemetry: options.telemetry,
    env: envOf(options),
    secrets: secretsIn(options),
  });
}

function locationIn(options: EngineOptions, directory: string): RunLocation {
  const { temporal, store = 'sqlite:.errand/errand.db' } = options;
  if (temporal !== undefined) return { temporal };
  if (typeof store !== 'string' || store === 'memory') return { store };
  const path = sqlitePath(store, directory);
  // the folder that the command exports the runs of that store to
  const home =
    path === undefined
      ? resolve(directory, envOf(options)['ERRAND_HOME'] || '.errand')
      : dirname(path);
  return { store, home };
}

function secretsIn(options: EngineOptions): readonly string[] {
  return [...(options.secrets ?? []), ...keyValuesIn(envOf(options))];
}

function envOf({ env = process.env }: EngineOptions): NonNullable<EngineOptions['env']> {
  return env;
}

/** Workers run the effects, so what only this process would ask or call must not seem to count. */
export function refuseWithTemporal(options: EngineOptions): void {
  if (options.temporal === undefined) return;
  const idle = (['store', 'guard', 'credentials'] as const).find(
    (name) => options[name] !== undefined,
  );
  if (idle === undefined) return;
  throw new ErrandError({
    kind: 'validation.input',
    message: `\`${idle}\` has no effect on runs at a Temporal server`,
    details: { option: idle },
    action: {
      kind: 'fix_code',
      detail:
        idle === 'store'
          ? 'Give either `store` or `temporal`.'
          : 'Give it to the workers, which call the models and tools.',
    },
  });
}
