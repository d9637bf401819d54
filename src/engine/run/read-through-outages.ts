/**
 * Reads a log while its run is executed: an outage that a commit of the run outlasts must not end a read of
 * it, because the process that reads would stop the run.
 */
import type { StoredCommit } from '../../machine/ports/store-port.ts';
import { retryStoreOutage, type LogWriterOptions } from './log-writer.ts';

/** Each commit once and in order: continues behind the last one, as often as a commit is repeated. */
export async function* readThroughOutages(
  read: (fromSeq: number) => AsyncIterable<StoredCommit>,
  fromSeq: number,
  patience: Pick<LogWriterOptions, 'clock' | 'onOutage'>,
): AsyncGenerator<StoredCommit, void, undefined> {
  let nextSeq = fromSeq;
  let commits = read(nextSeq)[Symbol.asyncIterator]();
  const next = async (): Promise<IteratorResult<StoredCommit>> => {
    try {
      return await commits.next();
    } catch (thrown) {
      commits = read(nextSeq)[Symbol.asyncIterator]();
      throw thrown;
    }
  };
  try {
    for (;;) {
      const { done, value } = await retryStoreOutage(next, patience);
      if (done === true) return;
      nextSeq = value.seq + value.events.length;
      yield value;
    }
  } finally {
    await commits.return?.();
  }
}
