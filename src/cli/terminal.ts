/**
 * The terminal: where output goes. Results go to stdout, all else to stderr, and every byte of both is
 * written here.
 */
import { once } from 'node:events';
import { noteLostOutput } from './guard/command-end.ts';
import { leave } from './session/interrupt.ts';
import { toScreen } from './screen/to-screen.ts';

export interface Terminal {
  /** The width of stdout. */
  readonly columns: number;
  readonly color: boolean;
  out(text: string): void;
  err(text: string): void;
  /** Resolves when a slow reader has caught up; commands with long output wait for it. */
  drained(): Promise<void>;
  /** Width and colour of stderr, where notes go. Default: as stdout. */
  readonly notes?: { readonly columns: number; readonly color: boolean };
  /** Only where stderr is a terminal that can be drawn on. */
  readonly screen?: Screen;
  /** Only at an interactive terminal; undefined means Ctrl-C, the end of the input, or the signal. */
  readonly ask?: (question: string, signal: AbortSignal) => Promise<string | undefined>;
}

export interface Screen {
  size(): { readonly columns: number; readonly rows: number };
  /** Draws lines over the last `over` lines above the cursor, and clears what is below them. */
  draw(lines: readonly string[], over: number): void;
}

/** Synchronized output: terminals that know it show a picture only when it is whole; others ignore it. */
const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  // taken before the command replaces them for code that is not ours
  const write = stdout.write.bind(stdout);
  const writeNote = stderr.write.bind(stderr);
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isUnread(error)) return leave(Number(process.exitCode ?? 0));
    // the work is stored; only printing has failed
    writeNote(`errand: cannot write to stdout (${error.code ?? 'unknown'})\n`);
    noteLostOutput();
    leave(1);
  });
  stderr.on('error', (error: NodeJS.ErrnoException) => {
    // a full disk may refuse notes while the result can still be printed
    if (isUnread(error)) leave(Number(process.exitCode ?? 0));
  });
  const isDrawable = stderr.isTTY && env['TERM'] !== 'dumb';
  const color = wantsColor(stdout.isTTY, env);
  const notes = {
    columns: stderr.columns || stdout.columns || 80,
    color: wantsColor(stderr.isTTY, env),
  };
  return {
    columns: stdout.columns || stderr.columns || 80,
    color,
    notes,
    out: (text) => void write(`${toScreen(text, { color })}\n`),
    err: (text) => void writeNote(`${toScreen(text, notes)}\n`),
    drained: async () => {
      if (stdout.writableNeedDrain) await once(stdout, 'drain');
    },
    ...(isDrawable
      ? {
          screen: {
            size: () => ({ columns: stderr.columns || 80, rows: stderr.rows || 24 }),
            draw: (lines, over) => void writeNote(picture(lines, over, notes.color)),
          },
        }
      : {}),
    // in this order: asking stdin whether it is a terminal opens it
    ...(stderr.isTTY && process.stdin.isTTY ? { ask: asking(writeNote) } : {}),
  };
}

function picture(lines: readonly string[], over: number, color: boolean): string {
  const drawn = lines.map((line) => `${toScreen(line, { color })}${CLEAR_LINE}\n`).join('');
  const toTop = over === 0 ? '\r' : `\u001b[${over}A\r`;
  return `${BEGIN}${toTop}${drawn}${CLEAR_BELOW}${END}`;
}

/** The reader has gone (`| head`) or has closed the terminal: not an error. */
function isUnread({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'EIO';
}

function asking(writeNote: NodeJS.WriteStream['write']): NonNullable<Terminal['ask']> {
  return async (question, signal) => {
    if (signal.aborted) return undefined;
    const { createInterface } = await import('node:readline/promises');
    const output = writingWith(process.stderr, writeNote);
    const reader = createInterface({ input: process.stdin, output });
    const { promise: left, resolve: leave } = Promise.withResolvers<undefined>();
    reader.once('SIGINT', () => leave(undefined));
    reader.once('close', () => leave(undefined));
    const withdraw = (): void => leave(undefined);
    signal.addEventListener('abort', withdraw);
    try {
      return await Promise.race([reader.question(toScreen(question, { color: false })), left]);
    } finally {
      signal.removeEventListener('abort', withdraw);
      reader.close();
    }
  };
}

/** The same stream; the line editor moves the cursor, which code that is not ours may not. */
function writingWith<T extends NodeJS.WriteStream>(stream: T, write: T['write']): T {
  return new Proxy(stream, {
    get: (target, key) => {
      if (key === 'write') return write;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** NO_COLOR wins over everything, FORCE_COLOR over what the stream is. */
function wantsColor(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  const { NO_COLOR: none = '', FORCE_COLOR: forced, TERM: name } = env;
  if (none !== '') return false;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTerminal && name !== 'dumb';
}
