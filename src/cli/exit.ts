/** How a command ends: the exit code of a leg, and for a refusal the report that says why. */
import { jsonText, oneLine } from '../errors/printable.ts';
import type { RunResult } from '../drivers/local.ts';
import { ErrandError } from '../errors/errand-error.ts';
import { toInternalRecord } from '../errors/internal-record.ts';
import { exitCode, forPerson } from '../errors/project.ts';
import { renderLine } from '../errors/render/line.ts';
import { renderMarkdown } from '../errors/render/markdown.ts';
import type { ErrorReport } from '../errors/report.ts';
import type { Telling } from './format.ts';
import { configured, reportOf } from './report-of.ts';
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
export function refusal(message: string, next: string, cause?: unknown): ErrandError {
  return new ErrandError(
    {
      kind: 'validation.input',
      message,
      action: { kind: 'change_input', detail: next },
    },
    { cause },
  );
}

/** Shows why nothing was done, whatever was thrown, and gives the exit code for it. */
export function refuse(thrown: unknown, telling: Telling, terminal: Terminal): number {
  const report = reportOf(thrown);
  switch (telling.format) {
    case 'json':
      terminal.out(jsonText({ error: forPerson(report) }, 2));
      break;
    case 'markdown':
      terminal.out(renderMarkdown(report));
      break;
    case 'text':
      terminal.err(telling.quiet ? renderLine(report) : refusalText(report));
      break;
  }
  if (telling.verbose) for (const text of insideOf(thrown, report)) terminal.err(text);
  return exitCode(report);
}

/** What was typed is no command of ours, which has been said; a program that asked for JSON reads it too. */
export function refuseTyped(
  message: string,
  argv: readonly string[],
  terminal: Pick<Terminal, 'out'>,
): number {
  const [said = '', ...hints] = message.replace(/^error: /, '').split('\n');
  const { report } = refusal(said, [...hints, 'See: errand --help'].join(' '));
  const asksForJson = argv.some(
    (word, at) => word === '--format=json' || (word === 'json' && argv[at - 1] === '--format'),
  );
  if (asksForJson) terminal.out(jsonText({ status: 'refused', error: forPerson(report) }, 2));
  return exitCode(report);
}

/** What was thrown, with its stacks: for whoever asks for it, and nobody else. */
export function insideOf(thrown: unknown, report: ErrorReport): readonly string[] {
  return toInternalRecord(thrown, report, configured()).thrown.flatMap(({ stack, message }) => {
    const text = stack ?? message;
    // a message in a stack has lines too, and none of them is one of ours
    return typeof text === 'string' ? [text.replaceAll('\n', '\n    ')] : [];
  });
}

function refusalText(report: ErrorReport): string {
  if (report.class === 'internal') return renderLine(report);
  return `errand: ${oneLine(report.message)}\n${oneLine(report.action.detail)}`;
}
