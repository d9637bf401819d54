/** What the command line knows of where its output goes. Answers go to stdout, all else to stderr. */
import { once } from 'node:events';

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
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return readerIsGone();
      // what was done is stored; only the telling of it has failed
      if (stream === stdout)
        stderr.write(`errand: stdout cannot be written (${error.code ?? 'unknown'})
`);
      process.exit(1);
    });
  }
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

/** It (`| head`) ends the command, which is no failure of ours; what still runs is stopped cleanly. */
function readerIsGone(): void {
  const isRunning = process.listenerCount('SIGINT') > 0;
  if (isRunning) process.emit('SIGINT', 'SIGINT');
  else process.exit(process.exitCode ?? 0);
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
