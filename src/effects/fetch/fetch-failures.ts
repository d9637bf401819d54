/** The failures of `http_fetch`, one function each; the table at the top of `fetch-tool.ts` lists them. */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { ReportDraft } from '../../errors/report/report.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { brokeOpenConnection } from '../../errors/thrown/open-connection.ts';
import { quoted } from '../../workflow/diagnostics/diagnostic-words.ts';
import { codeOf } from '../process/system-code.ts';
import { OwnFailure } from '../thrown-failure.ts';
import { hostOf } from './allow-list.ts';
import type { UnusableBody } from './read-body.ts';
import { lasting } from './status-failure.ts';

export interface FetchRequest {
  readonly url: URL;
  readonly method: string;
  readonly body?: JsonValue;
  readonly redirects: number;
  /** An earlier request may have changed something. */
  readonly hasWritten: boolean;
}

export function isReading({ method }: FetchRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

export function noAddress(outcome: 'not_started' | 'unknown'): ErrandError {
  return new OwnFailure({
    kind: 'tool.input_invalid',
    outcome,
    message:
      'The `url` must begin with http:// or https:// and must not contain a user name or password',
  });
}

/** A write is sent once per attempt; a server that answers 307 or 308 has not executed it. */
export function redirectedWrite(to: URL, status: number): ErrandError {
  const host = hostOf(to);
  const location = `${to.origin}${to.pathname}`;
  return new ErrandError({
    kind: 'tool.failed',
    outcome: 'failed',
    message: `${quoted(host)} redirects a write (HTTP ${status}); a write is sent only once, so it was not repeated`,
    ...lasting(false),
    details: { host, status, location },
    action: { kind: 'change_input', detail: `Send the request to ${location} itself.` },
  });
}

export function badRedirect(message: string, hasWritten: boolean): ErrandError {
  const outcome = hasWritten ? 'unknown' : 'failed';
  return new ErrandError({ kind: 'tool.failed', outcome, message, ...lasting(hasWritten) });
}

export function denied(
  { url, redirects, hasWritten }: FetchRequest,
  why: string,
  { cause, isPrivate = false }: { readonly cause?: unknown; readonly isPrivate?: boolean } = {},
): ErrandError {
  const host = hostOf(url);
  return new OwnFailure(
    {
      kind: 'tool.denied',
      outcome: hasWritten ? 'unknown' : deniedAt(redirects),
      // models read the message, and a redirect may name an internal host
      message:
        redirects === 0 ? `${quoted(host)} ${why}` : `The response redirects to a host that ${why}`,
      details: { host, redirects, by: 'policy' },
      action: { kind: 'request_access', detail: isPrivate ? ASK_PRIVATE : ASK_ALLOWED },
    },
    { cause },
  );
}

const ASK_ALLOWED = 'Fetch another address, or add its host to `allow` of `runtime.http_fetch`.';

const ASK_PRIVATE =
  'Fetch a public address. If this one is intended, add its host to `allow_private` as well as `allow` of `runtime.http_fetch` (`allowPrivate` in code).';

function deniedAt(redirects: number): 'not_started' | 'failed' {
  return redirects === 0 ? 'not_started' : 'failed';
}

const NEVER_MADE =
  /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENODATA)$|CERT|SSL|TLS/;

export function broken(
  request: FetchRequest,
  thrown: unknown,
  during: 'request' | 'response',
): ErrandError {
  const code = codeOf(thrown);
  const isUnmade = during === 'request' && NEVER_MADE.test(code) && !brokeOpenConnection(thrown);
  const host = hostOf(request.url);
  const isBegun = request.hasWritten || !isUnmade;
  const uncertain = isReading(request) && !request.hasWritten ? 'failed' : 'unknown';
  return new OwnFailure(
    {
      kind: 'tool.failed',
      outcome: isBegun ? uncertain : 'not_started',
      ...(/CERT|SSL|TLS/.test(code)
        ? { category: 'configuration', domain: 'config', retryable: false }
        : { retryable: true }),
      message: isUnmade
        ? `${quoted(host)} could not be reached (${code})`
        : `The connection to ${quoted(host)} broke before its ${during === 'request' ? 'response began' : 'response was complete'} (${code})`,
      details: { host, code },
    },
    { cause: thrown },
  );
}

export function onlyPart(request: FetchRequest): ErrandError {
  const host = hostOf(request.url);
  return new ErrandError({
    kind: 'tool.output_malformed',
    ...accepted(request),
    message: `${quoted(host)} returned only a part (HTTP 206) although the whole was requested`,
    details: { host, status: 206 },
    action: { kind: 'change_input', detail: 'Fetch an address that returns the whole content.' },
  });
}

export function tooLarge(request: FetchRequest, maxBytes: number): ReportDraft {
  const { url } = request;
  return {
    kind: 'internal.output_too_large',
    ...accepted(request),
    message: `The response of ${quoted(hostOf(url))} is longer than the limit of ${maxBytes} bytes`,
    details: { host: hostOf(url), maxBytes },
    action: {
      kind: 'change_input',
      detail: 'FetchRequest less, raise `max_bytes`, or set `on_truncated: keep` on the node.',
    },
  };
}

/** The server accepted the request, whether or not its response can be used. */
function accepted(request: FetchRequest): Pick<ReportDraft, 'outcome'> {
  return request.hasWritten || !isReading(request) ? { outcome: 'unknown' } : {};
}

export function unusable(request: FetchRequest, { problem, cause }: UnusableBody): ErrandError {
  return new ErrandError(
    {
      kind: 'tool.output_malformed',
      ...accepted(request),
      message: `The response cannot be used: ${problem}`,
      action: { kind: 'change_input', detail: 'Fetch an address that returns text or JSON.' },
    },
    { cause },
  );
}
