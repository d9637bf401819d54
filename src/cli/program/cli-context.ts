/** The context of every command, and the options that several commands share. */
import { Option, type Command } from 'commander';
import { FORMATS, type Format, type OutputOptions } from '../format.ts';
import type { Terminal } from '../terminal.ts';

export interface CliContext {
  readonly program: Command;
  readonly terminal: Terminal;
  /** How the running command prints, so that a failure has the same form as its result. */
  output: OutputOptions;
  /** Sends the spans and metrics of the command before it ends; undefined where it has none. */
  endTelemetry?: () => Promise<void>;
}

/** Adds each command to the program, by the name of the command. */
export type Commands = Readonly<Record<string, (cli: CliContext) => void>>;

export function formatOption(formats: readonly Format[] = FORMATS): Option {
  return new Option('--format <format>', 'how to print it').choices(formats).default('text');
}

/** `--format json` for commands with a single output format; affects errors only. */
export function onlyJsonOption(): Option {
  return new Option('--format <format>', 'how to print a refusal').choices(['json']);
}

/** Takes the name of an extension too, which is resolved when the workflow is loaded. */
export function anyFormatOption(): Option {
  return formatOption().argParser((name: string) => name);
}

export function eventsOption(what: string): Option {
  return new Option('--json', `print ${what}, one per line`);
}

/** Events are lines of JSON, so `--json` excludes every other format. */
export async function refuseTwoForms(command: Command): Promise<void> {
  const { json, format } = command.opts<{ readonly json?: boolean; readonly format?: string }>();
  const isTyped = command.getOptionValueSource('format') === 'cli';
  if (json !== true || !isTyped || format === 'json') return;
  const { refusal } = await import('../exit.ts');
  throw refusal(
    `Give either --json or --format ${format}, not both`,
    'Leave one out: --json prints events as JSON.',
  );
}

export function quietOption(what = 'print only the result'): Option {
  return new Option('-q, --quiet', what).conflicts('verbose');
}

export function verboseOption(what = 'include internal details of an Errand bug'): Option {
  return new Option('-v, --verbose', what);
}

/** Another way to write ERRAND_PROVIDER, for one command. */
export function providerOption(): Option {
  return new Option(
    '--provider <name>',
    'the provider that stands in for the one of the file; `sim` plays every model, without a key; default: ERRAND_PROVIDER',
  ).argParser((name: string) => {
    process.env['ERRAND_PROVIDER'] = name;
    return name;
  });
}

/** Collects the values of an option that may be repeated. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** `Examples:` under the help of a command. */
export function examples(...lines: readonly string[]): string {
  return `\nExample${lines.length === 1 ? '' : 's'}:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}

/** Everything is resolved from the current folder, so nothing works without it. */
export async function refuseGoneFolder(): Promise<void> {
  try {
    process.cwd();
  } catch (thrown) {
    const { refusal } = await import('../exit.ts');
    throw refusal(
      'The current folder no longer exists',
      'Change to a folder that exists, and try again.',
      thrown,
    );
  }
}
