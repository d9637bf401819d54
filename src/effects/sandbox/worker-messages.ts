/** Messages between the sandbox and its worker, limits, and the result of one evaluation. */
import type { MessagePort } from 'node:worker_threads';

/** CPU time of one evaluation. */
export const LIMIT_MS = 1000;

/** Memory that the engine itself needs: static data, its stack, an empty context. */
const ENGINE_PAGES = 84;

/** 16 MiB in WebAssembly pages of 64 KiB. */
const LIMIT_PAGES = 256;

export const MEMORY_PAGES: number = ENGINE_PAGES + LIMIT_PAGES;

export const STACK_BYTES: number = 256 * 1024;

/** Stack of the worker; with less, deep code overflows the host's stack before the engine notices. */
export const WORKER_STACK_MB = 16;

/**
 * Code and input together, in UTF-8. A text is held twice while it is copied, once with two bytes per
 * character, and the engine crashes if that does not fit.
 */
export const MAX_TEXT_BYTES: number = 5 * 1024 * 1024;

export interface Job {
  readonly code: string;
  /** JSON. */
  readonly input: string;
}

/** Why there is no result; each is a kind `sandbox.*`. */
export type Fault = 'syntax' | 'runtime' | 'memory' | 'result' | 'timeout';

export type Answer =
  | { readonly ok: true; readonly json: string }
  | {
      readonly ok: false;
      readonly fault: Fault;
      /** The end of a sentence; shows neither the code nor a value. */
      readonly reason: string;
      /** Position in the code as written, from 1. */
      readonly line?: number;
      readonly column?: number;
    };

export interface WorkerData {
  readonly port: MessagePort;
  /** The compiled engine of an earlier worker. */
  readonly compiled?: object | undefined;
}

export type FromWorker =
  | { readonly type: 'ready'; readonly compiled: object }
  /** A spoiled worker must not be used again. */
  | { readonly type: 'answer'; readonly answer: Answer; readonly isSpoiled: boolean };
