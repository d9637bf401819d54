/** Collects what can be completed from the commands themselves, so that no list can become stale. */
import type { Argument, Command, Option } from 'commander';
import { RUNTIME_KINDS } from '../../errors/catalog/catalog.ts';

/** The values of an argument or option: a few words, files, runs of this project, or anything. */
export type Completable =
  | { readonly type: 'words'; readonly words: readonly string[] }
  | { readonly type: 'files' }
  | { readonly type: 'runs'; readonly words: readonly string[] }
  | { readonly type: 'anything' };

export interface CompletedOption {
  readonly flags: readonly string[];
  readonly description: string;
  /** Undefined for a flag. */
  readonly value: Completable | undefined;
  readonly isRepeatable: boolean;
}

export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  /** In order; the last one repeats where `isVariadic`. */
  readonly arguments: readonly { readonly name: string; readonly value: Completable }[];
  readonly isVariadic: boolean;
}

export const SHELL_NAMES = ['bash', 'zsh', 'fish'] as const;

/** Calls the command itself; it creates nothing, and prints nothing where there is no run. */
export const LIST_RUNS = 'errand runs --quiet --limit 50 2>/dev/null';

export function completedCommands(program: Command): readonly CompletedCommand[] {
  const help = program.createHelp();
  return help.visibleCommands(program).map((command) => ({
    name: command.name(),
    summary: command.summary(),
    options: help.visibleOptions(command).map(completedOption),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      value: argumentValue(command, argument, program),
    })),
    isVariadic: command.registeredArguments.at(-1)?.variadic === true,
  }));
}

/** The options of `errand` itself. */
export function globalOptions(program: Command): readonly CompletedOption[] {
  return program.createHelp().visibleOptions(program).map(completedOption);
}

function completedOption(option: Option): CompletedOption {
  const { short, long, description, required, argChoices, parseArg } = option;
  return {
    flags: [short, long].filter((flag) => typeof flag === 'string'),
    description,
    value: required ? optionValue(option.flags, argChoices) : undefined,
    // an option that may be repeated has a parser that collects
    isRepeatable: parseArg !== undefined && argChoices === undefined,
  };
}

function optionValue(flags: string, choices: readonly string[] | undefined): Completable {
  if (choices !== undefined) return { type: 'words', words: choices };
  return flags.includes('<file>') ? { type: 'files' } : { type: 'anything' };
}

function argumentValue(command: Command, argument: Argument, program: Command): Completable {
  if (argument.argChoices !== undefined) return { type: 'words', words: argument.argChoices };
  switch (argument.name()) {
    case 'file':
      return { type: 'files' };
    case 'run':
      return { type: 'runs', words: [] };
    case 'kind-or-run':
      return { type: 'runs', words: RUNTIME_KINDS };
    case 'shell':
      return { type: 'words', words: SHELL_NAMES };
    case 'command':
      return { type: 'words', words: program.commands.map((each) => each.name()) };
    default:
      return { type: 'anything' };
  }
}

/** Makes text safe inside single quotes of a shell. */
export function safeInQuotes(text: string): string {
  return text.replaceAll("'", '’').replaceAll('`', '');
}
