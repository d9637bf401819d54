/** Completion for zsh: loaded by `source`, or as a file `_errand` of a folder in `fpath`. */
import {
  LIST_RUNS,
  safeInQuotes,
  type Completable,
  type CompletedCommand,
  type CompletedOption,
} from './completed.ts';

export function zsh(
  commands: readonly CompletedCommand[],
  globals: readonly CompletedOption[],
): string {
  const list = commands.map(({ name, summary }) => `    '${safeInQuotes(`${name}:${summary}`)}'`);
  return `#compdef errand
# errand completion for zsh
_errand_runs() {
  local -a runs
  runs=(\${(f)"$(${LIST_RUNS})"})
  compadd -a "$@" runs
}
_errand_commands() {
  local -a commands
  commands=(
${list.join('\n')}
  )
  _describe -t commands command commands
}
_errand() {
  local curcontext="$curcontext" state line
  typeset -A opt_args
  _arguments -C \\
${globals.flatMap(optionSpecs).map(continued).join('')}    '1: :_errand_commands' \\
    '*:: :->rest'
  [[ "$state" = rest ]] || return
  curcontext="\${curcontext%:*:*}:errand-$words[1]:"
  case "$words[1]" in
${commands.map(commandCase).join('\n')}
  esac
}
# as a file of fpath this is the body of the function; else it is only defined
if [[ "$funcstack[1]" = _errand ]]; then _errand "$@"; else compdef _errand errand; fi`;
}

function commandCase({ name, options, arguments: given, isVariadic }: CompletedCommand): string {
  const values = given.map(({ name: what, value }, at) => {
    const place = isVariadic && at === given.length - 1 ? '*' : String(at + 1);
    return `'${place}:${what}:${action(value)}'`;
  });
  const specs = [...options.flatMap(optionSpecs), ...values].map(continued).join('');
  return `    ${name})
      _arguments -s \\
${specs.replace(/ \\\n$/, ' ;;')}`;
}

/** Once one form of an option is used, the other is no longer offered. */
function optionSpecs({
  flags,
  description,
  value,
  isRepeatable,
}: CompletedOption): readonly string[] {
  const text = `[${bracketed(description)}]`;
  const taken = value === undefined ? '' : `:value:${action(value)}`;
  const before = isRepeatable ? '*' : `(${flags.join(' ')})`;
  return flags.map((flag) => `'${before}${flag}${text}${taken}'`);
}

function action(value: Completable): string {
  switch (value.type) {
    case 'words':
      return `(${value.words.join(' ')})`;
    case 'runs':
      return value.words.length === 0
        ? '_errand_runs'
        : `{_errand_runs; compadd -- ${value.words.join(' ')}}`;
    case 'files':
      return '_files';
    case 'anything':
      return ' ';
  }
}

function continued(spec: string): string {
  return `    ${spec} \\\n`;
}

/** Escapes text for single quotes and brackets of `_arguments`, where a colon ends the description. */
function bracketed(text: string): string {
  return safeInQuotes(text).replaceAll(/[[\]\\:]/g, '\\$&');
}
