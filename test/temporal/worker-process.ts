/** A worker in a separate process, which can be killed. Its deeds are lines of a file. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { FunctionContext } from '../../src/effects/function/call-function.ts';
import type { JsonValue } from '../../src/errors/support/safe-json.ts';
import type { TelemetryPort } from '../../src/engine/run/telemetry-port.ts';
import {
  startWorker,
  type ErrandWorkerOptions,
} from '../../src/engine/temporal/temporal-worker.ts';
import { startSdk } from '../../src/telemetry/otel/start-sdk.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';

export interface WorkerProcessOptions extends Pick<
  ErrandWorkerOptions,
  'config' | 'base' | 'bundleFile' | 'drainMs' | 'stickyMs'
> {
  readonly deeds: string;
  /** The address of an OTLP receiver that gets its spans. */
  readonly receiver?: string;
}

// written by the test that starts it
const { deeds, receiver, ...options } = JSON.parse(process.argv[2] ?? '') as WorkerProcessOptions;

const note = (what: string, name: string, key: string): void =>
  appendFileSync(deeds, `${what} ${name} ${key} ${process.pid}\n`);

/** Starts OpenTelemetry's SDK as the command does; spans are sent as soon as they end. */
function telemetryTo(address: string): TelemetryPort {
  const directory = join(import.meta.dirname, '../otel-sdk');
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = address;
  process.env['OTEL_EXPORTER_OTLP_PROTOCOL'] = 'http/json';
  process.env['OTEL_BSP_SCHEDULE_DELAY'] = '50';
  startSdk(process.env, directory);
  return createTelemetry({ directory });
}

/** The input as the workflows of the tests write it. */
interface DeedInput {
  readonly name: string;
  readonly ms?: number;
  /** The number of attempts that never end. */
  readonly hangs?: number;
  /** The number of attempts that fail. */
  readonly fails?: number;
}

/** Takes its time, and reports before and after. */
async function deed(
  input: JsonValue,
  { idempotencyKey, attempt }: FunctionContext,
): Promise<JsonValue> {
  const { name, ms = 0, hangs = 0, fails = 0 } = input as unknown as DeedInput;
  note('begun', name, idempotencyKey);
  await (attempt < hangs ? new Promise(() => undefined) : after(ms));
  note('done', name, idempotencyKey);
  if (attempt < fails) throw Object.assign(new Error('Not yet'), { kind: 'external.not_yet' });
  return { name };
}

const worker = await startWorker({
  ...options,
  ...(receiver === undefined ? {} : { telemetry: telemetryTo(receiver) }),
  env: process.env,
  functions: { deed },
  tools: { deed },
});
process.stdout.write('ready\n');
process.once('SIGTERM', () => void worker.stop());
await worker.stopped;
process.exit(0);
