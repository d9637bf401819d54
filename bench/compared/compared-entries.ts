/** The entries that every compared system can judge: whole HTTP responses with a settled label. */
import {
  EXAM_ENTRIES,
  FOURTH_EXAM_ENTRIES,
  SECOND_EXAM_ENTRIES,
  THIRD_EXAM_ENTRIES,
  type Entry,
} from '../../test/corpus/entries.ts';

/**
 * The examinations: nobody had seen them when the rules were written. test/corpus/README.md
 * describes their making.
 */
export const COMPARED: readonly Entry[] = [
  ...EXAM_ENTRIES,
  ...SECOND_EXAM_ENTRIES,
  ...THIRD_EXAM_ENTRIES,
  ...FOURTH_EXAM_ENTRIES,
].filter(({ contested, status, stream }) => !contested && status !== null && stream === false);
