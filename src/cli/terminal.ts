/** What the command line knows of where its output goes. Answers go to stdout, all else to stderr. */
import { once } from 'node:events';
import { leave } from './interrupt.ts';

export interface Terminal {
  /** Of stdout. */
  readonly columns: number;
  readonly color: boolean;
  out(text: string): void;
  err(text: string): void;
  /** Resolves when a slow reader has caught up; a command with much to say waits for it. */
  drained(): Promise<void>;
  /** What stderr looks like, where people are told things. Default: as stdout. */
  readonly notes?: { readonly columns: number; readonly color: boolean };
  /** Only where stderr is a terminal that can be drawn on. */
  readonly screen?: Screen;
  /** Only where someone sits at the terminal; undefined is Ctrl-C, the end of the input, or the signal. */
  readonly ask?: (question: string, signal: AbortSignal) => Promise<string | undefined>;
}

export interface Screen {
  size(): { readonly columns: number; readonly rows: number };
  write(text: string): void;
}

export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isUnread(error)) return leave(Number(process.exitCode ?? 0));
    // what was done is stored; only the telling of it has failed
    stderr.write(`errand: stdout cannot be written (${error.code ?? 'unknown'})\n`);
    leave(1);
  });
  stderr.on('error', (error: NodeJS.ErrnoException) => {
    // where a full disk takes no notes, the answer can still be given
    if (isUnread(error)) leave(Number(process.exitCode ?? 0));
  });
  const isDrawable = stderr.isTTY && env['TERM'] !== 'dumb';
  return {
    columns: stdout.columns || stderr.columns || 80,
    color: wantsColor(stdout.isTTY, env),
    notes: {
      columns: stderr.columns || stdout.columns || 80,
      color: wantsColor(stderr.isTTY, env),
    },
    out: (text) => void stdout.write(`${text}\n`),
    err: (text) => void stderr.write(`${text}\n`),
    drained: async () => {
      if (stdout.writableNeedDrain) await once(stdout, 'drain');
    },
    ...(isDrawable
      ? {
          screen: {
            size: () => ({ columns: stderr.columns || 80, rows: stderr.rows || 24 }),
            write: (text: string) => void stderr.write(text),
          },
        }
      : {}),
    // in this order: to ask stdin what it is means to open it
    ...(stderr.isTTY && process.stdin.isTTY ? { ask: askPerson } : {}),
  };
}

/** Whoever read it has gone (`| head`), or has closed the terminal: no failure of ours. */
function isUnread({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'EIO';
}

async function askPerson(question: string, signal: AbortSignal): Promise<string | undefined> {
  if (signal.aborted) return undefined;
  const { createInterface } = await import('node:readline/promises');
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  const { promise: left, resolve: leave } = Promise.withResolvers<undefined>();
  reader.once('SIGINT', () => leave(undefined));
  reader.once('close', () => leave(undefined));
  const takeBack = (): void => leave(undefined);
  signal.addEventListener('abort', takeBack);
  try {
    return await Promise.race([reader.question(question), left]);
  } finally {
    signal.removeEventListener('abort', takeBack);
    reader.close();
  }
}

/** NO_COLOR wins over everything, FORCE_COLOR over what the stream is. */
function wantsColor(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  const { NO_COLOR: none = '', FORCE_COLOR: forced, TERM: name } = env;
  if (none !== '') return false;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTerminal && name !== 'dumb';
}
