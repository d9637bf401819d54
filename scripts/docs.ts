/**
 * `npm run docs`: writes the pages under `docs/` that are generated from the code. With `--check`
 * it only names the stale pages, and exits with 1 if there are any.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { API_PAGE, API_REPORT, renderApi, renderApiReport } from './docs/api.ts';
import { COMPARED_PAGE, renderClassificationCompared } from './docs/classification-compared.ts';
import { COMMANDS_PAGE, renderCommands } from './docs/commands.ts';
import { DIAGNOSTICS_PAGE, renderDiagnostics } from './docs/diagnostics.ts';
import { ENVIRONMENT_PAGE, renderEnvironment } from './docs/environment.ts';
import { renderErrorsPage } from './docs/errors.ts';
import { EVENTS_PAGE, renderEvents } from './docs/events.ts';
import { EXIT_CODES_PAGE, renderExitCodes } from './docs/exit-codes.ts';
import { PERFORMANCE_PAGE, renderPerformance } from './docs/performance.ts';
import { renderReportSchema } from './docs/report-schema.ts';
import { renderRules, RULES_PAGE } from './docs/rules.ts';
import { renderTemplates, TEMPLATES_PAGE } from './docs/templates.ts';
import { renderWorkflowFile, WORKFLOW_FILE_PAGE } from './docs/workflow-file.ts';
import { renderRehearsalSchema, renderWorkflowSchema } from './docs/workflow-schema.ts';

const ROOT = dirname(import.meta.dirname);

/** Each page, with the function that makes it. */
const PAGES: Readonly<Record<string, () => string>> = {
  'docs/reference/errors.md': renderErrorsPage,
  [EVENTS_PAGE]: renderEvents,
  [EXIT_CODES_PAGE]: renderExitCodes,
  'docs/reference/report.schema.json': renderReportSchema,
  [RULES_PAGE]: renderRules,
  [COMPARED_PAGE]: renderClassificationCompared,
  [PERFORMANCE_PAGE]: renderPerformance,
  [API_PAGE]: renderApi,
  [API_REPORT]: renderApiReport,
  [COMMANDS_PAGE]: renderCommands,
  [DIAGNOSTICS_PAGE]: renderDiagnostics,
  [ENVIRONMENT_PAGE]: renderEnvironment,
  [TEMPLATES_PAGE]: renderTemplates,
  [WORKFLOW_FILE_PAGE]: renderWorkflowFile,
  // for programs that read reports without Errand
  'schema/report.json': renderReportSchema,
  // the first line of workflow files names it, so that editors complete them
  'schema/workflow.json': renderWorkflowSchema,
  'schema/rehearsal.json': renderRehearsalSchema,
};

const isCheck = process.argv.includes('--check');
const stale = Object.entries(PAGES).filter(([page, render]) => readPage(page) !== render());

for (const [page, render] of stale) {
  if (isCheck) console.error(`${page} is stale`);
  else {
    mkdirSync(dirname(join(ROOT, page)), { recursive: true });
    writeFileSync(join(ROOT, page), render());
    console.log(`wrote ${page}`);
  }
}
if (isCheck && stale.length > 0) {
  console.error('npm run docs writes what is stale');
  process.exitCode = 1;
} else if (stale.length === 0) console.log(`${Object.keys(PAGES).length} pages are up to date`);

function readPage(page: string): string | undefined {
  try {
    return readFileSync(join(ROOT, page), 'utf8');
  } catch (error) {
    // a missing page is written like a stale one
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
