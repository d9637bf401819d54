/**
 * A port for a server that must get a fixed one, and that may return to it: below those that the
 * system assigns to connections, so that none of them takes it in between.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';

const FIRST = 10_240;
/** The lowest port that systems assign by themselves; Linux begins at 32,768. */
const END = 32_768;

export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (END - FIRST));
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen({ port, host: '127.0.0.1' });
    await once(probe, 'listening');
    probe.close();
    await once(probe, 'close');
    return true;
  } catch {
    // somebody listens there
    return false;
  }
}
