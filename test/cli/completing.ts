/** Asks a real shell for the completions of a line. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import type { Place } from './errand.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

export function hasShell(shell: Shell): boolean {
  return spawnSync(shell, ['-c', 'exit 0']).status === 0;
}

/**
 * Writes the scripts of the place into `scripts`, as people would keep them; `errand` is in the
 * path.
 */
export function prepare(place: Place): void {
  const bin = join(place.folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'errand'), `#!/bin/sh\nexec '${process.execPath}' '${LAUNCHER}' "$@"\n`);
  chmodSync(join(bin, 'errand'), 0o755);
  mkdirSync(join(place.folder, 'scripts'));
  for (const [shell, name] of Object.entries(NAMES))
    writeFileSync(join(place.folder, 'scripts', name), place.run(['completion', shell]).stdout);
}

/** zsh finds completions by the name of their file. */
const NAMES: Record<Shell, string> = { bash: 'errand.bash', zsh: '_errand', fish: 'errand.fish' };

/** The words that the shell would offer at the end of each line, all in one shell. */
export function offered(
  shell: Shell,
  lines: readonly string[],
  place: Place,
): ReadonlyMap<string, readonly string[]> {
  const { status, stdout, stderr } = spawnSync(shell, [...START[shell], ASKING[shell]], {
    cwd: place.folder,
    encoding: 'utf8',
    timeout: 300_000,
    env: {
      ...place.env,
      PATH: [join(place.folder, 'bin'), place.env['PATH']].join(delimiter),
      HOME: place.folder,
      TERM: 'dumb',
      LINES_TO_ASK: lines.join('\n'),
    },
  });
  if (status !== 0 || stderr !== '') throw new Error(`${shell} ended with ${status}: ${stderr}`);
  const answers = stdout.split('--end--\n').map((text) => text.split('\n'));
  // zsh prints a word as a person would type it
  const words = (answer: readonly string[]): string[] =>
    answer.filter((word) => word !== '').map((word) => word.replaceAll('\\', ''));
  return new Map(
    lines.map((line, at) => [line, [...new Set(words(answers[at] ?? []))].toSorted()]),
  );
}

const START: Record<Shell, readonly string[]> = {
  bash: ['--norc', '-c'],
  zsh: ['-f', '-c'],
  fish: ['--no-config', '-c'],
};

const ASKING: Record<Shell, string> = {
  bash: `source scripts/errand.bash
while IFS= read -r line; do
  IFS=' ' read -r -a COMP_WORDS <<< "$line"
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _errand
  printf '%s\\n' "\${COMPREPLY[@]}" --end--
done <<< "$LINES_TO_ASK"`,
  // fish also describes each word
  fish: `source scripts/errand.fish
for line in (string split \\n -- $LINES_TO_ASK)
  complete -C $line | string replace -r '\\t.*' ''
  echo --end--
end`,
  /*
   * zsh completes only at a prompt: a shell inside the shell gets each line and a tab. The offered
   * words go to a file, and a line there marks their end.
   */
  zsh: `zmodload zsh/zpty
zpty inner 'zsh -f -i'
zpty -w inner 'PROMPT= RPROMPT=; fpath=($PWD/scripts $fpath); autoload -U compinit; compinit -D -u
compadd() {
  if [[ " \${@[1,(i)(-|--)]} " == *" -"[A-Za-z12]#[OAD]" "* ]]; then builtin compadd "$@"; return; fi
  local -a hits; builtin compadd -A hits "$@"; (( $#hits )) && print -rl -- $hits >> offered.txt
  builtin compadd "$@"
}
finish() { print -r -- --end-- >> offered.txt; comppostfuncs=(finish) }
comppostfuncs=(finish); bindkey "^I" complete-word; bindkey "^U" kill-whole-line
: > offered.txt; print rea""dy'
zpty -r -m inner said '*ready*'
asked=0
for line in \${(f)LINES_TO_ASK}; do
  (( asked++ ))
  zpty -w -n inner $'\\C-u'"$line"$'\\t'
  repeat 2000; do
    (( $(grep -c -e --end-- offered.txt) >= asked )) && break
    zpty -r -t inner said; sleep 0.005
  done
done
zpty -d inner
cat offered.txt`,
};
