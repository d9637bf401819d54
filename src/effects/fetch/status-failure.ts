/** An answer that is no success, as a failure of the tool. */
import { ErrandError } from '../../errors/errand-error.ts';
import type { ErrorReport } from '../../errors/report.ts';
import { quoted } from '../../workflow/words.ts';

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
  const hasHint = retryAfter !== undefined && seconds >= 0 && seconds <= MAX_HINT_S;
  const passes = status === 408 || status === 425 || status === 429 || status >= 500;
  return new ErrandError({
    kind: 'tool.failed',
    message: `${quoted(host)} answered with HTTP ${status}`,
    // the request may have got through to the server that stands behind the one that answered
    ...(isInDoubt ? { outcome: 'unknown' as const } : {}),
    ...(passes ? { retryable: true } : lasting(isInDoubt)),
    details: { host, status },
    ...(hasHint ? { provider: { status, retryAfterMs: Math.ceil(seconds * 1000) } } : {}),
    action: {
      kind: status === 429 || status >= 500 ? 'wait_and_retry' : 'change_input',
      detail:
        status === 429 || status >= 500
          ? 'Ask again later.'
          : 'Ask for an address that is there and may be seen.',
    },
  });
}

/** What waiting does not mend: another address does, or a look at what was done by then. */
export function lasting(
  isInDoubt: boolean,
): Pick<ErrorReport, 'category' | 'domain' | 'retryable'> {
  return isInDoubt
    ? { category: 'ambiguous', domain: 'runtime', retryable: false }
    : { category: 'content', domain: 'input', retryable: false };
}
