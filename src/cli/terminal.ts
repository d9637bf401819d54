/** What the command line knows of where its output goes. Answers go to stdout, all else to stderr. */
import { once } from 'node:events';

export interface Terminal {
  readonly columns: number;
  readonly color: boolean;
  out(text: string): void;
  err(text: string): void;
  /** Resolves when a slow reader has caught up; a command with much to say waits for it. */
  drained(): Promise<void>;
}

export function processTerminal(): Terminal {
  const { stdout, stderr } = process;
  // a reader that goes away (`| head`) ends the command; it is no failure of ours
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
      throw error;
    });
  }
  return {
    columns: stdout.columns || stderr.columns || 80,
    color: wantsColor(stdout.isTTY, process.env),
    out: (text) => void stdout.write(`${text}\n`),
    err: (text) => void stderr.write(`${text}\n`),
    drained: async () => {
      if (stdout.writableNeedDrain) await once(stdout, 'drain');
    },
  };
}

/** NO_COLOR wins over everything, FORCE_COLOR over what the stream is. */
function wantsColor(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  const { NO_COLOR: none = '', FORCE_COLOR: forced, TERM: name } = env;
  if (none !== '') return false;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTerminal && name !== 'dumb';
}
