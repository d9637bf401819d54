/** The options of a server, as the command and an application give them. */
import type { JsonObject } from '../errors/support/safe-json.ts';
import type { EffectClock } from '../effects/clock.ts';
import type { ErrandOptions } from '../engine/errand-options.ts';
import type { EngineOptions } from '../engine/open-backend.ts';
import type { RunEvent } from '../machine/state/events.ts';
import type { Caller } from './access/access-tokens.ts';

export interface ErrandServerOptions extends Omit<ErrandOptions, 'temporal' | 'adopt'> {
  /** Workflow files, or folders that have some. Default: the folder. */
  readonly files?: readonly string[];
  /** Prefix of every path, such as `/errand`. Default: none. */
  readonly basePath?: string;
  /**
   * Identifies the caller of a request, instead of tokens and the check of its `Host`; null refuses
   * it with 401. Default: tokens.
   */
  readonly authorize?: (request: Request) => Promise<Caller | null> | Caller | null;
  /** Names that the server answers to, besides addresses and loopback names. */
  readonly allowHost?: readonly string[];
  /** Origins whose pages may read answers. Default: none but its own. */
  readonly allowOrigin?: readonly string[];
  /** Whether files may be replaced by callers with the role `edit`. Default: false. */
  readonly allowEdit?: boolean;
  /** Whether every role is `read`, and no run is resumed unasked. Default: false. */
  readonly readOnly?: boolean;
  /** How many runs are executed at a time. Default: any number. */
  readonly maxRuns?: number;
  /** Addresses that get a message for each change of a run; `ERRAND_WEBHOOK_SECRET` signs it. */
  readonly webhook?: readonly string[];
  /** The address under which people reach the server: its host is allowed. */
  readonly publicUrl?: string;
  /**
   * Whether runs are executed here. False is for hosts that end between requests: runs are stored, and
   * another server continues them. Default: true.
   */
  readonly carryOn?: boolean;
  /** The name that the server is bound to. */
  readonly host?: string;
  /** Called with a line for each start, stop, refused token and answer above 499. Default: none. */
  readonly onLog?: (line: string) => void;
}

/** Options that only the command gives. */
export interface HostedServerOptions extends ErrandServerOptions {
  readonly engine?: Pick<
    EngineOptions,
    'locate' | 'extensionModules' | 'builtins' | 'onInternal' | 'onSecret'
  >;
  readonly clock?: EffectClock;
  /** The coverage of the last rehearsal of a workflow, by its name. Default: nothing is known. */
  readonly lastRehearsal?: (workflow: string) => JsonObject | undefined;
  /**
   * Called with every event of this process, and with a function that reads the whole log of its
   * run.
   */
  readonly onEvent?: (event: RunEvent, read: () => Promise<readonly RunEvent[]>) => void;
}

/** Facts about a request that only its host knows. */
export interface RequestHost {
  /** The address that the request came from. */
  readonly address?: string;
}

/** A server that any host of `fetch` can serve. */
export interface ErrandServer {
  fetch(request: Request, host?: { readonly address?: string }): Promise<Response>;
  /** Ends streams, gives effects 8 seconds to end, and leaves every run resumable. */
  close(): Promise<void>;
  /** The token that was made for this start; absent where tokens or `authorize` are given. */
  readonly token?: string;
}
