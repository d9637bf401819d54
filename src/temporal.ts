/** `errand/temporal`: workers and clients for runs on Temporal, and reports across its boundary. */

export {
  openTemporal,
  type TemporalDriver,
  type TemporalOptions,
} from './drivers/temporal/client.ts';
export { reportOfFailure, toFailure, type FailureParts } from './drivers/temporal/failure.ts';
export { temporalPlace, type TemporalPlace } from './drivers/temporal/place.ts';
export {
  startWorker,
  type ErrandWorker,
  type ErrandWorkerOptions,
} from './drivers/temporal/worker.ts';
