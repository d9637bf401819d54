/** Rules that rest on little, by name, so that the words of a failure may outweigh them. */

/** Rules for a status that says what is the matter, where nothing else was understood. */
export const STATUS_ALONE: ReadonlySet<string> = new Set([
  'status.401',
  'status.403',
  'status.404',
  'status.413',
  'status.429',
  'code.denied',
  'code.absent',
]);

/** The same for faults of a server, which are worth another try. */
export const FAULT_ALONE: ReadonlySet<string> = new Set([
  'status.424',
  'status.503',
  'status.5xx',
  'code.server',
]);

/** Rules that say no more than that the request was refused or the job failed. */
export const VAGUE_RULES: ReadonlySet<string> = new Set([
  'status.451',
  'status.4xx',
  'status.address',
  'code.refused',
  'code.invalid',
  'stop.error',
  'job.failed',
  'stream.unrecognised',
]);
