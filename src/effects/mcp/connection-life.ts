/** The life of a connection: until it is lost, closed, or out of use with no call under way. */
import type { McpClient, McpTransport } from './mcp-client-sdk.ts';

export class ConnectionLife {
  readonly #client: McpClient;
  readonly #transport: McpTransport;
  #isOpen = true;
  #isRetired = false;
  #calls = 0;
  #closing: Promise<void> | undefined;

  constructor(client: McpClient, transport: McpTransport) {
    this.#client = client;
    this.#transport = transport;
    client.onclose = () => {
      this.#isOpen = false;
    };
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** A call, for which the connection stays open. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    this.#calls++;
    try {
      return await call();
    } finally {
      this.#calls--;
      await this.#closeUnused();
    }
  }

  retire(): Promise<void> {
    this.#isRetired = true;
    return this.#closeUnused();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #closeUnused(): Promise<void> {
    if (this.#isRetired && (this.#calls === 0 || !this.#isOpen)) await this.close();
  }

  async #close(): Promise<void> {
    this.#isOpen = false;
    await this.#client.close();
    await this.#transport.close();
  }
}
