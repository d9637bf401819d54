/** Explains the failures of a run, and the meaning of a kind. For HTTP and for MCP. */
import { catalogRow, RUNTIME_KINDS } from '../../errors/catalog/catalog.ts';
import { explainedKind, type ExplainedRow } from '../../errors/catalog/explained-kind.ts';
import { forPerson, type PersonReport } from '../../errors/report/audiences.ts';
import { suggest } from '../../errors/support/suggest.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { failureHistories, type FailureHistory } from '../../history/failure-history.ts';
import type { RunCore } from '../core.ts';
import { planFrom } from '../../engine/run/plan-text.ts';

export interface ExplainedRun {
  readonly run: string;
  /** The failure that the run ended with. */
  readonly error: PersonReport | null;
  /** Every failure of the run, handled ones too. */
  readonly life: readonly FailureHistory[];
}

/** Rejects with `run.not_found`. */
export async function explainRun(core: RunCore, run: string): Promise<ExplainedRun> {
  const { record, events } = await (await core.engine()).stored(run);
  const last = events.at(-1);
  const life = failureHistories(planFrom(record.plan), events);
  const error = last?.type === 'run:failed' ? forPerson(last.error) : null;
  return { run: record.run, error, life };
}

/**
 * Throws `request.not_found`.
 * @param allKinds - where the caller finds all kinds
 */
export function explainKind(kind: string, allKinds: string): ExplainedRow {
  if (catalogRow(kind) !== undefined) return explainedKind(kind);
  const meant = suggest(kind, RUNTIME_KINDS);
  throw new ErrandError({
    kind: 'request.not_found',
    message: `The catalog has no kind ${kind.slice(0, 80)}`,
    action: {
      kind: 'change_input',
      detail: meant === undefined ? allKinds : `Did you mean ${meant}?`,
    },
  });
}
