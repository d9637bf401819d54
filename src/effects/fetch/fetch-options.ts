/** Options of `http_fetch`. In a file of their own, because the type is public and must not need Node's types. */
import type { FetchMethod } from '../../workflow/plan/plan.ts';

export interface FetchOptions {
  /** Hosts that may be called: `api.example.com`, `*.example.com`, `http://host:port`. Default protocol: HTTPS. */
  readonly allow: readonly string[];
  /** The ones of `allow` that may be on this machine or its network. Default: none. */
  readonly allowPrivate?: readonly string[];
  /** Default: `GET` alone. */
  readonly methods?: readonly FetchMethod[];
  /** Limit of one call, redirects included. Default: 30 s. */
  readonly timeoutMs?: number;
  /** Limit of a body; the rest is cut, and the result says so. Default: 1 MiB. */
  readonly maxBytes?: number;
}
