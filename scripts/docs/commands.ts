/** `docs/reference/commands.md`: every command, from the program that parses the command line. */
import type { Argument, Command, Option } from 'commander';
import { createProgram } from '../../src/cli/program/program.ts';
import { EXITS } from '../../src/errors/catalog/exit-codes.ts';
import { EXITS_OF_COMMANDS } from './exit-codes.ts';
import { cell, page, table } from './markdown.ts';

export const COMMANDS_PAGE = 'docs/reference/commands.md';

const INTRODUCTION = `Results go to stdout, all else to stderr. \`errand help COMMAND\` prints what this page says of a
command. An argument in \`<>\` is required, one in \`[]\` may be left out, and \`...\` takes several.`;

const NO_TERMINAL = {
  columns: 80,
  color: false,
  out: () => {},
  err: () => {},
  drained: async () => {},
};

export function renderCommands(): string {
  const { program } = createProgram(NO_TERMINAL);
  const commands = program.createHelp().visibleCommands(program);
  const groups = Object.entries(Object.groupBy(commands, (command) => command.helpGroup()));
  return page(
    '# Commands',
    '<!-- Made by `npm run docs` from src/cli/program. Do not edit. -->',
    INTRODUCTION,
    ...groups.flatMap(([group, members = []]) => [
      `## ${group.replace(/:$/, '')}`,
      ...members.flatMap(commandSection),
    ]),
    '## Options of `errand` itself',
    optionTable(program.createHelp().visibleOptions(program)),
    '## Exit codes',
    table(
      ['exit', 'meaning'],
      Object.entries(EXITS).map(([code, meaning]) => [code, meaning]),
    ),
    `${EXITS_OF_COMMANDS}\n[exit-codes.md](exit-codes.md) lists the kinds of failure behind each.`,
  );
}

function commandSection(command: Command): readonly string[] {
  const help = command.createHelp();
  const given = help.visibleArguments(command);
  // `help` is not part of the program, and takes nothing but its argument
  const options = command.parent === null ? [] : help.visibleOptions(command);
  return [
    `### ${command.name()}`,
    help.commandDescription(command) || help.subcommandDescription(command),
    fenced(`errand ${command.name()} ${options.length === 0 ? '[command]' : command.usage()}`),
    ...(given.length === 0 ? [] : [argumentTable(given)]),
    ...(options.length === 0 ? [] : [optionTable(options)]),
    ...examplesOf(command),
  ];
}

function argumentTable(given: readonly Argument[]): string {
  return table(
    ['argument', 'meaning', 'default'],
    given.map((each) => [code(bracketed(each)), cell(each.description), code(each.defaultValue)]),
  );
}

function optionTable(options: readonly Option[]): string {
  return table(
    ['option', 'meaning', 'values', 'default'],
    options.map((option) => [
      code(option.flags),
      `${cell(option.description)}${option.mandatory ? ' (required)' : ''}`,
      (option.argChoices ?? []).map(code).join(', '),
      // an option that turns something off has the default `true`, which says nothing
      option.negate ? '' : code(option.defaultValue),
    ]),
  );
}

/** The examples that a command prints below its help. */
function examplesOf(command: Command): readonly string[] {
  let help = '';
  command.configureOutput({ writeOut: (text) => void (help += text) }).outputHelp();
  const examples = /\nExamples?:\n(?<lines>(?: {2}.+\n)+)/.exec(help)?.groups?.['lines'];
  return examples === undefined ? [] : [fenced(examples.replaceAll(/^ {2}/gm, ''))];
}

function bracketed(given: Argument): string {
  const words = `${given.name()}${given.variadic ? '...' : ''}`;
  return given.required ? `<${words}>` : `[${words}]`;
}

function fenced(text: string): string {
  return ['```sh', text.trimEnd(), '```'].join('\n');
}

function code(value: unknown): string {
  if (value === undefined) return '';
  return `\`${cell(typeof value === 'string' ? value : JSON.stringify(value))}\``;
}
