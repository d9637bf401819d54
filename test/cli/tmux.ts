/** A person at a terminal: a shell in tmux, its input, and its screen. */
import { execFileSync, spawnSync } from 'node:child_process';
import { setTimeout as after } from 'node:timers/promises';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import type { Place } from './errand.ts';

export const HAS_TMUX = spawnSync('tmux', ['-V']).status === 0;

// an unnoticed skip would look like a pass
if (!HAS_TMUX) process.emitWarning('tmux is not here, so nothing was driven as a person would');

export interface Session {
  /** A line, and Enter. */
  type(text: string): void;
  /** A key by its name in tmux, such as `C-c`. */
  press(...keys: readonly string[]): void;
  /** The screen, once it shows this; throws with the screen if it never does. */
  until(wanted: RegExp): Promise<string>;
  close(): void;
}

const PATIENCE_MS = 300_000;
const LOOK_MS = 50;

export function openSession(place: Place): Session {
  const name = `errand-${process.pid}-${Math.trunc(performance.now())}`;
  const tmux = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-L', name, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      // boxes and marks are no ASCII
      env: { ...place.env, LC_ALL: 'C.UTF-8', TERM: 'xterm-256color' },
    });
  const shell = `cd '${place.folder}' && errand() { '${process.execPath}' '${LAUNCHER}' "$@"; }; PS1='ready> '`;
  const size = ['-x', '80', '-y', '40'];
  tmux('-u', 'new-session', '-d', ...size, 'bash', '--norc', '--noprofile');
  const screen = (): string => tmux('capture-pane', '-p');
  const session: Session = {
    type: (text) => {
      tmux('send-keys', '-l', text);
      tmux('send-keys', 'Enter');
    },
    press: (...keys) => void tmux('send-keys', ...keys),
    async until(wanted) {
      const end = performance.now() + PATIENCE_MS;
      for (;;) {
        const seen = screen();
        if (wanted.test(seen)) return seen;
        if (performance.now() > end) throw new Error(`${String(wanted)} never came:\n${seen}`);
        await after(LOOK_MS);
      }
    },
    close: () => void spawnSync('tmux', ['-L', name, 'kill-server']),
  };
  session.type(`${shell}; clear`);
  return session;
}
