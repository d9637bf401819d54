/** Completion for bash, of any version in use. */
import {
  LIST_RUNS,
  type Completable,
  type CompletedCommand,
  type CompletedOption,
} from './completed.ts';

export function bash(
  commands: readonly CompletedCommand[],
  globals: readonly CompletedOption[],
): string {
  const names = commands.map(({ name }) => name).join(' ');
  return `# errand completion for bash
_errand_files() {
  local IFS=$'\\n'
  # a name is quoted, and a folder gets its slash, only where files are meant
  compopt -o filenames 2>/dev/null
  COMPREPLY+=($(compgen -f -- "$1"))
}
_errand() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command= word at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    for word in ${names}; do
      [ "\${COMP_WORDS[at]}" = "$word" ] && command="$word" && break 2
    done
  done
  case "$command $previous" in
${valueCases(commands, globals).join('\n')}
  esac
  case "$command" in
    '') ${replies({ type: 'words', words: [...commands.map(({ name }) => name), ...flagsOf(globals)] })} ;;
${commands.map(commandCase).join('\n')}
  esac
}
complete -F _errand errand`;
}

/** The cases for the value of an option. */
function valueCases(
  commands: readonly CompletedCommand[],
  globals: readonly CompletedOption[],
): readonly string[] {
  const all = [{ name: '', options: globals }, ...commands];
  return all.flatMap(({ name, options }) =>
    options.flatMap(({ flags, value }) => {
      if (value === undefined) return [];
      const patterns = flags.map((flag) => `"${name} ${flag}"`).join('|');
      return [`    ${patterns}) ${replies(value)} return ;;`];
    }),
  );
}

function commandCase({ name, options, arguments: given }: CompletedCommand): string {
  const flags = replies({ type: 'words', words: flagsOf(options) });
  const [first] = given;
  const values = first === undefined ? '' : replies(first.value);
  if (given.length > 1) return placedCase(name, options, given);
  return `    ${name})
      case "$current" in
        -*) ${flags} ;;
        *) ${values === '' ? ':' : values} ;;
      esac ;;`;
}

/** For several arguments, counts those before the cursor, without values of options. */
function placedCase(
  name: string,
  options: readonly CompletedOption[],
  given: CompletedCommand['arguments'],
): string {
  const taking = options.filter(({ value }) => value !== undefined);
  const places = given.map(({ value }, at) => `${at}) ${replies(value) || ':'} ;;`);
  return `    ${name})
      local place=0 taking=" ${flagsOf(taking).join(' ')} "
      for ((at++; at < COMP_CWORD; at++)); do
        case "\${COMP_WORDS[at]}" in
          -*) ;;
          *) case "$taking" in *" \${COMP_WORDS[at-1]} "*) ;; *) ((place++)) ;; esac ;;
        esac
      done
      case "$current" in
        -*) ${replies({ type: 'words', words: flagsOf(options) })} ;;
        *) case $place in ${places.join(' ')} esac ;;
      esac ;;`;
}

function flagsOf(options: readonly CompletedOption[]): readonly string[] {
  return options.flatMap(({ flags }) => flags);
}

function replies(value: Completable): string {
  switch (value.type) {
    case 'words':
      return `COMPREPLY+=($(compgen -W "${value.words.join(' ')}" -- "$current"));`;
    case 'runs':
      return `COMPREPLY+=($(compgen -W "${[...value.words, `$(${LIST_RUNS})`].join(' ')}" -- "$current"));`;
    case 'files':
      return '_errand_files "$current";';
    case 'anything':
      return '';
  }
}
