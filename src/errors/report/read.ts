/**
 * Reads a report from another process, another version, a file or an HTTP response. Reading is
 * tolerant and total: unknown fields are kept aside, good ones are used, a malformed one degrades
 * alone. Writing is strict: a value is valid exactly when reading it would change nothing.
 */
import { adoptReport, isMadeHere } from './build.ts';
import { ErrandError } from '../thrown/errand-error.ts';
import { checkFields, FIELDS } from './fields.ts';
import {
  isArray,
  isJsonObject,
  isPlainObject,
  keysOf,
  readProperty,
} from '../support/safe-json.ts';
import { toBoundedJson, type JsonObject } from '../support/safe-json.ts';
import { createRedactor, type Redactor } from '../redaction/redact.ts';
import type { ErrorReport, Stamp } from './report.ts';
import { isSecretName } from '../redaction/secret-names.ts';
import { ambientStamp } from '../thrown/stamp.ts';

export interface ReadReport {
  readonly report: ErrorReport;
  /** Names of fields whose value could not be used. */
  readonly malformed: readonly string[];
  /** Fields that this version does not know. */
  readonly unknown: JsonObject;
}

export interface ReadOptions {
  /** For a report that has lost its own id or time. */
  readonly stamp?: Stamp;
  readonly redactor?: Redactor;
}

/**
 * A text is one that `writeReport` gave; `malformed` has `report` where there is none in it.
 * @example
 * ```ts
 * import { failure, readReport, writeReport } from 'errand/errors';
 *
 * const text = writeReport(failure('order.missing', 'No order').report);
 * console.log(readReport(text).report.kind); // order.missing
 * console.log(readReport('no report').malformed); // [ 'report' ]
 * ```
 */
export function readReport(given: unknown, options: ReadOptions = {}): ReadReport {
  const value = typeof given === 'string' ? parsed(given) : given;
  const { stamp = ambientStamp(), redactor = createRedactor() } = options;
  const cause = readProperty(value, 'cause');
  const hasBadCause = cause !== undefined && !isPlainObject(cause);
  return {
    report: adoptReport(value, { stamp, redactor: options.redactor }),
    malformed: [
      ...(isPlainObject(value) ? checkFields(value).malformed : ['report']),
      ...(hasBadCause ? ['cause'] : []),
    ],
    unknown: unknownFields(value, redactor),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // not a report, like every other value that is none
    return text;
  }
}

/**
 * Throws `internal.invariant` when the value is not a whole, valid report.
 * @example
 * ```ts
 * import { failure, writeReport } from 'errand/errors';
 *
 * const text = writeReport(failure('order.missing', 'No order').report);
 * console.log(JSON.parse(text).kind); // order.missing
 * ```
 */
export function writeReport(report: ErrorReport): string {
  const flaws = flawsOf(report);
  if (flaws.length === 0) return JSON.stringify(report);
  throw new ErrandError({
    kind: 'internal.invariant',
    message: 'A report that is not valid was about to be written',
    details: { flaws },
  });
}

const KNOWN: ReadonlySet<string> = new Set([...Object.keys(FIELDS), 'v', 'cause']);
const MAX_UNKNOWN = 100;
const BOUNDS = { maxDepth: 6, maxNodes: 200, maxStringChars: 1000, maxChars: 8000 };

function unknownFields(value: unknown, redactor: Redactor): JsonObject {
  if (!isPlainObject(value)) return {};
  const others = keysOf(value)
    .filter((key) => !KNOWN.has(key))
    .slice(0, MAX_UNKNOWN);
  const found = Object.fromEntries(others.map((key) => [key, readProperty(value, key)]));
  const filter = { text: (text: string) => redactor.text(text), hides: isSecretName };
  const bounded = toBoundedJson(found, BOUNDS, filter).value;
  return isJsonObject(bounded) ? bounded : {};
}

/** Good itself, so that it differs from any id or time that is not. */
const NO_STAMP: Stamp = { id: 'unknown', at: '1970-01-01T00:00:00.000Z' };

function flawsOf(report: unknown): readonly string[] {
  if (isMadeHere(report)) return [];
  if (!isPlainObject(report)) return ['report'];
  const good = adoptReport(report, { stamp: NO_STAMP });
  const names = new Set([...keysOf(good), ...keysOf(report)]);
  return [...names].filter((name) => !isSame(readProperty(report, name), readProperty(good, name)));
}

/** The second one is finite, so the first may be anything. */
function isSame(value: unknown, good: unknown): boolean {
  if (typeof good !== 'object' || good === null) return Object.is(value, good);
  if (!isPlainObject(value) && !isArray(value)) return false;
  const names = keysOf(good);
  return (
    isArray(value) === isArray(good) &&
    keysOf(value).length === names.length &&
    names.every((name) => isSame(readProperty(value, name), readProperty(good, name)))
  );
}
