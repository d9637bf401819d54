/** `errand completion`: what a shell needs to complete commands and options, made from the commands. */
import type { Command } from 'commander';
import { suggest } from '../../errors/suggest.ts';
import { refusal } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

interface Completed {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  /** Whether its arguments are files. */
  readonly takesFiles: boolean;
}

interface CompletedOption {
  readonly flags: readonly string[];
  readonly description: string;
  readonly choices: readonly string[];
  readonly takesValue: boolean;
}

const SHELLS = { bash, zsh, fish } as const;

export function completion(shell: string, program: Command, terminal: Terminal): number {
  const make = Object.hasOwn(SHELLS, shell) ? SHELLS[shell as keyof typeof SHELLS] : undefined;
  if (make === undefined) {
    const meant = suggest(shell, Object.keys(SHELLS));
    throw refusal(
      `There is no completion for ${shell.slice(0, 40)}`,
      `${meant === undefined ? '' : `Did you mean ${meant}? `}Give one of: ${Object.keys(SHELLS).join(', ')}`,
    );
  }
  terminal.out(make(program.commands.map(completed)));
  return 0;
}

function completed(command: Command): Completed {
  return {
    name: command.name(),
    summary: command.summary(),
    options: command.options.map(({ short, long, description, argChoices, required }) => ({
      flags: [short, long].filter((flag) => typeof flag === 'string'),
      description,
      choices: argChoices ?? [],
      takesValue: required,
    })),
    takesFiles: command.registeredArguments.some((argument) => argument.name() === 'file'),
  };
}

function bash(commands: readonly Completed[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  const cases = commands.map(({ name, options, takesFiles }) => {
    const flags = options.flatMap(({ flags: all }) => all).join(' ');
    const words = name === 'completion' ? `${flags} ${Object.keys(SHELLS).join(' ')}` : flags;
    const files = takesFiles ? ' COMPREPLY+=($(compgen -f -- "$current"));' : '';
    return `    ${name}) COMPREPLY=($(compgen -W "${words.trim()}" -- "$current"));${files} ;;`;
  });
  return `# errand completion for bash
_errand() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  if [ "$previous" = --format ]; then
    COMPREPLY=($(compgen -W "text json markdown" -- "$current"))
    return
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names} --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
}
complete -o filenames -F _errand errand`;
}

function zsh(commands: readonly Completed[]): string {
  const list = commands.map(({ name, summary }) => `    '${name}:${quoted(summary)}'`);
  const cases = commands.map(({ name, options, takesFiles }) => {
    const specs = options.flatMap(({ flags, description, choices, takesValue }) => {
      const values = choices.length === 0 ? '_files' : `(${choices.join(' ')})`;
      const value = takesValue ? `:value:${values}` : '';
      return flags.map((flag) => `'${flag}[${quoted(description)}]${value}'`);
    });
    const rest =
      name === 'completion'
        ? [`'1:shell:(${Object.keys(SHELLS).join(' ')})'`]
        : [takesFiles ? "'*:file:_files'" : "'*: :'"];
    return `    ${name}) _arguments ${[...specs, ...rest].join(' ')} ;;`;
  });
  return `#compdef errand
# errand completion for zsh
_errand() {
  local -a commands
  commands=(
${list.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case "$words[1]" in
${cases.join('\n')}
  esac
}
compdef _errand errand`;
}

function fish(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ name, summary, options, takesFiles }) => [
    `complete -c errand -n __fish_use_subcommand -f -a ${name} -d '${quoted(summary)}'`,
    ...options.map(({ flags, description, choices, takesValue }) => {
      const names = flags.map((flag) =>
        flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
      );
      const values = choices.length === 0 ? '' : ` -f -a '${choices.join(' ')}'`;
      const value = takesValue ? ' -r' : '';
      return `complete -c errand -n '__fish_seen_subcommand_from ${name}' ${names.join(' ')}${value}${values} -d '${quoted(description)}'`;
    }),
    ...(takesFiles ? [] : [`complete -c errand -n '__fish_seen_subcommand_from ${name}' -f`]),
  ]);
  const shells = `complete -c errand -n '__fish_seen_subcommand_from completion' -f -a '${Object.keys(SHELLS).join(' ')}'`;
  return ['# errand completion for fish', ...lines, shells].join('\n');
}

/** Inside single quotes of a shell, and of zsh's own lists. */
function quoted(text: string): string {
  return text
    .replaceAll("'", '’')
    .replaceAll(/[[\]:]/g, ' ')
    .replaceAll('`', '');
}
