/**
 * The SDKs, each behind one function: makes a call, and reports what a caller would see. Retries
 * are off everywhere, as under Errand.
 */
import type { Protocol } from './protocol.ts';
import { AI_PLAYERS } from './players-ai.ts';
import { NATIVE_PLAYERS } from './players-native.ts';

export interface Call {
  readonly baseUrl: string;
  readonly protocol: Protocol;
  /** The Bedrock operation to call. */
  readonly api: string;
  readonly isStream: boolean;
  readonly fetch?: typeof fetch;
  /** For the client that does not use `fetch`. */
  readonly requestHandler?: unknown;
  /** The caller's own wish to stop. */
  readonly signal?: AbortSignal;
  /** Called for each part of the answer. */
  readonly onContent?: () => void;
  /** The client's own limit, set by its own option. */
  readonly timeoutMs?: number;
}

export interface Seen {
  /** The thrown value, or the result if the call did not throw. */
  readonly failure: unknown;
  /** Whether content came first; only a reader of a stream knows. */
  readonly delivered?: boolean;
}

export interface Player {
  readonly name: string;
  readonly speaks: readonly Protocol[];
  /** Keeps any answer whole, so that it understands foreign answers. */
  readonly takesAnyAnswer?: true;
  /** The one operation that it uses for all calls. */
  readonly api?: string;
  ask(call: Call): Promise<Seen>;
}

export const PLAYERS: readonly Player[] = [...AI_PLAYERS, ...NATIVE_PLAYERS];
