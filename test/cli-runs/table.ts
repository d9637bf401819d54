/** Sentences of the contract as rows: files, the typed command, and the expected result. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hasOwnProcess, sharedErrand } from '../cli/shared/command.ts';
import type { Ended } from '../../src/cli/run-errand.cases.ts';
import {
  environmentOf,
  killedRun,
  linesOf,
  newFolder,
  typedWords,
  writeAll,
} from '../cli/row-files.ts';
import { errand } from '../survival/process.ts';

export interface Step {
  /**
   * The arguments after `errand`; RUN is the run of the first step. The table adds the option for
   * JSON.
   */
  readonly do?: string | readonly string[];
  /** The same, but killed as soon as a script has written to the file `count`. */
  readonly killed?: readonly string[];
  /** Files that somebody writes before the step. */
  readonly write?: Readonly<Record<string, string>>;
  readonly exit?: number;
  /** The JSON that stdout must contain. */
  readonly says?: unknown;
  /** Entries that `events.jsonl` must contain, in this order: `type node`. */
  readonly events?: readonly string[];
  /** The number of lines in the file `count`: how often scripts ran. */
  readonly count?: number;
  readonly errors?: number;
}

export interface Row {
  readonly it: string;
  /** The text of `t.yaml`: all of it, or the lines under `nodes:` with `a` as the first. */
  readonly file?: string;
  readonly nodes?: string;
  /** Lines of the header, such as `limits: {…}`. */
  readonly header?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

/** A script that leaves a line in `count` and then follows its arguments. */
export function sh(name: string, script: string, more = ''): string {
  const line = JSON.stringify(`echo ${name} >> count; ${script}`);
  return `{name: ${name}, type: script, command: sh, args: ["-c", ${line}]${more}}`;
}

export function workflow(nodes: string, header = ''): string {
  return `workflow:\n  name: t\n  entry_point: a\n${indent(header, '  ')}nodes:\n${indent(nodes, '  ')}`;
}

export function rows(all: readonly Row[]): void {
  it.each(all.map((row) => ({ name: row.it, row })))('$name', async ({ row }) => {
    const cwd = newFolder('errand-cli-runs-');
    const main = row.file ?? workflow(row.nodes ?? '', row.header);
    writeAll(cwd, { 't.yaml': main, ...row.files });
    const at = { cwd, isOwn: hasOwnProcess(row.it) };
    let run = '';
    for (const step of row.steps) run = await take(step, at, run);
  });
}

interface Place {
  readonly cwd: string;
  /** Each command has a process of its own. */
  readonly isOwn: boolean;
}

async function take(step: Step, { cwd, isOwn }: Place, run: string): Promise<string> {
  writeAll(cwd, step.write ?? {});
  if (step.killed !== undefined) return killedRun(step.killed, { cwd, mark: 'count' });
  let known = run;
  if (step.do !== undefined) {
    const args = typedWords(step.do, run);
    const env = environmentOf(cwd);
    const words = [...args, '--format', 'json'];
    const ended: Ended = await (isOwn ? errand : sharedErrand)(words, { cwd, env });
    const said: unknown = args.includes('--json') ? lines(ended.stdout) : parsed(ended.stdout);
    expect({ exit: ended.exit, said }, ended.stderr).toMatchObject({
      exit: step.exit ?? 0,
      ...(step.says === undefined ? {} : { said: step.says }),
    });
    expect(ended.stderr).not.toContain('    at ');
    if (known === '') known = runIn(said);
  }
  look(step, cwd, known);
  return known;
}

function look({ events, count, errors }: Step, cwd: string, run: string): void {
  const folder = join(cwd, 'home', 'runs', run);
  if (count !== undefined) expect(linesOf(join(cwd, 'count')).length).toBe(count);
  if (errors !== undefined) expect(linesOf(join(folder, 'errors.jsonl')).length).toBe(errors);
  if (events === undefined) return;
  const reported = lines(readFileSync(join(folder, 'events.jsonl'), 'utf8')).map(eventName);
  expect(reported.filter((name) => events.includes(name))).toEqual(events);
}

/** `node:started a 0`, `node:retrying a 1 10`, `run:completed`. */
function eventName(event: Record<string, unknown>): string {
  const parts = ['type', 'path', 'attempt', 'delayMs'].map((key) => event[key]);
  return parts.flatMap((part) => (isWord(part) ? [String(part)] : [])).join(' ');
}

function isWord(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function runIn(said: unknown): string {
  const first: unknown = Array.isArray(said) ? said[0] : said;
  const run: unknown =
    typeof first === 'object' && first !== null && 'run' in first ? first.run : undefined;
  return isWord(run) ? String(run) : '';
}

function lines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function parsed(text: string): unknown {
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}

function indent(text: string, by: string): string {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `${by}${line}\n`)
    .join('');
}
