/**
 * Reads back a problem document that another Errand sent over HTTP. It was classified at its
 * source, so it keeps its kind, category, retryability and id, whatever its HTTP status. Anyone can
 * write such a body, so only the fields of the public view are read.
 */
import { isReportShaped } from '../thrown/cause-reports.ts';
import { checkFields } from './fields.ts';
import { isPlainObject, readProperty } from '../support/safe-json.ts';
import { isKindName, isReservedKind, isRuntimeKind } from '../catalog/kinds.ts';
import { problemType } from '../render/problem-type.ts';
import type { ReportDraft } from './report.ts';

/** The rule in the receipt of a report that is read here. */
export const PROBLEM_RULE = 'errand.problem';

/**
 * Undefined for a body that is not ours. A report that was sent unchanged counts as its public
 * part.
 */
export function readProblem(body: unknown): ReportDraft | undefined {
  const kind = readProperty(body, 'kind');
  if (!isPlainObject(body) || !isKindName(kind) || !isKnown(kind)) return undefined;
  const type = problemType(kind);
  if (readProperty(body, 'type') === type) {
    const named = { id: 'instance', message: 'detail' } as const;
    return draftOf(kind, body, named);
  }
  return isReportShaped(body) ? draftOf(kind, body, { id: 'id', message: 'message' }) : undefined;
}

/** A kind of the catalog, or one that an author may raise. */
function isKnown(kind: string): boolean {
  return isRuntimeKind(kind) || !isReservedKind(kind);
}

const SAME_NAME = ['category', 'domain', 'retryable', 'location', 'details'];

function draftOf(
  kind: string,
  body: object,
  named: { readonly id: string; readonly message: string },
): ReportDraft {
  // on a panel, people take the advice as ours, so the sender's is left out; so is any other title
  const names = isRuntimeKind(kind) ? SAME_NAME : [...SAME_NAME, 'title'];
  const shared = names.map((name) => [name, readProperty(body, name)] as const);
  const provider = readProperty(body, 'provider');
  const { good } = checkFields({
    ...Object.fromEntries(shared),
    id: readProperty(body, named.id),
    message: readProperty(body, named.message),
    provider: {
      retryAfterMs: readProperty(body, 'retryAfterMs') ?? readProperty(provider, 'retryAfterMs'),
    },
  });
  return {
    ...good,
    kind,
    message: good.message ?? '',
    // the public view implies this outcome and no other
    ...(good.category === 'ambiguous' ? { outcome: 'unknown' as const } : {}),
    rule: { id: PROBLEM_RULE, evidence: [`type=${problemType(kind)}`], confidence: 'high' },
  };
}
