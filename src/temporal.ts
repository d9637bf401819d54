/** `errand/temporal`: workers for runs on Temporal, and reports across its boundary. */
import {
  startWorker as startEngineWorker,
  type ErrandWorker,
  type ErrandWorkerOptions,
} from './engine/temporal/temporal-worker.ts';
import { createTelemetry, telemetryFault } from './telemetry/telemetry.ts';

export {
  fromTemporalFailure,
  toTemporalFailure,
  type FailureParts,
  type FailurePayload as TemporalFailurePayload,
} from './engine/temporal/temporal-failure.ts';
export {
  temporalConfig,
  type Pem as TemporalPem,
  type TemporalConfig,
  type TemporalTls,
} from './engine/temporal/config.ts';
export type { Environment as EnvironmentVariables } from './workflow/yaml/file-port.ts';
export type { ErrandWorker, ErrandWorkerOptions } from './engine/temporal/temporal-worker.ts';

/**
 * Starts a worker for runs on Temporal. Rejects with `extension.*` or `store.unavailable`.
 * @example
 * ```ts
 * import { startWorker, temporalConfig } from 'errand/temporal';
 *
 * const config = temporalConfig({ address: '127.0.0.1:7233' }, process.env, process.cwd());
 * await startWorker({ config, base: process.cwd(), env: process.env });
 * ```
 */
export function startWorker(options: ErrandWorkerOptions): Promise<ErrandWorker> {
  const { env, base, onWarning } = options;
  const telemetry = createTelemetry({
    env,
    directory: base,
    onFault: (thrown) => onWarning?.(telemetryFault(thrown).message),
  });
  return startEngineWorker({ ...options, telemetry });
}
