/** What every command is given, and the options that several of them share. */
import { Option, type Command } from 'commander';
import { FORMATS, type Format } from '../format.ts';
import type { Terminal } from '../terminal.ts';

export interface CliContext {
  readonly program: Command;
  readonly terminal: Terminal;
  /** Set by the command that runs, so that a failure is shown in the format that was asked for. */
  format: Format;
}

export function formatOption(formats: readonly Format[] = FORMATS): Option {
  return new Option('--format <format>', 'how to print it').choices(formats).default('text');
}

/** Also by the name of an extension, which is known when the workflow is loaded. */
export function anyFormatOption(): Option {
  return formatOption().argParser((name: string) => name);
}

/** What a failure is shown in where the extension is not known yet. */
export function ownFormat(format: string): Format {
  return FORMATS.find((known) => known === format) ?? 'text';
}

/** Of an option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** `Examples:` under the help of a command. */
export function examples(...lines: readonly string[]): string {
  return `\nExample${lines.length === 1 ? '' : 's'}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
