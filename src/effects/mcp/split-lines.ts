/** Splits a stream into lines; of a line that is too long only the two ends are kept. */
import { isUtf8 } from 'node:buffer';

/** Limit of a message; a workflow can use far less of a result. */
export const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** The request id is at one end of a response. */
const END_BYTES = 256;

export interface Lines {
  add(chunk: Buffer): void;
}

export interface LineListener {
  /** `isUtf8`: false where some of its bytes were read as other characters. */
  line(text: string, isUtf8: boolean): void;
  tooLong(head: string, tail: string): void;
}

export function createLines(listener: LineListener, maxBytes: number = MAX_MESSAGE_BYTES): Lines {
  let kept: Buffer[] = [];
  let sizeBytes = 0;
  let tail = Buffer.alloc(0);
  const take = (part: Buffer): void => {
    const isFirstTooLong = sizeBytes <= maxBytes;
    sizeBytes += part.length;
    if (sizeBytes <= maxBytes) {
      kept.push(part);
      return;
    }
    const all = Buffer.concat(isFirstTooLong ? [...kept, part] : [tail, part]);
    // copies, so that the large buffer can be freed
    if (isFirstTooLong) kept = [Buffer.from(all.subarray(0, END_BYTES))];
    tail = Buffer.from(all.subarray(-END_BYTES));
  };
  const finish = (): void => {
    const bytes = Buffer.concat(kept);
    const whole = bytes.toString('utf8');
    const isTooLong = sizeBytes > maxBytes;
    const last = tail.toString('utf8');
    kept = [];
    sizeBytes = 0;
    tail = Buffer.alloc(0);
    if (isTooLong) listener.tooLong(whole, last);
    else if (whole.trim() !== '') listener.line(whole, isUtf8(bytes));
  };
  return {
    add: (chunk) => {
      let start = 0;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, start)) {
        take(chunk.subarray(start, at));
        finish();
        start = at + 1;
      }
      if (start < chunk.length) take(chunk.subarray(start));
    },
  };
}
