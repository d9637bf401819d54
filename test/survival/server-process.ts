/**
 * A server without its HTTP: continues everything that is due in a store until it is asked to stop.
 */
import { MACHINE_CLOCK } from '../../src/effects/clock.ts';
import { isKind } from '../../src/errors/thrown/errand-error.ts';
import { openEngine } from '../../src/engine/errand.ts';
import { webhookSecrets } from '../../src/server/webhooks/webhook-signature.ts';
import { webhookAddress } from '../../src/server/webhooks/webhook-address.ts';
import { Webhooks } from '../../src/server/webhooks/webhooks.ts';

export interface ServerJob {
  readonly store: string;
  readonly directory: string;
  readonly file: string;
  readonly workflow: string;
  readonly webhook: string;
  readonly secret: string;
}

const STORE_AWAY = 6;

async function serveRuns(job: ServerJob): Promise<void> {
  const engine = await openEngine({ store: job.store, directory: job.directory });
  const carrying = await engine.carryOn({
    workflows: () => [job.workflow],
    fileOf: () => job.file,
    onWarning: ({ kind, message }) => void process.stderr.write(`${kind}: ${message}\n`),
  });
  const webhooks = new Webhooks({
    clock: MACHINE_CLOCK,
    addresses: [webhookAddress(job.webhook)],
    secrets: webhookSecrets(job.secret),
    outbox: await engine.outbox(),
    onWarning: (thrown) => void process.stderr.write(`${String(thrown)}\n`),
  });
  await webhooks.begin();
  process.once('SIGTERM', () => {
    void Promise.all([carrying.stop(), webhooks.stop({ graceMs: 0 })]).then(() => engine.close());
  });
}

try {
  await serveRuns(JSON.parse(process.argv[2] ?? '{}') as ServerJob);
} catch (thrown) {
  // ends as the command does, and is restarted
  if (!isKind(thrown, 'store.unavailable')) throw thrown;
  process.exit(STORE_AWAY);
}
