/**
 * The built command without a process for each call: a short command mostly loads code, and a
 * process that has loaded it can run the next one. For tests of the output and the stored data of a
 * command; tests of signals, streams and memory start separate processes. The loaded processes
 * serve all files of a test process, and end with it. One command in sixteen still starts a
 * separate process, and each commit chooses others (`test/sampled.ts`).
 */
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { join, relative } from 'node:path';
import { expect } from 'vitest';
import { LAUNCHER, runErrand, type Ended, type Given } from '../../../src/cli/run-errand.cases.ts';
import { afterThisFile } from '../../left-behind.ts';
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
/** By file: others may have run in this process before. */
const choices = new Map<string, Choices>();
let clerk: ((order: Order) => Served | undefined) | undefined;

/** Whether a command, or the commands of a test, start separate processes. */
export function hasOwnProcess(what: string): boolean {
  const isOwn = IS_WHOLE || drawn(`processes of ${what}`, ONE_OF) === 0;
  choicesOfFile()[isOwn ? 'own' : 'shared']++;
  return isOwn;
}

interface Choices {
  own: number;
  shared: number;
}

/** Prints the choices at the end of the file. */
function choicesOfFile(): Choices {
  const file = relative(process.cwd(), expect.getState().testPath ?? '');
  const known = choices.get(file);
  if (known !== undefined) return known;
  const made = { own: 0, shared: 0 };
  choices.set(file, made);
  afterThisFile(() => {
    const { own, shared } = made;
    if (shared > 0)
      process.stdout.write(
        `\n${own} of ${own + shared} in processes of their own (${howToRepeat(file)})\n`,
      );
  });
  return made;
}

/** Hides the environment of the tests from the command. */
export async function sharedErrand(
  args: readonly string[],
  given: Surroundings,
): Promise<SharedEnded> {
  return whole(await hosts.serve({ ...given, args }), args);
}

/** Opens a command that ends when it gets a signal. */
export function openShared(
  args: readonly string[],
  given: Surroundings,
  onPrinted: (text: Printed) => void,
): LongCommand {
  return hosts.open({ ...given, args }, onPrinted);
}

/** The same, but blocks the test until the end. */
export function sharedErrandSync(args: readonly string[], given: Surroundings): Ended {
  clerk ??= hireClerk();
  // only the results that a separate process would return
  const { exit, stdout, stderr } = whole(clerk({ ...given, args }), args);
  return { exit, stdout, stderr };
}

/** A command that reads no input, whose process does not matter to the test. */
export function anyErrandSync(
  args: readonly string[],
  { env = {} }: Pick<Given, 'env'> = {},
): Ended {
  const { own, shared } = choicesOfFile();
  if (hasOwnProcess(`${own + shared} ${args[0]}`)) return runErrand(args, { env });
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
    return answer;
  };
}
