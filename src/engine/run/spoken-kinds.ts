/**
 * Kinds that may be said. A kind stands in every event, screen and metric and is never rewritten, so a
 * failure whose kind has a secret in it is refused as malformed, unless the file itself declares that kind.
 */
import type { EffectResult } from '../../effects/effect-port.ts';
import { isReservedKind } from '../../errors/catalog/kinds.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import { REDACTED } from '../../errors/report/bounded-text.ts';
import { buildReport, rebuild } from '../../errors/report/build.ts';
import type { ErrorReport, ReportDraft } from '../../errors/report/report.ts';

/** A shorter secret may be a word that names of failures have too. */
const MIN_SECRET_CHARS = 8;

export function withSpokenKinds(
  result: EffectResult,
  declared: readonly string[],
  redactor: Redactor,
): EffectResult {
  if (result.ok && result.errors === undefined && result.suppressed === undefined) return result;
  const spoken = (draft: ReportDraft): ReportDraft => spokenDraft(draft, { declared, redactor });
  const suppressed = result.suppressed?.map((each) => ({ ...each, failure: spoken(each.failure) }));
  const beside = suppressed === undefined ? {} : { suppressed };
  if (!result.ok) return { ...result, ...beside, failure: spoken(result.failure) };
  const errors = result.errors?.map(spoken);
  return { ...result, ...beside, ...(errors === undefined ? {} : { errors }) };
}

interface Known {
  readonly declared: readonly string[];
  readonly redactor: Redactor;
}

function spokenDraft(draft: ReportDraft, known: Known): ReportDraft {
  const below = draft.cause === undefined ? {} : { cause: spokenReport(draft.cause, known) };
  return isSpoken(draft.kind, known) ? { ...draft, ...below } : { ...refusal(draft), ...below };
}

function spokenReport(report: ErrorReport, known: Known): ErrorReport {
  const { cause } = report;
  const below = cause === undefined ? undefined : spokenReport(cause, known);
  if (isSpoken(report.kind, known))
    return below === undefined || below === cause ? report : rebuild(report, { cause: below });
  return buildReport(
    { ...refusal(report), ...(below === undefined ? {} : { cause: below }) },
    { stamp: report, redactor: known.redactor },
  );
}

function refusal({ message, outcome, details }: ReportDraft): ReportDraft {
  return {
    kind: 'internal.envelope_invalid',
    message: `The kind of a raised failure has a secret in it: ${message}`,
    ...(outcome === undefined ? {} : { outcome }),
    ...(details === undefined ? {} : { details }),
  };
}

function isSpoken(kind: string, { declared, redactor }: Known): boolean {
  if (declared.includes(kind) || isReservedKind(kind)) return true;
  const clean = redactor.values(kind).replaceAll(REDACTED, '');
  return kind.length - clean.length < MIN_SECRET_CHARS;
}
