/**
 * The bytes of a text as UTF-8, also readable as 32-bit words (little-endian, like every processor
 * that runs Errand). The buffer is shared and holds only the last text: a short one allocates
 * nothing.
 */

/** A unit of UTF-16 takes at most so many bytes. */
const MAX_UNIT_BYTES = 3;
/** Zeros behind the text, so that its last word and the block that ends it are whole. */
const MAX_PADDING_BYTES = 64;
/** A longer text gets a buffer of its own, which is not kept. */
const MAX_KEPT_BYTES = 1024 * 1024;

export interface Utf8Words {
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  /** Bytes of the text; zeros follow. */
  readonly length: number;
}

type Room = Omit<Utf8Words, 'length'>;

/** Every place has it that runs Errand: Node, browsers, and the sandbox of Temporal's workflows. */
declare class TextEncoder {
  encodeInto(text: string, into: Uint8Array): { readonly written: number };
}

let encoder: TextEncoder | undefined;
let kept = newRoom(4096);

/** Valid until the next call. */
export function utf8Words(text: string): Utf8Words {
  const { bytes, words } = roomFor(text.length * MAX_UNIT_BYTES + MAX_PADDING_BYTES);
  // made when it is first needed: a bundle may be loaded before its place has one
  encoder ??= new TextEncoder();
  const length = encoder.encodeInto(text, bytes).written;
  bytes.fill(0, length, length + MAX_PADDING_BYTES);
  return { bytes, words, length };
}

function newRoom(size: number): Room {
  const buffer = new ArrayBuffer(size);
  return { bytes: new Uint8Array(buffer), words: new Int32Array(buffer) };
}

function roomFor(size: number): Room {
  if (size <= kept.bytes.length) return kept;
  const room = newRoom(2 ** Math.ceil(Math.log2(size)));
  if (room.bytes.length <= MAX_KEPT_BYTES) kept = room;
  return room;
}

/** Eight digits of the lowest 32 bits, the most significant first. */
export function hex(word: number): string {
  return String.fromCharCode(
    digit(word >>> 28),
    digit((word >>> 24) & 15),
    digit((word >>> 20) & 15),
    digit((word >>> 16) & 15),
    digit((word >>> 12) & 15),
    digit((word >>> 8) & 15),
    digit((word >>> 4) & 15),
    digit(word & 15),
  );
}

/** The code of its character; one text is made of all codes, which is faster than joining texts. */
function digit(value: number): number {
  return value < 10 ? 48 + value : 87 + value;
}
