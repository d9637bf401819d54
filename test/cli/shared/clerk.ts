/** Serves a thread that blocks until each answer, as with `spawnSync`. */
import { workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { Hosts } from './hosts.ts';
import type { Order } from './host.ts';

export interface ClerkData {
  readonly launcher: string;
  readonly port: MessagePort;
  /** Becomes 1 when an answer is ready. */
  readonly bell: Int32Array;
}

const { launcher, port, bell } = workerData as ClerkData;
const hosts = new Hosts(launcher);

port.on('message', (order: Order) => void answer(order));

async function answer(order: Order): Promise<void> {
  port.postMessage(await hosts.serve(order));
  Atomics.store(bell, 0, 1);
  Atomics.notify(bell, 0);
}
