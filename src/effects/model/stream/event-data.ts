/**
 * The data of the events in a stream of `text/event-stream`, read from pieces that may end
 * anywhere. A bare JSON object in the stream counts as data too: a proxy writes its server's error
 * like that, and the SDK skips it.
 */
export class EventData {
  /** Throws for bytes that are no UTF-8: their replacements would pass as the model's words. */
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  /** The beginning of an unfinished line, in pieces: joined once, however many there are. */
  #begun: string[] = [];
  #begunChars = 0;
  #data: string | undefined;
  /** The lines of an object that stands by itself. */
  #bare: string | undefined;

  /** Characters of the event that has not ended. */
  get keptChars(): number {
    return this.#begunChars + (this.#data?.length ?? 0) + (this.#bare?.length ?? 0);
  }

  /**
   * The data of the events that end in this piece. An event without its end never counts. Throws if
   * it is not text.
   */
  endedIn(bytes: Uint8Array): readonly string[] {
    const piece = this.#decoder.decode(bytes, { stream: true });
    this.#begun.push(piece);
    this.#begunChars += piece.length;
    if (!piece.includes('\n') && !piece.includes('\r')) return NONE;
    const lines = linesOf(this.#begun.join(''));
    const rest = lines.pop() ?? '';
    this.#begun = [rest];
    this.#begunChars = rest.length;
    const ended: string[] = [];
    for (const line of lines) {
      const isField = line === '' || FIELD.test(line);
      if (isField && this.#bare !== undefined) {
        ended.push(this.#bare);
        this.#bare = undefined;
      }
      if (line !== '') this.#note(line, isField);
      else if (this.#data !== undefined) {
        ended.push(this.#data);
        this.#data = undefined;
      }
    }
    return ended;
  }

  /** Comments, names and ids are not data. */
  #note(line: string, isField: boolean): void {
    if (!isField) {
      if (this.#bare !== undefined || line.trimStart().startsWith('{'))
        this.#bare = joined(this.#bare, line);
      return;
    }
    if (line !== 'data' && !line.startsWith('data:')) return;
    const value = line.slice(line.startsWith('data: ') ? 'data: '.length : 'data:'.length);
    this.#data = joined(this.#data, value);
  }
}

/** The fields of an event, and a comment. */
const FIELD = /^(?:data|event|id|retry)?:|^(?:data|event|id|retry)$/;

function joined(before: string | undefined, line: string): string {
  return before === undefined ? line : `${before}\n${line}`;
}

const NONE: readonly string[] = [];

/** A carriage return at the very end may be the first half of a line end. */
function linesOf(text: string): string[] {
  return text.includes('\r') ? text.split(/\r\n|\n|\r(?!$)/) : text.split('\n');
}
