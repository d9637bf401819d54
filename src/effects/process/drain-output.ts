/**
 * Reads the last output of a process that has ended. The output is in the pipes, but the exit may be
 * reported before it is read, because Node collects the exits of all children at once. And this process
 * may be suspended for longer than any grace period, by its disk or a closed lid. So elapsed time alone
 * never stops a read that can still deliver.
 */
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** The most that a pipe can be made to hold without being the superuser. */
const PIPE_BYTES = 1024 * 1024;

/**
 * Waits until the streams end; or, if a leftover process holds one open, until the grace period is over
 * and the pipe is empty.
 */
export async function drainOutput(streams: readonly Readable[], graceMs: number): Promise<void> {
  let bytes = 0;
  const count = (chunk: Buffer): void => void (bytes += chunk.length);
  for (const stream of streams) stream.on('data', count);
  if (!(await areClosedWithin(streams, graceMs))) {
    // an endless writer cannot block us: a pipe holds no more than this from before the exit
    const most = bytes + streams.length * PIPE_BYTES;
    for (let before = -1; before < bytes && bytes < most;) {
      before = bytes;
      await eventLoopTurn();
    }
  }
  for (const stream of streams) stream.off('data', count);
}

/**
 * Whether, after everything available was read, a process still holds the pipe and may write more.
 */
export async function isStillHeld(stream: Readable | null): Promise<boolean> {
  await eventLoopTurn();
  return stream?.closed === false;
}

/** Two turns: the first may begin in the middle of a poll, the second polls every pipe. */
async function eventLoopTurn(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

async function areClosedWithin(streams: readonly Readable[], ms: number): Promise<boolean> {
  const { promise: over, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), ms);
  const closed = Promise.all(streams.map(whenClosed)).then(() => true);
  const areClosed = await Promise.race([closed, over]);
  clearTimeout(timer);
  return areClosed;
}

function whenClosed(stream: Readable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (stream.closed) resolve();
  else stream.once('close', resolve);
  return promise;
}
