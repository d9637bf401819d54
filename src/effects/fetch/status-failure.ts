/** Makes a failure of the tool from a response that is not a success. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { quoted } from '../../workflow/diagnostics/phrases.ts';

const MAX_HINT_S = 24 * 60 * 60;

export function statusFailure(
  host: string,
  status: number,
  {
    retryAfter,
    isInDoubt,
  }: { readonly retryAfter: string | undefined; readonly isInDoubt: boolean },
): ErrandError {
  const seconds = Number(retryAfter);
  const hasHint = retryAfter !== undefined && seconds >= 0;
  // a longer hint is cut: without one the address would be fetched sooner
  const hintMs = Math.ceil(Math.min(seconds, MAX_HINT_S) * 1000);
  const passes = status === 408 || status === 425 || status === 429 || status >= 500;
  return new ErrandError({
    kind: 'tool.failed',
    message: `${quoted(host)} answered with HTTP ${status}`,
    // the request may have reached the server behind the gateway that answered
    ...(isInDoubt ? { outcome: 'unknown' as const } : {}),
    ...(passes ? { retryable: true } : lasting(isInDoubt)),
    details: { host, status },
    ...(hasHint ? { provider: { status, retryAfterMs: hintMs } } : {}),
    action: {
      kind: status === 429 || status >= 500 ? 'wait_and_retry' : 'change_input',
      detail:
        status === 429 || status >= 500
          ? 'Fetch it again later.'
          : 'Fetch an address that exists and is accessible.',
    },
  });
}

/** A failure that waiting does not fix: use another address, or check what was already done. */
export function lasting(
  isInDoubt: boolean,
): Pick<ErrorReport, 'category' | 'domain' | 'retryable'> {
  return isInDoubt
    ? { category: 'ambiguous', domain: 'runtime', retryable: false }
    : { category: 'content', domain: 'input', retryable: false };
}
