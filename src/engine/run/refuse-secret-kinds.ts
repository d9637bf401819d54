/**
 * Refuses kinds that hold a secret. A kind stands in every event, screen and metric and is never rewritten,
 * so a failure of such a kind becomes a malformed one, unless the file itself declares the kind.
 */
import type { EffectResult } from '../../effects/effect-port.ts';
import { isReservedKind } from '../../errors/catalog/kinds.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import { REDACTED } from '../../errors/report/bounded-text.ts';
import { buildReport, rebuild } from '../../errors/report/build.ts';
import type { ErrorReport, ReportDraft } from '../../errors/report/report.ts';

/** A shorter secret may be a word that names of failures have too. */
const MIN_SECRET_CHARS = 8;

export function refuseSecretKinds(
  result: EffectResult,
  declared: readonly string[],
  redactor: Redactor,
): EffectResult {
  if (result.ok && result.errors === undefined && result.suppressed === undefined) return result;
  const checked = (draft: ReportDraft): ReportDraft => checkedDraft(draft, { declared, redactor });
  const suppressed = result.suppressed?.map((each) => ({
    ...each,
    failure: checked(each.failure),
  }));
  const beside = suppressed === undefined ? {} : { suppressed };
  if (!result.ok) return { ...result, ...beside, failure: checked(result.failure) };
  const errors = result.errors?.map(checked);
  return { ...result, ...beside, ...(errors === undefined ? {} : { errors }) };
}

interface Known {
  readonly declared: readonly string[];
  readonly redactor: Redactor;
}

function checkedDraft(draft: ReportDraft, known: Known): ReportDraft {
  const below = draft.cause === undefined ? {} : { cause: checkedReport(draft.cause, known) };
  return mayBeStored(draft.kind, known) ? { ...draft, ...below } : { ...refusal(draft), ...below };
}

function checkedReport(report: ErrorReport, known: Known): ErrorReport {
  const { cause } = report;
  const below = cause === undefined ? undefined : checkedReport(cause, known);
  if (mayBeStored(report.kind, known))
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

function mayBeStored(kind: string, { declared, redactor }: Known): boolean {
  if (declared.includes(kind) || isReservedKind(kind)) return true;
  const clean = redactor.values(kind).replaceAll(REDACTED, '');
  return kind.length - clean.length < MIN_SECRET_CHARS;
}
