/** Completion for fish. */
import {
  LIST_RUNS,
  safeInQuotes,
  type Completable,
  type CompletedCommand,
  type CompletedOption,
} from './completed.ts';

export function fish(
  commands: readonly CompletedCommand[],
  globals: readonly CompletedOption[],
): string {
  return [
    '# errand completion for fish',
    'complete -c errand -f',
    ...globals.map((option) => optionLine(option, '__fish_use_subcommand')),
    ...commands.flatMap((command) => [
      `complete -c errand -n __fish_use_subcommand -a ${command.name} -d '${safeInQuotes(command.summary)}'`,
      ...commandLines(command),
    ]),
  ].join('\n');
}

function commandLines({ name, options, arguments: given }: CompletedCommand): readonly string[] {
  const condition = `'__fish_seen_subcommand_from ${name}'`;
  return [
    ...options.map((option) => optionLine(option, condition)),
    ...given.flatMap(({ value }) => {
      const offered = offer(value);
      // where another argument follows, this one is offered only as the first word
      const first =
        given.length > 1
          ? `'__fish_seen_subcommand_from ${name}; and test (count (commandline -opc)) -lt 3'`
          : condition;
      return offered === '' ? [] : [`complete -c errand -n ${first} ${offered}`];
    }),
  ];
}

function optionLine({ flags, description, value }: CompletedOption, condition: string): string {
  const names = flags.map((flag) =>
    flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
  );
  const taken = value === undefined ? '' : ` -r ${offer(value)}`.trimEnd();
  return `complete -c errand -n ${condition} ${names.join(' ')}${taken} -d '${safeInQuotes(description)}'`;
}

function offer(value: Completable): string {
  switch (value.type) {
    case 'words':
      return `-f -a '${value.words.join(' ')}'`;
    case 'runs':
      return `-f -a '${[...value.words, `(${LIST_RUNS})`].join(' ')}'`;
    case 'files':
      return '-F';
    case 'anything':
      return '';
  }
}
