/**
 * The processes that have loaded the command (`host.ts`): as many as commands ran at the same time.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import type { Order, Printed, Served } from './host.ts';

const HOST = join(import.meta.dirname, 'host.ts');

/** A command that ends when it gets a signal. */
export interface LongCommand {
  readonly pid: number | undefined;
  /** SIGKILL ends the process; other signals only call the command's listeners. */
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<number | null>;
}

export class Hosts {
  readonly #launcher: string;
  readonly #idle: ChildProcess[] = [];

  constructor(launcher: string) {
    this.#launcher = launcher;
  }

  async serve(order: Order): Promise<Served> {
    const host = this.#idle.pop() ?? this.#start();
    const served = await answerOf(host, order);
    if ('broken' in served) await stop(host);
    else this.#idle.push(host);
    return served;
  }

  open(order: Omit<Order, 'isLong'>, onPrinted: (text: Printed) => void): LongCommand {
    const host = this.#idle.pop() ?? this.#start();
    const { promise, resolve } = Promise.withResolvers<number | null>();
    let isOver = false;
    const end = (code: number | null): void => {
      isOver = true;
      host.off('message', onMessage).off('exit', end);
      resolve(code);
    };
    const onMessage = (message: Served | Printed): void => {
      if (!('exit' in message || 'broken' in message)) return onPrinted(message);
      end('exit' in message ? message.exit : null);
      if ('exit' in message) this.#idle.push(host);
      else void stop(host);
    };
    host.on('message', onMessage).once('exit', end);
    host.send({ ...order, isLong: true } satisfies Order);
    return {
      pid: host.pid,
      kill(signal) {
        // the process may be gone, or run the next command
        if (isOver) return;
        if (signal === 'SIGKILL') host.kill(signal);
        else if (host.connected) host.send({ signal });
      },
      ended: promise,
    };
  }

  #start(): ChildProcess {
    const main = join(dirname(this.#launcher), '../dist/cli/main.js');
    const host = fork(HOST, [this.#launcher, main], {
      env: {
        PATH: process.env['PATH'] ?? '',
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      },
      execArgv: [],
      // neither is a terminal; the output of a command comes as a message
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // it ends with this process, and does not keep it alive
    host.unref();
    host.channel?.unref();
    return host;
  }
}

function answerOf(host: ChildProcess, order: Order): Promise<Served> {
  const { promise, resolve } = Promise.withResolvers<Served>();
  const onExit = (code: number | null): void => resolve({ broken: `it exited with ${code}` });
  host.once('exit', onExit);
  host.once('message', (served: Served) => {
    host.off('exit', onExit);
    resolve(served);
  });
  host.send(order);
  return promise;
}

async function stop(host: ChildProcess): Promise<void> {
  if (host.exitCode !== null || host.signalCode !== null) return;
  const gone = once(host, 'exit');
  host.disconnect();
  await gone;
}
