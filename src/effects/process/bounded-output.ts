/**
 * Collects the output of a process within a limit: the beginning of stdout, the end of stderr. The rest is
 * read and counted, so that the process never blocks on a full pipe. Slightly more than the limit is kept
 * until secrets are removed, so that a cut cannot leave half of one.
 */
import { isUtf8 } from 'node:buffer';

export type Keep = 'head' | 'tail';

export interface BoundedOutput {
  add(chunk: Buffer): void;
  /** Everything, or undefined when something was cut. */
  whole(): Buffer | undefined;
  /** `filter` sees the text before it is cut. */
  text(filter: (text: string) => string): OutputText;
}

export interface OutputText {
  readonly text: string;
  readonly cutBytes: number;
  /** True when it was not UTF-8, so that the text is not what was written. */
  readonly isLossy: boolean;
}

/** No pattern of secret is longer, and configured values are searched in shorter pieces. */
const GUARD_BYTES = 1024;

export function boundOutput(maxBytes: number, keep: Keep): BoundedOutput {
  const room = maxBytes + GUARD_BYTES;
  const chunks: Buffer[] = [];
  let kept = 0;
  let total = 0;
  return {
    add: (chunk) => {
      total += chunk.length;
      if (keep === 'head') {
        const part = chunk.subarray(0, room - kept);
        if (part.length > 0) chunks.push(part);
        kept += part.length;
        return;
      }
      chunks.push(chunk);
      kept += chunk.length;
      for (
        let first = chunks[0];
        first !== undefined && kept - first.length >= room;
        first = chunks[0]
      ) {
        chunks.shift();
        kept -= first.length;
      }
    },
    whole: () => (total <= maxBytes ? Buffer.concat(chunks) : undefined),
    text: (filter) => {
      const all = Buffer.concat(chunks);
      if (total <= maxBytes)
        return { text: filter(all.toString()), cutBytes: 0, isLossy: !isUtf8(all) };
      const part = keep === 'head' ? all.subarray(0, room) : all.subarray(-room);
      const filtered = filter(part.toString());
      const extra = part.length - maxBytes;
      const text = keep === 'head' ? filtered.slice(0, -extra) : filtered.slice(extra);
      return {
        text: text.toWellFormed(),
        cutBytes: total - maxBytes,
        isLossy: !isUtf8Part(part, keep),
      };
    },
  };
}

/** The cut may have split one character of up to four bytes. */
function isUtf8Part(part: Buffer, keep: Keep): boolean {
  return [0, 1, 2, 3].some((edge) =>
    isUtf8(keep === 'head' ? part.subarray(0, part.length - edge) : part.subarray(edge)),
  );
}
