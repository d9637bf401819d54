/**
 * Reports the progress of a run while a call waits for it, if the client asks: some clients give up
 * on a silent call.
 */
import { readProperty } from '../errors/support/safe-json.ts';
import type { McpHost, ReadRun } from './host.ts';
import type { SdkContext } from './sdk.ts';

/** Clients give up after a minute at the earliest. */
const EVERY_MS = 5000;

type ProgressToken = string | number;

/** The token in the `_meta` of a request; undefined if the client wants no progress. */
export function progressTokenIn(meta: unknown): ProgressToken | undefined {
  const token = readProperty(meta, 'progressToken');
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

interface ProgressOptions {
  readonly context: SdkContext;
  readonly token: ProgressToken | undefined;
}

export class Progress {
  readonly #host: McpHost;
  readonly #options: ProgressOptions;
  readonly #beganMs: number;

  constructor(host: McpHost, options: ProgressOptions) {
    this.#host = host;
    this.#options = options;
    this.#beganMs = host.now();
  }

  /** Settles as the wait does. Notifies the client at once, then every few seconds. */
  async during(run: string, wait: () => Promise<void>): Promise<void> {
    if (this.#options.token === undefined) return wait();
    let isOver = false;
    let cancelTimer = (): void => undefined;
    const notify = async (): Promise<void> => {
      const read = await this.#host.read(run);
      if (isOver || read.status !== 'running') return;
      await this.#send(read);
      if (!isOver)
        cancelTimer = this.#host.after(EVERY_MS, () => void notify().catch(ignoreLostNotice));
    };
    void notify().catch(ignoreLostNotice);
    try {
      await wait();
    } finally {
      isOver = true;
      cancelTimer();
    }
  }

  /**
   * Sends the seconds of the call: they grow, as the protocol demands, and the end of a run is not
   * known.
   */
  #send({ view }: ReadRun): Promise<void> {
    const { context, token } = this.#options;
    const progress = (this.#host.now() - this.#beganMs) / 1000;
    return context.mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken: token, progress, message: words(view) },
    });
  }
}

/**
 * A lost notice is harmless: the result of the call says the same, or why the run cannot be read.
 */
function ignoreLostNotice(): void {
  // nothing to add
}

function words({ workflow, run, nodes }: ReadRun['view']): string {
  const at = nodes.filter(({ status }) => status === 'running').map(({ path }) => path);
  const where = at.length === 0 ? '' : `: ${at.slice(0, 5).join(', ')}`;
  return `${workflow} is running as ${run}${where}`;
}
