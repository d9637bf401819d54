/** What an application allows `http_fetch`. Apart, because it is public and must not need Node's types. */
import type { FetchMethod } from '../../workflow/model.ts';

export interface FetchOptions {
  /** Hosts that may be asked: `api.example.com`, `*.example.com`, `http://host:port`. HTTPS unless said. */
  readonly allow: readonly string[];
  /** Of those, the ones that may be on this machine or its network. Default: none. */
  readonly allowPrivate?: readonly string[];
  /** Default: `GET` alone. */
  readonly methods?: readonly FetchMethod[];
  /** Of one call, its redirects included. Default: 30 s. */
  readonly timeoutMs?: number;
  /** Of a body; the rest is left out, and the result says so. Default: 1 MiB. */
  readonly maxBytes?: number;
}
