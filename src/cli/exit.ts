/** Exit codes: that of a leg, and that of a refusal, from its report. */
import { onScreen } from '../errors/support/on-screen.ts';
import { jsonText } from '../errors/support/printable.ts';
import type { RunResult } from '../engine/backend.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import { toInternalRecord } from '../errors/thrown/internal-record.ts';
import { exitCode, forPerson } from '../errors/report/audiences.ts';
import { renderLine } from '../errors/render/line.ts';
import { renderMarkdown } from '../errors/render/markdown.ts';
import type { ErrorReport } from '../errors/report/report.ts';
import type { OutputOptions } from './format.ts';
import { INTERRUPTED } from './guard/command-end.ts';
import { configured, reportOf } from './report-of.ts';
import { failurePanel } from './screen/failure-panel.ts';
import type { Terminal } from './terminal.ts';

/** Exits that belong to no kind of failure; every other exit comes from the catalog. */
const EXIT = {
  completed: 0,
  failed: 3,
  paused: 5,
  store: 6,
  cancelled: INTERRUPTED,
  interrupted: INTERRUPTED,
};

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

/** Refuses what was typed; nothing was run. */
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

/** Prints why nothing was done, whatever was thrown, and returns the exit code. */
export function refuse(thrown: unknown, output: OutputOptions, terminal: Terminal): number {
  const report = reportOf(thrown);
  switch (output.format) {
    case 'json':
      terminal.out(jsonText({ error: forPerson(report) }, 2));
      break;
    case 'markdown':
    case 'text':
      printRefusal(report, output, terminal);
      break;
  }
  if (output.verbose) for (const text of insideOf(thrown, report)) terminal.err(text);
  return exitCode(report);
}

/** The form that a refusal has for people, the same for every command. */
export function printRefusal(
  error: ErrorReport,
  { format, quiet }: { readonly format: string; readonly quiet?: boolean | undefined },
  terminal: Pick<Terminal, 'out' | 'err' | 'notes' | 'columns' | 'color'>,
  commands: readonly string[] = [],
): void {
  if (format === 'markdown') terminal.out(renderMarkdown(error));
  else if (quiet === true) terminal.err(renderLine(error));
  else terminal.err(failurePanel(onScreen({ error, commands }), terminal.notes ?? terminal));
}

/** Refuses an unknown command. Commander has printed the message; programs get it as JSON too. */
export function refuseTyped(
  message: string,
  argv: readonly string[],
  terminal: Pick<Terminal, 'out'>,
): number {
  const [first = '', ...hints] = message.replace(/^error: /, '').split('\n');
  const { report } = refusal(first, [...hints, 'See: errand --help'].join(' '));
  const asksForJson = argv.some(
    (word, at) => word === '--format=json' || (word === 'json' && argv[at - 1] === '--format'),
  );
  if (asksForJson) terminal.out(jsonText({ status: 'refused', error: forPerson(report) }, 2));
  return exitCode(report);
}

/** Returns what was thrown, with its stacks: for `--verbose` only. */
export function insideOf(thrown: unknown, report: ErrorReport): readonly string[] {
  return toInternalRecord(thrown, report, configured()).thrown.flatMap(({ stack, message }) => {
    const text = stack ?? message;
    // indented, so that a line of a foreign message cannot pass for one of ours
    return typeof text === 'string' ? [text.replaceAll('\n', '\n    ')] : [];
  });
}
