/** What a chain of models says beyond its form. */
import type { Path } from '../path.ts';
import type { Report } from '../problem.ts';
import { checkCatalogKind } from './kind-rules.ts';
import { asList, asMap, textItems } from './read.ts';

export function checkModel(model: unknown, path: Path, report: Report): void {
  for (const [index, entry] of asList(model).entries()) {
    const { on } = asMap(entry);
    const at = [...path, index, 'on'];
    if (on !== 'any') checkCatalogKind(on, at, 'provider.', report);
    for (const [kind, place] of textItems(on)) {
      checkCatalogKind(kind, [...at, place], 'provider.', report);
    }
  }
}
