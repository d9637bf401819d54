/**
 * A provider's failure as observed, independent of provider and SDK: every extractor makes one, and
 * the classifier reads it. It holds raw text and never leaves the internal side.
 */

export const PHASES = ['before_send', 'sent', 'headers', 'streaming'] as const;

/** How far the request got when it failed. */
export type Phase = (typeof PHASES)[number];

/** `generate` may be repeated; `submit` creates something and may not. */
export type Operation = 'generate' | 'submit';

/** A failure below HTTP; `cause` links are flattened, outermost first. */
export interface TransportFault {
  readonly name?: string;
  readonly message?: string;
  /** The first code found along the chain: `ECONNRESET`, `UND_ERR_SOCKET`, … */
  readonly code?: string;
  readonly syscall?: string;
  readonly causes?: readonly TransportFault[];
}

export interface ProviderFailure {
  /** The name from the caller or the SDK; `known-providers.ts` knows the spellings. */
  readonly provider?: string;
  readonly model?: string;
  readonly api?: string;
  readonly operation: Operation;
  readonly status?: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The code that the SDK kept, if the body itself is gone. */
  readonly code?: string;
  readonly type?: string;
  readonly message?: string;
  /** Parsed JSON, or the raw text. */
  readonly body?: unknown;
  /** Nobody has read the body, which may say what the status means. */
  readonly isUnread?: boolean;
  readonly transport?: TransportFault;
  readonly phase: Phase;
  /** Whether a part of the reply had reached the caller. Unknown counts as yes while streaming. */
  readonly delivered: boolean;
  /** The extractor that recognised it, for the receipt. */
  readonly source: string;
  /** The SDK's own finding, such as a missing key. */
  readonly finding?: Finding;
}

export const FINDINGS = [
  'api_key_missing',
  'model_unknown',
  'unsupported_feature',
  'invalid_prompt',
  'invalid_tool_arguments',
  'no_such_tool',
  'no_output',
  'stream_empty',
  'output_unparsable',
  'aborted',
  'timed_out',
  'connection_closed',
  'mcp_tool_error',
  'mcp_method_not_found',
  'mcp_invalid_params',
  'mcp_internal',
] as const;

/** Failures that an SDK types itself, without a response to read. */
export type Finding = (typeof FINDINGS)[number];
