/** What every command is given, and the options that several of them share. */
import { Option, type Command } from 'commander';
import { FORMATS, type Format, type Telling } from '../format.ts';
import type { Terminal } from '../terminal.ts';

export interface CliContext {
  readonly program: Command;
  readonly terminal: Terminal;
  /** What the command that runs was asked for, so that a failure is told as its answer would be. */
  telling: Telling;
}

export function formatOption(formats: readonly Format[] = FORMATS): Option {
  return new Option('--format <format>', 'how to print it').choices(formats).default('text');
}

/** Of a command whose answer has one form: a refusal may have this one. */
export function onlyJsonOption(): Option {
  return new Option('--format <format>', 'how to print a refusal').choices(['json']);
}

/** Also by the name of an extension, which is known when the workflow is loaded. */
export function anyFormatOption(): Option {
  return formatOption().argParser((name: string) => name);
}

export function eventsOption(what: string): Option {
  return new Option('--json', `print ${what}, one per line`);
}

/** Events are lines of JSON, so a form that is another one cannot be meant as well. */
export async function refuseTwoForms(command: Command): Promise<void> {
  const { json, format } = command.opts<{ readonly json?: boolean; readonly format?: string }>();
  const isSaid = command.getOptionValueSource('format') === 'cli';
  if (json !== true || !isSaid || format === 'json') return;
  const { refusal } = await import('../exit.ts');
  throw refusal(
    `--json and --format ${format} were given, and only one can be meant`,
    'Leave one out: events are one JSON object a line.',
  );
}

export function quietOption(what = 'print only the result'): Option {
  return new Option('-q, --quiet', what).conflicts('verbose');
}

export function verboseOption(what = 'include internal details of an Errand bug'): Option {
  return new Option('-v, --verbose', what);
}

/** Of an option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** `Examples:` under the help of a command. */
export function examples(...lines: readonly string[]): string {
  return `\nExample${lines.length === 1 ? '' : 's'}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

/** Everything is looked for from here, so without it nothing can be found. */
export async function refuseGoneFolder(): Promise<void> {
  try {
    process.cwd();
  } catch (thrown) {
    const { refusal } = await import('../exit.ts');
    throw refusal(
      'The folder that this command was started in is gone',
      'Go to a folder that is there, and try again.',
      thrown,
    );
  }
}
