/** Reads chunks of text line by line; a line without an end cannot fill the memory. */

export interface Line {
  /** Counts from 1, empty lines too. */
  readonly number: number;
  readonly text: string;
  /** True when the line was longer than the bound, and `text` is only its beginning. */
  readonly isCut: boolean;
}

export const MAX_LINE_CHARS = 16 * 1024 * 1024;

export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<Line> {
  const line = new PendingLine();
  let number = 1;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', from)) {
      line.add(chunk.slice(from, end));
      yield line.take(number++);
      from = end + 1;
    }
    line.add(chunk.slice(from));
  }
  if (!line.isEmpty()) yield line.take(number);
}

class PendingLine {
  #parts: string[] = [];
  #chars = 0;

  add(part: string): void {
    const room = MAX_LINE_CHARS - this.#chars;
    if (part !== '' && room > 0) this.#parts.push(part.slice(0, room));
    this.#chars += part.length;
  }

  isEmpty(): boolean {
    return this.#chars === 0;
  }

  take(number: number): Line {
    const joined = this.#parts.join('');
    const isCut = this.#chars > MAX_LINE_CHARS;
    this.#parts = [];
    this.#chars = 0;
    // a byte order mark is not part of the first line
    return { number, text: number === 1 ? joined.replace(/^\ufeff/, '') : joined, isCut };
  }
}
