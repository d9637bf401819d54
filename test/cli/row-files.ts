/** Tables of commands: the folder of a row, its files, and a command that is killed on its way. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterThisFile } from '../left-behind.ts';
import { errand, startErrand } from '../survival/process.ts';
import { untilLine } from '../survival/until.ts';

export function newFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  afterThisFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function writeAll(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

/** None of a file that nobody has written. */
export function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
}

export function environmentOf(cwd: string): {
  readonly PATH: string;
  readonly ERRAND_HOME: string;
} {
  return { PATH: process.env['PATH'] ?? '', ERRAND_HOME: join(cwd, 'home') };
}

/** What is typed after `errand`, where RUN stands for the run of the first step. */
export function typedWords(typed: string | readonly string[], run: string): readonly string[] {
  const words = typeof typed === 'string' ? typed.split(' ') : typed;
  return words.map((word) => (word === 'RUN' ? run : word));
}

/** Starts a run, kills its process as soon as the file `mark` has a line, and returns the run. */
export async function killedRun(
  args: readonly string[],
  { cwd, mark }: { readonly cwd: string; readonly mark: string },
): Promise<string> {
  const env = environmentOf(cwd);
  const running = startErrand(args, { cwd, env });
  await untilLine(join(cwd, mark));
  running.kill('SIGKILL');
  await running.ended;
  const { stdout } = await errand(['runs', '--format', 'json'], { cwd, env });
  return (JSON.parse(stdout) as { run: string }[])[0]?.run ?? '';
}
