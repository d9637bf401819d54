/** What the command line knows of where its output goes. Answers go to stdout, all else to stderr. */

export interface Terminal {
  readonly columns: number;
  readonly color: boolean;
  out(text: string): void;
  err(text: string): void;
}

export function processTerminal(): Terminal {
  // a reader that goes away (`| head`) ends the command; it is no failure of ours
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0);
      throw error;
    });
  }
  return {
    columns: process.stdout.columns ?? process.stderr.columns ?? 80,
    color: wantsColor(process.stdout.isTTY && process.stderr.isTTY, process.env),
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
  };
}

/** NO_COLOR wins over everything, FORCE_COLOR over what the stream is. */
export function wantsColor(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  if (env['FORCE_COLOR'] !== undefined) return env['FORCE_COLOR'] !== '0';
  return isTerminal && env['TERM'] !== 'dumb';
}
