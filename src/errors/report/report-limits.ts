/** Limits of a report. Builder, reader, writer and schema take their numbers from here. */

export const MAX_REPORT_BYTES = 64 * 1024;
export const MAX_MESSAGE_CHARS = 2000;
export const MAX_ACTION_CHARS = 1000;
/** Titles, names, ids, paths. */
export const MAX_WORD_CHARS = 300;
export const MAX_FRAMES = 32;
export const MAX_ATTEMPTS = 50;
export const MAX_EVIDENCE = 8;
/** Reports nested in one another; the innermost is the root fault and is never removed. */
export const MAX_CAUSE_DEPTH = 8;

/** The two ends of an overlong list, the last `tail` items among them. */
export function endsOf<T>(list: readonly T[], max: number, tail = 1): readonly T[] {
  return list.length <= max ? list : [...list.slice(0, max - tail), ...list.slice(-tail)];
}
