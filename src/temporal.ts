/** `errand/temporal`: workers for runs on Temporal, and reports across its boundary. */
export {
  fromTemporalFailure,
  toTemporalFailure,
  type FailureParts,
} from './engine/temporal/failure.ts';
export { temporalConfig, type TemporalConfig, type TemporalTls } from './engine/temporal/config.ts';
export {
  startWorker,
  type ErrandWorker,
  type ErrandWorkerOptions,
} from './engine/temporal/worker.ts';
