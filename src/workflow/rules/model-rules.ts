/** Rules for chains of models, beyond their form. */
import type { Path } from '../plan/pointer.ts';
import type { ReportProblem } from '../diagnostics/problem.ts';
import { checkCatalogKind } from './kind-rules.ts';
import { asList, asMap, textItems } from './read-raw.ts';
import { quoted } from '../diagnostics/diagnostic-words.ts';
import { isForeign } from '../plan/provider-choice.ts';

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

/** Refuses a provider of another engine that nothing stands in for. */
export function checkProviderName(name: unknown, path: Path, report: ReportProblem): void {
  if (typeof name !== 'string' || !isForeign(name)) return;
  report({
    code: 'unsupported-value',
    kind: 'validation.unsupported',
    message: `Errand does not support the provider ${quoted(name)}`,
    path,
    suggestion:
      'Run with `--provider openai`, or another provider that you have, which then stands in for it; `--provider sim` plays the file without a key',
  });
}
