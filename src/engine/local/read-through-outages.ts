/**
 * Reads a log while its run is executed: an outage that a commit of the run outlasts must not end a read of
 * it, because the process that reads would stop the run.
 */
import type { StoredCommit } from '../../machine/ports/store-port.ts';
import { retryStoreOutage, type LogWriterOptions } from '../run/log-writer.ts';

/** Each commit once and in order: continues behind the last one, as often as a commit is repeated. */
export async function* readThroughOutages(
  readFrom: (fromSeq: number) => AsyncIterable<StoredCommit>,
  fromSeq: number,
  patience: Pick<LogWriterOptions, 'clock' | 'onOutage'>,
): AsyncGenerator<StoredCommit, void, undefined> {
  let nextSeq = fromSeq;
  let commits = readFrom(nextSeq)[Symbol.asyncIterator]();
  const next = async (): Promise<IteratorResult<StoredCommit, unknown>> => {
    try {
      return await commits.next();
    } catch (thrown) {
      commits = readFrom(nextSeq)[Symbol.asyncIterator]();
      throw thrown;
    }
  };
  try {
    for (;;) {
      const read = await retryStoreOutage(next, patience);
      if (read.done === true) return;
      nextSeq = read.value.seq + read.value.events.length;
      yield read.value;
    }
  } finally {
    await commits.return?.();
  }
}
