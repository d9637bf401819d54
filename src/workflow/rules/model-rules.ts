/** Rules for chains of models, beyond their form. */
import type { Path } from '../plan/pointer.ts';
import type { ReportProblem } from '../diagnostics/problem.ts';
import { checkCatalogKind } from './kind-rules.ts';
import { asList, asMap, textItems } from './read-raw.ts';

export function checkModel(model: unknown, path: Path, report: ReportProblem): void {
  for (const [index, entry] of asList(model).entries()) {
    const { on } = asMap(entry);
    const at = [...path, index, 'on'];
    if (on !== 'any') checkCatalogKind(on, at, 'provider.', report);
    for (const [kind, index] of textItems(on)) {
      checkCatalogKind(kind, [...at, index], 'provider.', report);
    }
  }
}
