/**
 * Reads the log of a run that is being executed. An outage that the run's commits outlast must not
 * end the read, because the reading process would then stop the run.
 */
import type { StoredCommit } from '../../machine/ports/store-port.ts';
import { retryStoreOutage, type LogWriterOptions } from '../run/log-writer.ts';

/**
 * Each commit once and in order. A repeated read continues after the last commit, as often as a
 * commit is repeated.
 */
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
