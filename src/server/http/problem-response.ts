/** Refusals as problem documents (RFC 9457), each with a kind of the catalog. */
import { catalogRow } from '../../errors/catalog/catalog.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { withoutValues } from '../../errors/report/without-values.ts';
import { renderProblem, type ProblemDocument } from '../../errors/render/problem-document.ts';
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { jsonText } from '../../errors/support/printable.ts';

/** Seconds after which a temporarily refused request is worth repeating. */
const RETRY_SECONDS = { 429: 1, 503: 2 } as const;

/** Details that a program needs to act on a refusal: they stand in the document itself. */
const SHOWN_DETAILS = [
  'changed',
  'diagnostics',
  'pointer',
  'removedAt',
  'run',
  'retryAfterMs',
] as const;

export interface ProblemOptions {
  /** `run`: a run's own failure, which no repetition of the request changes. */
  readonly source: 'request' | 'run';
  /** Stands before every path. */
  readonly base: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type ShownProblem = ProblemDocument & {
  readonly [Name in (typeof SHOWN_DETAILS)[number]]?: JsonValue;
};

export function reportOfThrown(thrown: unknown, redactor: Redactor): ErrorReport {
  return withoutValues(toReport(thrown, { redactor }), redactor, { keys: 'as they are' });
}

/** The document of a refusal, with the details that a program needs to act on it. */
export function problemDocument(
  report: ErrorReport,
  source: ProblemOptions['source'] = 'request',
): ShownProblem {
  const { body } = renderProblem(report);
  const shown = source === 'run' ? {} : detailsOf(report.details);
  return { ...body, ...shown };
}

export function problemResponse(report: ErrorReport, options: ProblemOptions): Response {
  const { source, base, headers = {} } = options;
  const body = problemDocument(report, source);
  const { status } = body;
  const retryAfter = source === 'run' ? undefined : retryAfterSeconds(status, report.details);
  return new Response(jsonText(body), {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      // a kind of the workflow's own has no row
      ...(catalogRow(report.kind) === undefined
        ? {}
        : { link: `<${base}/v1/catalog/${encodeURIComponent(report.kind)}>; rel="type"` }),
      'errand-error-source': source,
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      ...(report.kind === 'request.unauthenticated' ? { 'www-authenticate': 'Bearer' } : {}),
      ...headers,
    },
  });
}

function detailsOf(details: JsonObject | undefined): JsonObject {
  return Object.fromEntries(
    SHOWN_DETAILS.flatMap((name) => {
      const value = details?.[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

function retryAfterSeconds(status: number, details: JsonObject | undefined): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const { retryAfterMs } = details ?? {};
  return typeof retryAfterMs === 'number'
    ? Math.max(1, Math.ceil(retryAfterMs / 1000))
    : RETRY_SECONDS[status];
}
