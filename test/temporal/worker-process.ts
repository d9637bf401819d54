/** A worker in a process of its own, which can be killed. Its deeds are lines of a file. */
import { appendFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import type { FunctionContext } from '../../src/effects/function/call-function.ts';
import type { JsonValue } from '../../src/errors/support/safe-json.ts';
import { startWorker, type ErrandWorkerOptions } from '../../src/engine/temporal/worker.ts';

export interface WorkerProcessOptions extends Pick<
  ErrandWorkerOptions,
  'config' | 'base' | 'bundleFile' | 'drainMs' | 'stickyMs'
> {
  readonly deeds: string;
}

// written by the test that starts it
const { deeds, ...options } = JSON.parse(process.argv[2] ?? '') as WorkerProcessOptions;

const note = (what: string, name: string, key: string): void =>
  appendFileSync(deeds, `${what} ${name} ${key} ${process.pid}\n`);

/** Takes its time, and says so before and after. */
async function deed(
  input: JsonValue,
  { idempotencyKey, attempt }: FunctionContext,
): Promise<JsonValue> {
  const { name, ms = 0, fails = 0 } = input as { name: string; ms?: number; fails?: number };
  note('begun', name, idempotencyKey);
  await after(ms);
  note('done', name, idempotencyKey);
  if (attempt < fails) throw Object.assign(new Error('Not yet'), { kind: 'external.not_yet' });
  return { name };
}

const worker = await startWorker({
  ...options,
  env: process.env,
  functions: { deed },
  tools: { deed },
});
process.stdout.write('ready\n');
process.once('SIGTERM', () => void worker.stop());
await worker.stopped;
process.exit(0);
