/** Shared by the tests of effects: a context, and a search for processes that should have ended. */
import { readdirSync, readFileSync } from 'node:fs';
import { buildReport } from '../errors/report/build.ts';
import { createRedactor } from '../errors/redaction/redact.ts';
import type { ErrorReport } from '../errors/report/report.ts';
import type { EffectContext, EffectFailure, EffectResult } from './effect-port.ts';

export const SECRET = 'hunter2-configured-value';

export function contextFor(changes: Partial<EffectContext> = {}): EffectContext {
  return {
    signal: new AbortController().signal,
    attempt: 0,
    idempotencyKey: 'key-1',
    run: 'run-1',
    node: 'node-1',
    path: 'group[3]/node-1',
    redactor: createRedactor([SECRET]),
    ...changes,
  };
}

/** The report that the failure becomes. */
export function reportOf(result: EffectResult): ErrorReport {
  return buildReport(failureOf(result).failure, {
    stamp: { id: 'err_test', at: '2026-11-16T00:00:00Z' },
    redactor: createRedactor([SECRET]),
  });
}

export function failureOf(result: EffectResult): EffectFailure {
  if (result.ok) throw new Error(`expected a failure, got ${JSON.stringify(result.output)}`);
  return result;
}

/** Ids of live processes whose command line contains the text; a zombie has no command line. */
export function processesWith(text: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => commandLine(name).includes(text))
    .map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // it ended meanwhile
    return '';
  }
}

/** Stops the whole process until that is so, and then for longer than a time limit of 50 ms. */
export function standStill(isSo: () => boolean): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (!isSo()) Atomics.wait(cell, 0, 0, 5);
  Atomics.wait(cell, 0, 0, 100);
}
