/**
 * Notices changes of the list of tools while a client listens: files come, go and change while they
 * are served.
 */
import { listTools } from './call-tool.ts';
import type { McpHost } from './host.ts';

/** New files are found within two seconds. */
const POLL_MS = 2000;

type Listener = () => void;

export class ToolChanges {
  readonly #host: McpHost;
  readonly #listeners = new Set<Listener>();
  #known: string | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(host: McpHost) {
    this.#host = host;
  }

  /** Returns the function that ends it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) void this.#poll();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.close();
    };
  }

  close(): void {
    this.#listeners.clear();
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#known = undefined;
  }

  async #poll(): Promise<void> {
    const tools = await this.#tools();
    if (this.#listeners.size === 0) return;
    const isChanged = tools !== undefined && this.#known !== undefined && tools !== this.#known;
    this.#known = tools ?? this.#known;
    if (isChanged) for (const listener of this.#listeners) listener();
    this.#cancelTimer?.();
    this.#cancelTimer = this.#host.after(POLL_MS, () => void this.#poll());
  }

  /** Undefined while they cannot be read, for example if the store is unavailable. */
  async #tools(): Promise<string | undefined> {
    try {
      return JSON.stringify(await listTools(this.#host, { isReader: false }));
    } catch {
      // the next poll notices it, and a call that lists the tools says why
      return undefined;
    }
  }
}
