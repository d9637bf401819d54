/**
 * Workflows with simulated models as rows: the file, the typed command, and the expected result.
 */
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
  /** The arguments after `errand`; RUN is the run of the first step. Default: `run t.yaml`. */
  readonly do?: string | readonly string[];
  /** Killed as soon as a tool has written to the file `did`. */
  readonly isKilled?: boolean;
  readonly write?: Readonly<Record<string, string>>;
  readonly exit?: number;
  /** The JSON that stdout must contain. */
  readonly says?: unknown;
  /** Every effect that has ended so far, in order: `sim/m ok`, `sim/m provider.auth`. */
  readonly calls?: readonly string[];
  /** All events of these types, in order: `node:started a`, `gate:opened a`. */
  readonly events?: readonly string[];
  /** Lines of the file `did`: the work that tools really did. */
  readonly did?: readonly string[];
  /** Any further check of the events. */
  readonly look?: (events: readonly LoggedEvent[]) => void;
}

export interface LoggedEvent {
  readonly type: string;
  readonly at: string;
  readonly path?: string;
  readonly attempt?: number;
  readonly effect?: { readonly key: string; readonly type: string; readonly target: string };
  readonly error?: {
    readonly kind: string;
    readonly outcome: string;
    readonly provider?: { readonly retryAfterMs?: number };
  };
  readonly [key: string]: unknown;
}

export interface Row {
  readonly it: string;
  /** The replies of `sim/` models, by name. */
  readonly models?: object;
  readonly nodes: readonly object[];
  /** Fields of `workflow`. */
  readonly header?: object;
  readonly runtime?: object;
  /** Keys beside `workflow` and `nodes`. */
  readonly top?: object;
  /** The text of a module with tools. */
  readonly module?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

/** An agent that asks `sim/m`. */
export function agent(more: object = {}, name = 'a'): object {
  return { name, model: 'sim/m', prompt: 'hi', ...more };
}

export function fail(kind: string, retryAfter?: number): object {
  return { fail: { kind, ...(retryAfter === undefined ? {} : { retry_after: retryAfter }) } };
}

export function call(name: string, given: object = {}): object {
  return { tool_calls: [{ name, arguments: given }] };
}

/** The same item, so many times. */
export function times<Item>(count: number, item: Item): Item[] {
  return Array.from({ length: count }, () => item);
}

/** The time between the failure of a call and the next request to the same model. */
export function restsMs(events: readonly LoggedEvent[], target: string): readonly number[] {
  const own = events.filter(({ effect }) => effect?.target === target);
  return own.flatMap((event, index) =>
    event.type === 'effect:requested' && own[index - 1]?.type === 'effect:failed'
      ? [Date.parse(event.at) - Date.parse(own[index - 1]?.at ?? '')]
      : [],
  );
}

const MODULE = `import { appendFileSync } from 'node:fs';
import { raise, tool } from 'errand';
const did = (what) => appendFileSync('did', what + '\\n');
`;

function fileOf({ models = {}, nodes, header = {}, runtime = {}, ...row }: Row): string {
  const first = nodes[0] as { name: string };
  return JSON.stringify({
    workflow: {
      name: 't',
      entry_point: first.name,
      runtime: { simulate: models, ...runtime },
      ...(row.module === undefined ? {} : { module: './tools.ts' }),
      ...header,
    },
    nodes,
    ...row.top,
  });
}

export function rows(all: readonly Row[]): void {
  it.concurrent.each(all.map((row) => ({ name: row.it, row })))('$name', async ({ row }) => {
    const cwd = newFolder('errand-agents-');
    const module = row.module === undefined ? {} : { 'tools.ts': `${MODULE}${row.module}` };
    writeAll(cwd, { 't.yaml': fileOf(row), ...module, ...row.files });
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
  const args = typedWords(step.do ?? ['run', 't.yaml'], run);
  if (step.isKilled === true) return killedRun(args, { cwd, mark: 'did' });
  const env = environmentOf(cwd);
  const words = [...args, '--format', 'json'];
  const ended: Ended = await (isOwn ? errand : sharedErrand)(words, { cwd, env });
  const said = (ended.stdout === '' ? {} : JSON.parse(ended.stdout)) as { run?: string };
  expect({ exit: ended.exit, said }, ended.stderr).toMatchObject({
    exit: step.exit ?? 0,
    ...(step.says === undefined ? {} : { said: step.says }),
  });
  expect(ended.stderr).not.toContain('    at ');
  const known = run === '' ? (said.run ?? '') : run;
  look(step, cwd, known);
  return known;
}

/** Every effect that has ended, in order. */
export function endsOf(events: readonly LoggedEvent[]): readonly string[] {
  return events.flatMap(callOf);
}

function look({ calls, events, did, look: lookAt }: Step, cwd: string, run: string): void {
  if (did !== undefined) expect(linesOf(join(cwd, 'did'))).toEqual(did);
  if (calls === undefined && events === undefined && lookAt === undefined) return;
  const reported = linesOf(join(cwd, 'home', 'runs', run, 'events.jsonl')).map(
    (line) => JSON.parse(line) as LoggedEvent,
  );
  if (calls !== undefined) expect(endsOf(reported)).toEqual(calls);
  const names = reported.map(({ type, path }) => (path === undefined ? type : `${type} ${path}`));
  if (events !== undefined) expect(names.filter((name) => events.includes(name))).toEqual(events);
  lookAt?.(reported);
}

function callOf({ type, effect, error }: LoggedEvent): readonly string[] {
  if (type === 'effect:succeeded') return [`${effect?.target} ok`];
  return type === 'effect:failed' ? [`${effect?.target} ${error?.kind}`] : [];
}
