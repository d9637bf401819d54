/** A server without its HTTP: carries on what is due in a store until it is told to stop. */
import { openEngine } from '../../src/engine/errand.ts';

export interface ServerJob {
  readonly store: string;
  readonly directory: string;
  readonly file: string;
  readonly workflow: string;
}

const job = JSON.parse(process.argv[2] ?? '{}') as ServerJob;
const engine = await openEngine({ store: job.store, directory: job.directory });
const carrying = await engine.carryOn({
  workflows: () => [job.workflow],
  fileOf: () => job.file,
  onWarning: ({ kind, message }) => void process.stderr.write(`${kind}: ${message}\n`),
});
process.once('SIGTERM', () => {
  void carrying.stop().then(() => engine.close());
});
