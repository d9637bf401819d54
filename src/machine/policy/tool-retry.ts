/** Retries of a tool or a function, by the policy that it declares itself. */
import type { ErrorReport } from '../../errors/report/report.ts';
import { matchesKind } from '../../errors/catalog/kinds.ts';
import type { ToolDescription } from '../../workflow/authoring/tool-description.ts';
import { ASKED_BY_DEFAULT } from '../../workflow/check/routing.ts';
import { backoffMs } from './backoff.ts';

export interface FailedAttempt {
  readonly error: ErrorReport;
  /** Calls so far, including this one. */
  readonly made: number;
  readonly words: readonly (string | number)[];
}

/** Delay before the next call; undefined when the failure is final. */
export function retryDelayMs(
  tool: ToolDescription | undefined,
  { error, made, words }: FailedAttempt,
): number | undefined {
  const retry = tool?.retry;
  if (retry === undefined || made > retry.max) return undefined;
  // never repeat an unknown outcome; an idempotent tool fails with its own kind instead
  if (error.kind === ASKED_BY_DEFAULT) return undefined;
  const isMeant =
    retry.on === undefined
      ? error.category === 'transient' && error.retryable !== false
      : retry.on.some((pattern) => matchesKind(error.kind, pattern));
  // a refusal before the start would be repeated; a busy or unreachable target may recover
  const isRefused = error.outcome === 'not_started' && error.category !== 'transient';
  if (!isMeant || isRefused) return undefined;
  return backoffMs({ type: 'retry', ...retry }, made, error, words);
}
