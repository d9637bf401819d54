/** How a command ends: the exit code of a leg, and for a refusal the report that says why. */
import type { RunResult } from '../drivers/local.ts';
import { ErrandError } from '../errors/errand-error.ts';
import { exitCode, forPerson } from '../errors/project.ts';
import { renderLine } from '../errors/render/line.ts';
import { renderMarkdown } from '../errors/render/markdown.ts';
import type { ErrorReport } from '../errors/report.ts';
import { toReport } from '../errors/to-report.ts';
import type { Format } from './format.ts';
import type { Terminal } from './terminal.ts';

/** Ends that no kind of failure stands for; every other exit is that of its kind in the catalog. */
const EXIT = { completed: 0, failed: 3, paused: 5, store: 6, cancelled: 130, interrupted: 130 };

export function exitOf(result: RunResult): number {
  switch (result.status) {
    case 'completed':
    case 'paused':
    case 'cancelled':
      return EXIT[result.status];
    case 'failed':
      // after the start, an invalid value is an ordinary failure
      return result.error.class === 'validation' ? EXIT.failed : exitCode(result.error);
    case 'interrupted':
      return result.error === undefined ? Number(process.exitCode ?? EXIT.interrupted) : EXIT.store;
  }
}

/** What was typed cannot be done; nothing was run. */
export function refusal(message: string, next: string): ErrandError {
  return new ErrandError({
    kind: 'validation.input',
    message,
    action: { kind: 'change_input', detail: next },
  });
}

/** Shows why nothing was done, whatever was thrown, and gives the exit code for it. */
export function refuse(thrown: unknown, format: Format, terminal: Terminal): number {
  const report = toReport(thrown);
  switch (format) {
    case 'json':
      terminal.out(JSON.stringify({ error: forPerson(report) }, null, 2));
      break;
    case 'markdown':
      terminal.out(renderMarkdown(report));
      break;
    case 'text':
      terminal.err(refusalText(report));
      break;
  }
  return exitCode(report);
}

function refusalText(report: ErrorReport): string {
  if (report.class === 'internal') return renderLine(report);
  return `errand: ${report.message}\n${report.action.detail}`;
}
