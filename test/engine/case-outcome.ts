/** The outcome of a case, without parts that differ by nature: ids, times and who resumed. */
import type { RunResult } from '../../src/engine/backend.ts';
import type { ErrorReport } from '../../src/errors/report/report.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import { costsOf } from '../../src/history/cost-ledger.ts';
import { viewOf } from '../../src/history/run-view.cases.ts';
import { nodeTimelines } from '../../src/history/node-timeline.ts';

/** A refused command. */
export interface Refused {
  readonly status: 'refused';
  readonly error: ErrorReport;
}

export interface CaseOutcome {
  /** One per leg. */
  readonly results: readonly unknown[];
  /** The nodes of the last leg, unchanged; for cases that compare the whole report. */
  readonly nodes: readonly unknown[];
  readonly ledger: readonly unknown[];
  /** The events, without the order of parallel branches. */
  readonly events: readonly string[];
}

export function outcomeOf(
  results: readonly (RunResult | Refused)[],
  events: readonly RunEvent[],
): CaseOutcome {
  const run = events[0]?.run ?? '';
  const withoutChance = (value: unknown): unknown => anonymous(value, run);
  return {
    results: results.map(withoutChance),
    nodes: sorted(nodeTimelines(viewOf(events)).map(withoutChance)),
    ledger: sorted(costsOf(events).attempts.map(withoutChance)),
    events: events.map(lineOf).sort(),
  };
}

function lineOf(event: RunEvent): string {
  const { type } = event;
  const path = 'path' in event ? event.path : '';
  const attempt = 'attempt' in event ? event.attempt : '';
  const kind = 'error' in event ? event.error?.kind : '';
  const isReplayed = type === 'effect:succeeded' && event.replayed === true;
  const isGiven = type === 'effect:succeeded' && event.given === true;
  const how = `${isReplayed ? 'replayed' : ''}${isGiven ? 'given' : ''}`;
  return [type, path, attempt, kind, how].join(' ').trimEnd();
}

const BY_CHANCE: ReadonlySet<string> = new Set([
  'at',
  'until',
  'startedAt',
  'endedAt',
  'latencyMs',
  'waitedMs',
  'run',
  // derived from the id of the run
  'idempotency_key',
  'key',
]);

const KEYS: ReadonlySet<string> = new Set(['key', 'idempotency_key']);

/** The same value without the parts that differ between runs, at any depth. */
function anonymous(value: unknown, run: string): unknown {
  if (Array.isArray(value)) return value.map((item) => anonymous(item, run));
  if (typeof value === 'string') return withoutNumbers(value.replaceAll(run, 'RUN'));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, part]) => !BY_CHANCE.has(key) && part !== undefined)
      .filter(([key]) => key !== 'id' || !('v' in value))
      // the id of an effect contains the run
      .filter(([key, part]) => !KEYS.has(key) || !/^[\da-f]{40}$/.test(String(part)))
      .map(([key, part]) => [
        key,
        anonymous(key === 'details' ? withoutTime(value, part) : part, run),
      ]),
  );
}

/** The remaining time of a limit differs, and each run of a case has a ticket of its own. */
function withoutNumbers(text: string): string {
  return text
    .replaceAll(/\bhas only [\d.]+ \w+( \d+ \w+)? of its\b/g, 'has only some time of its')
    .replaceAll(/\bticket \d+\b/g, 'its ticket');
}

const LIMITS_OF_TIME: readonly unknown[] = ['limit.run_timeout', 'limit.node_timeout'];

/** The time that a limit has used differs. */
function withoutTime(report: object, details: unknown): unknown {
  const isTime = 'kind' in report && LIMITS_OF_TIME.includes(report.kind);
  return isTime ? { ...(details as object), spent: 'some ms' } : details;
}

function sorted(list: readonly unknown[]): readonly unknown[] {
  return list.map((item) => JSON.stringify(item)).sort();
}
