/**
 * A separate program: follows a run at a server that refuses every look or leaves it without an
 * answer, closes its backend meanwhile, and prints how the follower ended. Then nothing should keep
 * it alive, and nothing should end it.
 */
import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { openTemporal } from '../../src/engine/temporal/client.ts';
import { toReport } from '../../src/errors/thrown/to-report.ts';
import { PACKAGES } from './stage.ts';

const UNAVAILABLE = '14';
/** The gRPC form of an empty message, not compressed. */
const EMPTY = Buffer.alloc(5);
const isSilent = process.argv[2] === 'silent';
const asked = Promise.withResolvers<void>();

const server = createServer();
server.on('stream', (stream, headers) => {
  stream.on('error', () => undefined);
  const grpc = { ':status': 200, 'content-type': 'application/grpc' };
  if (!/WorkflowExecution|QueryWorkflow/.test(String(headers[':path']))) {
    stream.respond(grpc, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(EMPTY);
    return;
  }
  if (!isSilent) stream.respond({ ...grpc, 'grpc-status': UNAVAILABLE }, { endStream: true });
  asked.resolve();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
// a server that listens on a port
const { port } = server.address() as AddressInfo;

const config = {
  address: `127.0.0.1:${port}`,
  namespace: 'default',
  taskQueue: 'none',
  directory: PACKAGES,
};
const backend = await openTemporal({ config });
const run = backend.follow('some-run', 1);
const heard = all(run.events());
await asked.promise;
// the refusal has to arrive, so that the next try waits for its time
await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
await backend.close();
const late = await backend.store.summary('some-run').then(() => undefined, toReport);
server.unref();
process.stdout.write(JSON.stringify({ followed: await run.result(), heard: await heard, late }));

async function all<T>(each: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const one of each) found.push(one);
  return found;
}
