/** The shell in which the commands of a page are typed, with `errand` on its path. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';

export interface Typed {
  readonly exit: number | null;
  readonly printed: string;
}

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

  type(command: string, cwd: string): Promise<Typed> {
    const path = [this.#bin, dirname(process.execPath), process.env['PATH']].join(delimiter);
    // both streams into one, in the order in which a person sees them
    const child = spawn('bash', ['-c', `{ ${command}\n} 2>&1`], {
      cwd,
      // a group of its own, so that a server in the background can be ended with its page
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: path, HOME: cwd, NO_COLOR: '1', NODE_COMPILE_CACHE: join(this.root, 'cache') },
    });
    if (command.includes(' &') && child.pid !== undefined) this.#groups.push(child.pid);
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (exit) => resolve({ exit, printed }));
    });
  }

  /** Ends what a page has left running. */
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
