/** Reads server-sent events from bytes as they come, and joins parts that the network cut in two. */

export interface SseEvent {
  readonly name: string;
  readonly data: unknown;
  /** The id of the last event that had one. */
  readonly id: string;
}

export class SseReader {
  readonly #take: (event: SseEvent) => void;
  #decoder = new TextDecoder();
  #rest = '';
  #id = '';

  constructor(take: (event: SseEvent) => void) {
    this.#take = take;
  }

  /** A new connection: what the last one left unfinished comes again. */
  begin(): void {
    this.#decoder = new TextDecoder();
    this.#rest = '';
  }

  read(bytes: Uint8Array): void {
    const blocks = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) this.#block(block);
  }

  /** The server writes each event with one line of data; comments and times to wait have none. */
  #block(block: string): void {
    let name = 'message';
    let data: string | undefined;
    for (const line of block.split('\n')) {
      if (line.startsWith('data: ')) data = line.slice('data: '.length);
      else if (line.startsWith('event: ')) name = line.slice('event: '.length);
      else if (line.startsWith('id: ')) this.#id = line.slice('id: '.length);
    }
    // what the server sends is JSON
    if (data !== undefined) this.#take({ name, data: JSON.parse(data) as unknown, id: this.#id });
  }
}
