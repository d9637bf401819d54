/** Reads server-sent events from bytes as they arrive, and joins parts that the network split. */

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

  /** Begins a new connection, which repeats whatever the last one left unfinished. */
  begin(): void {
    this.#decoder = new TextDecoder();
    this.#rest = '';
  }

  read(bytes: Uint8Array): void {
    const blocks = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) this.#block(block);
  }

  /** The server writes each event with one line of data; comments and retry delays have none. */
  #block(block: string): void {
    let name = 'message';
    let data: string | undefined;
    for (const line of block.split('\n')) {
      if (line.startsWith('data: ')) data = line.slice('data: '.length);
      else if (line.startsWith('event: ')) name = line.slice('event: '.length);
      else if (line.startsWith('id: ')) this.#id = line.slice('id: '.length);
    }
    // the server sends JSON
    if (data !== undefined) this.#take({ name, data: JSON.parse(data) as unknown, id: this.#id });
  }
}
