/** A kind as JSON: its row of the catalog, as `errand explain` prints it. */
import { retryableByDefault } from '../report/build.ts';
import { catalogRow } from './catalog.ts';
import { DOMAIN_ROW } from './domain-row.ts';
import type { CatalogRow } from './row.ts';

export type ExplainedRow = {
  readonly kind: string;
  readonly retryable: boolean | null;
} & CatalogRow;

export function explainedKind(kind: string): ExplainedRow {
  const row = catalogRow(kind) ?? DOMAIN_ROW;
  return { kind, retryable: retryableByDefault(row.category), ...row };
}
