/**
 * The built command without a process for each call: most of what a short command does is loading, and
 * a process that has it loaded can run the next one. For tests of what a command says and stores; those
 * of signals, streams and memory start processes of their own. One of sixteen starts a process all the same,
 * another with each commit (`test/sampled.ts`).
 */
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { join, relative } from 'node:path';
import { afterAll, expect } from 'vitest';
import { LAUNCHER, runErrand, type Ended, type Given } from '../../../src/cli/run-errand.cases.ts';
import { drawn, howToRepeat, IS_WHOLE } from '../../sampled.ts';
import type { ClerkData } from './clerk.ts';
import type { Order, Printed, Served } from './host.ts';
import { Hosts, type LongCommand } from './hosts.ts';

export interface SharedEnded extends Ended {
  readonly printed: string;
}

type Surroundings = Omit<Order, 'args' | 'isLong'>;

const CLERK = join(import.meta.dirname, 'clerk.ts');
const ONE_OF = 16;

const hosts = new Hosts(LAUNCHER);
const choices = { own: 0, shared: 0 };
let clerk: ((order: Order | 'close') => Served | undefined) | undefined;

afterAll(async () => {
  await hosts.close();
  clerk?.('close');
  clerk = undefined;
  const file = relative(process.cwd(), expect.getState().testPath ?? '');
  if (choices.shared > 0)
    process.stdout.write(
      `\n${choices.own} of ${choices.own + choices.shared} in processes of their own (${howToRepeat(file)})\n`,
    );
});

/** Whether a command, or those of a test, start processes of their own. */
export function hasOwnProcess(what: string): boolean {
  const isOwn = IS_WHOLE || drawn(`processes of ${what}`, ONE_OF) === 0;
  choices[isOwn ? 'own' : 'shared']++;
  return isOwn;
}

/** Gives the command nothing of the environment of the tests. */
export async function sharedErrand(
  args: readonly string[],
  given: Surroundings,
): Promise<SharedEnded> {
  return whole(await hosts.serve({ ...given, args }), args);
}

/** For a command that ends when it gets a signal. */
export function openShared(
  args: readonly string[],
  given: Surroundings,
  onPrinted: (text: Printed) => void,
): LongCommand {
  return hosts.open({ ...given, args }, onPrinted);
}

/** The same, and the test waits for it. */
export function sharedErrandSync(args: readonly string[], given: Surroundings): Ended {
  clerk ??= hireClerk();
  // nothing but what a process of its own would give
  const { exit, stdout, stderr } = whole(clerk({ ...given, args }), args);
  return { exit, stdout, stderr };
}

let count = 0;

/** A command that reads no input, whose process does not matter to the test. */
export function anyErrandSync(
  args: readonly string[],
  { env = {} }: Pick<Given, 'env'> = {},
): Ended {
  if (hasOwnProcess(`${++count} ${args[0]}`)) return runErrand(args, { env });
  const path = process.env['PATH'] ?? '';
  return sharedErrandSync(args, { cwd: process.cwd(), env: { PATH: path, ...env } });
}

function whole(served: Served | undefined, args: readonly string[]): SharedEnded {
  if (served !== undefined && !('broken' in served)) return served;
  throw new Error(
    `errand ${args.join(' ')} needs a process of its own: ${served?.broken ?? 'no answer'}`,
  );
}

function hireClerk(): NonNullable<typeof clerk> {
  const { port1, port2 } = new MessageChannel();
  const bell = new Int32Array(new SharedArrayBuffer(4));
  const workerData: ClerkData = { launcher: LAUNCHER, port: port2, bell };
  new Worker(CLERK, { workerData, transferList: [port2], execArgv: [] }).unref();
  return (order) => {
    Atomics.store(bell, 0, 0);
    port1.postMessage(order);
    Atomics.wait(bell, 0, 0);
    const answer = receiveMessageOnPort(port1)?.message as Served | undefined;
    if (order === 'close') port1.close();
    return answer;
  };
}
