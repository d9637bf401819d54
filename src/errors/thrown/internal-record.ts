/**
 * The internal record, for the internal log only: the thrown chain with names, stacks and host paths,
 * under the correlation id that the report shows to people. Bounded and redacted like everything stored.
 */
import { causeChain } from './cause-chain.ts';
import { endsOf } from '../report/report-limits.ts';
import { readProperty, toBoundedJson, type JsonObject } from '../support/safe-json.ts';
import { createRedactor, type Redactor } from '../redaction/redact.ts';
import type { ErrorReport } from '../report/report.ts';
import { isSecretName } from '../redaction/secret-names.ts';
import { describe } from './to-report.ts';

export interface InternalRecord {
  readonly id: string;
  readonly report: ErrorReport;
  /** Outermost first; of a long chain the outer end and the root. */
  readonly thrown: readonly JsonObject[];
}

const MAX_LINKS = 10;
const BOUNDS = { maxDepth: 8, maxNodes: 500, maxStringChars: 8000, maxChars: 60_000 };

/**
 * Makes what only an internal log may hold: the thrown chain with its stacks, under the report's id.
 * @example
 * ```ts
 * import { toInternalRecord, toReport } from 'errand/errors';
 *
 * const thrown = new Error('boom');
 * const record = toInternalRecord(thrown, toReport(thrown));
 * console.log(record.id === record.report.id, record.thrown[0]?.message); // true boom
 * ```
 */
export function toInternalRecord(
  thrown: unknown,
  report: ErrorReport,
  redactor: Redactor = createRedactor(),
): InternalRecord {
  const links = endsOf([...causeChain(thrown)], MAX_LINKS).map(linkRecord);
  const filter = { text: (text: string) => redactor.text(text), hides: isSecretName };
  const bounded = toBoundedJson(links, BOUNDS, filter).value;
  // an array of objects goes in, and bounding keeps the outer forms
  return { id: report.id, report, thrown: bounded as readonly JsonObject[] };
}

function linkRecord(link: unknown): Record<string, unknown> {
  return {
    name: readProperty(link, 'name'),
    message: describe(link),
    code: readProperty(link, 'code'),
    stack: readProperty(link, 'stack'),
  };
}
