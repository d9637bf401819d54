/** What a driver has told of a case, without what differs by nature: ids, times and who resumed. */
import type { RunResult } from '../../src/drivers/local.ts';
import type { ErrorReport } from '../../src/errors/report.ts';
import type { RunEvent } from '../../src/machine/events.ts';
import { costsOf } from '../../src/machine/ledger.ts';
import { nodesOf } from '../../src/machine/node-history.ts';

/** What was not done. */
export interface Refused {
  readonly status: 'refused';
  readonly error: ErrorReport;
}

export interface Told {
  /** Of each leg. */
  readonly results: readonly unknown[];
  /** Of the last leg, as it is; for what compares the whole report. */
  readonly nodes: readonly unknown[];
  readonly ledger: readonly unknown[];
  /** What happened, without the order of what runs side by side. */
  readonly events: readonly string[];
}

export function toldOf(
  results: readonly (RunResult | Refused)[],
  events: readonly RunEvent[],
): Told {
  const run = events[0]?.run ?? '';
  const withoutChance = (value: unknown): unknown => anonymous(value, run);
  return {
    results: results.map(withoutChance),
    nodes: sorted(nodesOf(events).map(withoutChance)),
    ledger: sorted(costsOf(events).attempts.map(withoutChance)),
    events: events.map(lineOf).sort(),
  };
}

function lineOf(event: RunEvent): string {
  const { type } = event;
  const path = 'path' in event ? event.path : '';
  const attempt = 'attempt' in event ? event.attempt : '';
  const kind = 'error' in event ? event.error?.kind : '';
  return [type, path, attempt, kind].join(' ').trimEnd();
}

const BY_CHANCE: ReadonlySet<string> = new Set([
  'at',
  'until',
  'startedAt',
  'endedAt',
  'latencyMs',
  'waitedMs',
  'run',
]);

/** The same value, with what no two runs have alike taken out, at whatever depth. */
function anonymous(value: unknown, run: string): unknown {
  if (Array.isArray(value)) return value.map((item) => anonymous(item, run));
  // what was left of a time limit is a time too
  if (typeof value === 'string')
    return value.replaceAll(run, 'RUN').replace(/\b\d+ ms\b/, 'some ms');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, part]) => !BY_CHANCE.has(key) && part !== undefined)
      .filter(([key]) => key !== 'id' || !('v' in value))
      // of an effect, which has the run in it
      .filter(([key, part]) => key !== 'key' || !/^[\da-f]{16}$/.test(String(part)))
      .map(([key, part]) => [key, anonymous(part, run)]),
  );
}

function sorted(list: readonly unknown[]): readonly unknown[] {
  return list.map((item) => JSON.stringify(item)).sort();
}
