/** The shell that runs the commands of a page, with `errand` on its path. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { hasOwnProcess, sharedErrand } from '../cli/shared/command.ts';

export interface Typed {
  readonly exit: number | null;
  readonly printed: string;
}

/** A shell reports a process that a signal ended by the sum of this and the signal. */
const FIRST_SIGNAL = 128;

export class Shell {
  readonly root: string;
  readonly #bin: string;
  readonly #groups: number[] = [];

  constructor(name: string) {
    this.root = mkdtempSync(join(tmpdir(), `errand-${name}-`));
    this.#bin = join(this.root, 'bin');
    mkdirSync(this.#bin);
    const errand = join(this.#bin, 'errand');
    writeFileSync(errand, `#!/bin/sh\nexec "${process.execPath}" "${LAUNCHER}" "$@"\n`);
    chmodSync(errand, 0o755);
  }

  /**
   * A line that needs nothing of the shell runs in a process that has loaded the command, unless it
   * is expected to be killed.
   */
  async type(command: string, cwd: string, exit = 0): Promise<Typed> {
    const [program, ...args] = plainWords(command) ?? [];
    const isAlone = program !== 'errand' || exit > FIRST_SIGNAL;
    if (isAlone || hasOwnProcess(command)) return this.#inBash(command, cwd);
    const env = { PATH: this.#path, HOME: cwd, NO_COLOR: '1' };
    return sharedErrand(args, { cwd, env });
  }

  get #path(): string {
    return [this.#bin, dirname(process.execPath), process.env['PATH']].join(delimiter);
  }

  #inBash(command: string, cwd: string): Promise<Typed> {
    // merges both streams, in the order in which a person sees them
    const child = spawn('bash', ['-c', `{ ${command}\n} 2>&1`], {
      cwd,
      // a process group of its own, so that a server in the background ends with its page
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: this.#path,
        HOME: cwd,
        NO_COLOR: '1',
        NODE_COMPILE_CACHE: join(this.root, 'cache'),
      },
    });
    if (command.includes(' &') && child.pid !== undefined) this.#groups.push(child.pid);
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (exit) => resolve({ exit, printed }));
    });
  }

  /** Ends everything that a page has left running. */
  endBackground(): void {
    for (const group of this.#groups.splice(0)) {
      try {
        process.kill(-group, 'SIGKILL');
      } catch {
        // it has ended by itself
      }
    }
  }

  remove(): void {
    this.endBackground();
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** The words of a line that a shell would only split; undefined if it would do more. */
function plainWords(line: string): readonly string[] | undefined {
  const word = /(?:[\w./:=,@%+-]+|'[^']*'|"[^"$`\\!]*")+/y;
  const words: string[] = [];
  const text = line.trim();
  for (let index = 0; index < text.length;) {
    word.lastIndex = index;
    const [found] = word.exec(text) ?? [];
    if (found === undefined) return undefined;
    words.push(found.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
    const end = index + found.length;
    index = end + (/^ */.exec(text.slice(end))?.[0].length ?? 0);
    if (index === end && end < text.length) return undefined;
  }
  return words;
}
