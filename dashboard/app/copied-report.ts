/**
 * A failure for the clipboard. Its renderers need the whole catalog, so they are loaded on demand.
 */
import type { PersonReport } from '../../src/errors/report/audiences.ts';
import { openFailures } from '../view/run/open-failures.ts';
import type { RunPageData } from '../view/run/page-data.ts';

export async function copiedReport(
  page: RunPageData,
  id: string,
  form: 'markdown' | 'problem',
): Promise<string> {
  const report = openFailures(page).find((each) => each.id === id);
  return report === undefined ? '' : rendered(report, form);
}

async function rendered(report: PersonReport, form: 'markdown' | 'problem'): Promise<string> {
  const { renderMarkdown, renderProblem } = await import('./report-renderers.ts');
  return form === 'markdown'
    ? renderMarkdown(report)
    : JSON.stringify(renderProblem(report).body, null, 2);
}
