/** Makes a failure of the tool from a response that is not a success. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { parseDate } from '../../providers/classify/hints/moments.ts';
import { quoted } from '../../workflow/diagnostics/diagnostic-words.ts';

const MAX_HINT_MS = 24 * 60 * 60 * 1000;

interface AnsweredHeaders {
  readonly 'retry-after'?: string | undefined;
  readonly date?: string | undefined;
}

export function statusFailure(
  host: string,
  status: number,
  { headers, isInDoubt }: { readonly headers: AnsweredHeaders; readonly isInDoubt: boolean },
): ErrandError {
  const hintMs = retryAfterMs(headers);
  const passes = status === 408 || status === 425 || status === 429 || status >= 500;
  return new ErrandError({
    kind: 'tool.failed',
    message: `${quoted(host)} answered with HTTP ${status}`,
    // the request may have reached the server behind the gateway that answered
    ...(isInDoubt ? { outcome: 'unknown' as const } : {}),
    ...(passes ? { retryable: true } : lasting(isInDoubt)),
    details: { host, status },
    ...(hintMs === undefined ? {} : { provider: { status, retryAfterMs: hintMs } }),
    action: {
      kind: status === 429 || status >= 500 ? 'wait_and_retry' : 'change_input',
      detail:
        status === 429 || status >= 500
          ? 'Fetch it again later.'
          : 'Fetch an address that exists and is accessible.',
    },
  });
}

/** Seconds, or a date, which is compared with the server's own clock where it shows one. */
function retryAfterMs({ 'retry-after': value = '', date }: AnsweredHeaders): number | undefined {
  const ms = value.trim() === '' ? NaN : Number(value) * 1000;
  const until = (parseDate(value) ?? NaN) - (parseDate(date) ?? Date.now());
  const hintMs = ms >= 0 ? ms : Math.max(0, until);
  // a longer hint is shortened: without a hint the address would be fetched sooner
  return Number.isNaN(hintMs) ? undefined : Math.ceil(Math.min(hintMs, MAX_HINT_MS));
}

/**
 * A failure that waiting does not fix: use another address, or find out whether the write was done.
 */
export function lasting(
  isInDoubt: boolean,
): Pick<ErrorReport, 'category' | 'domain' | 'retryable'> {
  return isInDoubt
    ? { category: 'ambiguous', domain: 'runtime', retryable: false }
    : { category: 'content', domain: 'input', retryable: false };
}
