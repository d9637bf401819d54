/** When a tool or a function is called again by what it declares; nothing else retries it. */
import { DOUBT } from './doubt.ts';
import type { ErrorReport } from '../errors/report.ts';
import { matchesKind } from '../errors/kinds.ts';
import type { ToolDescription } from '../workflow/tool-description.ts';
import { backoffMs } from './backoff.ts';

export interface FailedTry {
  readonly error: ErrorReport;
  /** Tries so far, this one included. */
  readonly made: number;
  readonly words: readonly (string | number)[];
}

/** Undefined when the failure stands. */
export function retryDelayMs(
  tool: ToolDescription | undefined,
  { error, made, words }: FailedTry,
): number | undefined {
  const retry = tool?.retry;
  if (retry === undefined || made > retry.max) return undefined;
  // what may have happened is not repeated unless the tool is idempotent, and then it has its own kind
  if (error.kind === DOUBT) return undefined;
  const isMeant =
    retry.on === undefined
      ? error.category === 'transient' && error.retryable !== false
      : retry.on.some((pattern) => matchesKind(error.kind, pattern));
  // what was refused before it began is refused again; what was only busy or out of reach is not
  const isRefused = error.outcome === 'not_started' && error.category !== 'transient';
  if (!isMeant || isRefused) return undefined;
  return backoffMs({ type: 'retry', ...retry }, made, error, words);
}
