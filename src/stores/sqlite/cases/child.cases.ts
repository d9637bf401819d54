/** Starts the process of `store-child.cases.ts`, and reads the lines that it prints. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const SCRIPT = join(import.meta.dirname, 'store-child.cases.ts');

export interface Child {
  readonly process: ChildProcess;
  /** The lines so far, in order; grows until the process ends. */
  readonly said: Record<string, unknown>[];
  /** The next line; undefined when the process has ended. */
  next(): Promise<Record<string, unknown> | undefined>;
  tell(): void;
  /** Resolves when the process is gone and all its output has been read. */
  readonly gone: Promise<void>;
}

export interface ChildOptions {
  readonly path: string;
  readonly task: 'append-loop' | 'claim' | 'create' | 'lock';
  readonly argument?: string;
  /** Becomes this user when it has loaded the sources, which may lie where that user sees nothing. */
  readonly uid?: number;
}

export function startChild({ path, task, argument = '', uid }: ChildOptions): Child {
  const as = uid === undefined ? [] : [String(uid)];
  const child = spawn(process.execPath, [SCRIPT, path, task, argument, ...as], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const said: Record<string, unknown>[] = [];
  const lines = createInterface({ input: child.stdout });
  const iterator = lines[Symbol.asyncIterator]();
  return {
    process: child,
    said,
    async next() {
      const { done, value } = await iterator.next();
      if (done === true) return undefined;
      const fact = JSON.parse(value) as Record<string, unknown>;
      said.push(fact);
      return fact;
    },
    tell: () => void child.stdin.write('\n'),
    gone: once(child, 'exit').then(() => undefined),
  };
}

/** Reads lines until the process ends. */
export async function listen(child: Child): Promise<void> {
  while ((await child.next()) !== undefined);
}
