/** RFC 9457 problem documents: the public view of a report under the names that HTTP clients know. */
import { problemType } from './problem-type.ts';
import {
  forPublic,
  httpStatus,
  type PublicOptions,
  type PublicReport,
} from '../report/audiences.ts';
import type { ErrorReport } from '../report/report.ts';

const PROBLEM_MEDIA_TYPE = 'application/problem+json';

export interface ProblemDocument extends Omit<PublicReport, 'id' | 'message'> {
  readonly type: string;
  readonly status: number;
  readonly detail: string;
  /** The correlation id. */
  readonly instance: string;
}

export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ProblemDocument;
}

/**
 * A report as the parts of an HTTP response: a problem document (RFC 9457).
 * @example
 * ```ts
 * import { failure, renderProblem } from 'errand';
 *
 * const { status, headers, body } = renderProblem(failure('order.missing', 'No order').report);
 * console.log(status, headers['content-type'], body.kind); // 422 application/problem+json order.missing
 * ```
 */
export function renderProblem(report: ErrorReport, options: PublicOptions = {}): Problem {
  const { id, title, message, ...extensions } = forPublic(report, options);
  const status = httpStatus(report);
  const retryAfter = retryAfterSeconds(report);
  return {
    status,
    headers: {
      'content-type': PROBLEM_MEDIA_TYPE,
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    },
    body: {
      type: problemType(report.kind),
      title,
      status,
      detail: message,
      instance: id,
      ...extensions,
    },
  };
}

/** Whole seconds, rounded up; only where waiting helps, so that no client waits in vain. */
function retryAfterSeconds(report: ErrorReport): number | undefined {
  const hintMs = report.provider?.retryAfterMs;
  return report.retryable === true && hintMs !== undefined ? Math.ceil(hintMs / 1000) : undefined;
}
