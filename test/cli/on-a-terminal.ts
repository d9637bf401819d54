/** A command on a pseudo terminal, by Python's pty: a test has no other way to be a terminal. */
import { spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import type { Place } from './errand.ts';

const SCRIPT = join(import.meta.dirname, 'on-a-terminal.py');

export const HAS_TERMINALS =
  spawnSync('python3', ['-c', 'import pty, os; os.close(pty.openpty()[0])']).status === 0;

// an unnoticed skip would look like a pass
if (!HAS_TERMINALS)
  process.emitWarning('python3 with pty is not here, so nothing was tried on a terminal');

export interface OnTerminal {
  readonly exit: number;
  /** Everything that was ever written, in order. */
  readonly written: string;
  /** The screen at the end, line by line. */
  readonly screen: readonly string[];
}

export interface TerminalOrder {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** A text to wait for, and the keys to type then. */
  readonly keys?: readonly (readonly [string, string])[];
}

export async function onTerminal(
  place: Place,
  args: readonly string[],
  { columns = 80, rows = 24, env = {}, keys = [] }: TerminalOrder = {},
): Promise<OnTerminal> {
  const order = {
    args: [process.execPath, LAUNCHER, ...args],
    cwd: place.folder,
    env: { ...place.env, TERM: 'xterm-256color', ...env },
    columns,
    rows,
    keys,
    timeoutSeconds: 60,
  };
  const child = spawn('python3', [SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(order));
  const { exit, screen } = JSON.parse(await text(child.stdout)) as {
    readonly exit: number;
    readonly screen: string;
  };
  return { exit, written: screen, screen: seen(screen) };
}

/** The few features of a terminal that our own output and readline need. */
function seen(written: string): readonly string[] {
  const lines: string[] = [''];
  let row = 0;
  let column = 0;
  const put = (character: string): void => {
    const line = (lines[row] ?? '').padEnd(column);
    lines[row] = line.slice(0, column) + character + line.slice(column + 1);
    column++;
  };
  const pattern = /\u001b\[(?<sequence>[?\d;]*)(?<command>[A-Za-z])|(?<character>[\s\S])/gu;
  for (const { groups = {} } of written.matchAll(pattern)) {
    const { sequence = '', command, character } = groups;
    const count = Number(sequence === '' ? '1' : sequence);
    if (character === '\n') row++;
    else if (character === '\r') column = 0;
    else if (character !== undefined) put(character);
    else if (command === 'A') row = Math.max(0, row - count);
    else if (command === 'G') column = count - 1;
    else if (command === 'K') lines[row] = (lines[row] ?? '').slice(0, column);
    else if (command === 'J') {
      lines[row] = (lines[row] ?? '').slice(0, column);
      lines.length = row + 1;
    }
    while (lines.length <= row) lines.push('');
  }
  return lines.map((line) => line.trimEnd());
}
