/** What is said between the sandbox and its worker, and what became of one evaluation. */
import type { MessagePort } from 'node:worker_threads';

/** Wall time of one evaluation. */
export const LIMIT_MS = 1000;

/** Linear memory that the engine takes for itself: static data, its stack, an empty context. */
const ENGINE_PAGES = 84;

/** 16 MiB in WebAssembly pages of 64 KiB. */
const LIMIT_PAGES = 256;

export const MEMORY_PAGES: number = ENGINE_PAGES + LIMIT_PAGES;

export const STACK_BYTES: number = 256 * 1024;

/** Of the worker; with less, deep code overflows the host's stack before the engine notices. */
export const WORKER_STACK_MB = 16;

/**
 * Code and input together, in UTF-8. A text is held twice while it is handed over, once as two
 * bytes a character, and the engine does not survive a hand-over that finds no room.
 */
export const MAX_TEXT_BYTES: number = 5 * 1024 * 1024;

export interface Job {
  readonly code: string;
  /** JSON. */
  readonly input: string;
}

/** Why there is no result; each is a kind under `sandbox.`. */
export type Fault = 'syntax' | 'runtime' | 'memory' | 'result' | 'timeout';

export type Answer =
  | { readonly ok: true; readonly json: string }
  | {
      readonly ok: false;
      readonly fault: Fault;
      /** Half a sentence that shows neither the code nor a value. */
      readonly reason: string;
      /** In the code as written, from 1. */
      readonly line?: number;
      readonly column?: number;
    };

export interface WorkerData {
  readonly port: MessagePort;
  /** The engine's code, from a worker before this one. */
  readonly compiled?: object | undefined;
}

export type FromWorker =
  | { readonly type: 'ready'; readonly compiled: object }
  /** A worker that is spoiled must not be used again. */
  | { readonly type: 'answer'; readonly answer: Answer; readonly isSpoiled: boolean };
