/** The form of `details`, for the kinds whose details are part of the contract. */
import type { JsonObject, JsonValue } from '../support/safe-json.ts';

export interface ProviderDetails extends JsonObject {
  /** How far the damage reaches: what has to recover or change before a call can work again. */
  readonly scope: 'request' | 'model' | 'key' | 'account' | 'provider';
  /** When it can work again: at once, at the hint, when a window resets, or when a person acts. */
  readonly recovery: 'now' | 'hint' | 'window' | 'human';
}

export interface ScriptDetails extends JsonObject {
  readonly exit_code: number | null;
  readonly stderr_tail: string;
  readonly command: string;
  readonly signal: string | null;
}

export interface GroupDetails extends JsonObject {
  /** Failed members' reports by name or key; the first twenty. */
  readonly members: JsonObject;
  /** All failed members by kind. */
  readonly counts: { readonly [kind: string]: number };
}

export interface LimitDetails extends JsonObject {
  readonly limit: number;
  readonly spent: number;
}

/** Open for declaration merging: add a row to type the details of a kind of your own. */
export interface KindDetails {
  'provider.rate_limited': ProviderDetails;
  'provider.overloaded': ProviderDetails;
  'provider.server_error': ProviderDetails;
  'provider.timeout': ProviderDetails;
  'provider.network': ProviderDetails;
  'provider.quota_exhausted': ProviderDetails;
  'internal.script_error': ScriptDetails;
  'group.failed': GroupDetails;
  'group.quorum': GroupDetails;
  'limit.budget': LimitDetails;
  'limit.turns': LimitDetails;
  'limit.steps': LimitDetails;
  'limit.retries': LimitDetails;
  'limit.requests': LimitDetails;
  'breaker.open': JsonObject & { readonly target: string };
  'terminate.failed': JsonObject & { readonly output: JsonValue };
}
