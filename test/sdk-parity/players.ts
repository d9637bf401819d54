/**
 * The SDKs, each behind one function: make a call, report what a caller would get to see. Retries are
 * off everywhere, as Errand has them.
 */
import type { Protocol } from './protocol.ts';
import { AI_PLAYERS } from './players-ai.ts';
import { NATIVE_PLAYERS } from './players-native.ts';

export interface Call {
  readonly baseUrl: string;
  readonly protocol: Protocol;
  /** The operation of Bedrock's that is meant. */
  readonly api: string;
  readonly isStream: boolean;
  readonly fetch?: typeof fetch;
  /** For the client that does not use `fetch`. */
  readonly requestHandler?: unknown;
  /** The caller's own wish to stop. */
  readonly signal?: AbortSignal;
  /** Called for each part of the answer. */
  readonly onContent?: () => void;
  /** The client's own limit, set in the way that it offers. */
  readonly timeoutMs?: number;
}

export interface Seen {
  /** What was thrown, or the result where nothing was thrown. */
  readonly failure: unknown;
  /** Whether content came first; known only to who reads a stream. */
  readonly delivered?: boolean;
}

export interface Player {
  readonly name: string;
  readonly speaks: readonly Protocol[];
  /** Keeps the whole answer whatever it is, so that foreign answers make sense to it. */
  readonly takesAnyAnswer?: true;
  /** The one operation that it uses for all calls. */
  readonly api?: string;
  ask(call: Call): Promise<Seen>;
}

export const PLAYERS: readonly Player[] = [...AI_PLAYERS, ...NATIVE_PLAYERS];
