/** `errand completion`: prints the script with which a shell completes commands, options, files and runs. */
import type { Command } from 'commander';
import { suggest } from '../../errors/support/suggest.ts';
import { bash } from '../completion/bash.ts';
import { completedCommands, globalOptions, SHELL_NAMES } from '../completion/completed.ts';
import { fish } from '../completion/fish.ts';
import { zsh } from '../completion/zsh.ts';
import { refusal } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

const SHELLS = { bash, zsh, fish } as const;

export function completion(shell: string, program: Command, terminal: Terminal): number {
  const name = SHELL_NAMES.find((known) => known === shell);
  if (name === undefined) {
    const meant = suggest(shell, SHELL_NAMES);
    throw refusal(
      `There is no completion for ${shell.slice(0, 40)}`,
      `${meant === undefined ? '' : `Did you mean ${meant}? `}Give one of: ${SHELL_NAMES.join(', ')}`,
    );
  }
  terminal.out(SHELLS[name](completedCommands(program), globalOptions(program)));
  return 0;
}
