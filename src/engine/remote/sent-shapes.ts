/**
 * The shapes of a server's answers. Another program may answer at its address, or a server of
 * another version, so values of any other shape are not read.
 */
import { isPlainObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import {
  RUN_STATUSES,
  type RunStatusName,
  type RunSummary,
} from '../../machine/ports/store-port.ts';
import type { Waiting } from '../../machine/state/events.ts';
import { flawOfEvent } from '../run-file-event.ts';

export function objectOf(value: JsonValue | undefined): JsonObject {
  if (isPlainObject(value)) return value;
  throw malformed('something other than an object');
}

export function listOf(value: JsonValue | undefined, what: string): readonly JsonValue[] {
  const list: readonly JsonValue[] | undefined = Array.isArray(value) ? value : undefined;
  if (list !== undefined) return list;
  throw malformed(`no list of ${what}`);
}

/** A text that may be empty, and may not be something else. */
export function textOf(value: JsonValue | undefined, field: string): string {
  if (typeof value === 'string') return value;
  throw malformed(`no text as \`${field}\``);
}

export function summaryOf(row: JsonObject): RunSummary {
  const { run, workflow, status, startedAt, endedAt, error, waiting, costUsdMicros, file } = row;
  return {
    run: textOf(run, 'run'),
    workflow: textOf(workflow, 'workflow'),
    status: statusOf(status),
    startedAt: timeOf(startedAt, 'startedAt'),
    costUsdMicros: numberOf(costUsdMicros, 'costUsdMicros'),
    file: typeof file === 'string' ? file : null,
    ...(endedAt === undefined ? {} : { endedAt: timeOf(endedAt, 'endedAt') }),
    ...(error === undefined ? {} : { error: errorOf(objectOf(error)) }),
    ...(waiting === undefined ? {} : { waiting: waitingOf(objectOf(waiting)) }),
    claim: null,
  };
}

/** The text of a plan, as stores have it. */
export function planTextOf(value: JsonValue | undefined): string {
  const plan = objectOf(value);
  const children = Object.values(objectOf(plan['children']));
  if (![plan, ...children].every(isFilePlan)) throw malformed('a plan that is none');
  return JSON.stringify(plan);
}

/** The parts that every event refers to. */
function isFilePlan(value: JsonValue): boolean {
  if (!isPlainObject(value)) return false;
  const { name, entryPoint, nodes } = value;
  const isNamed = typeof name === 'string' && typeof entryPoint === 'string';
  return isNamed && Array.isArray(nodes) && nodes.every(isNodePlan);
}

function isNodePlan(value: JsonValue): boolean {
  return isPlainObject(value) && typeof value['name'] === 'string';
}

export function checkEvent(sent: JsonObject, seq: number): void {
  const flaw = flawOfEvent(sent, seq);
  if (flaw !== undefined) throw malformed(`an event whose \`${flaw}\` is missing or wrong`);
}

/** Where the next page of events begins; undefined after the last one. */
export function nextOf(value: JsonValue | undefined, after: number): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value > after) return value;
  throw malformed('pages of events without an end');
}

export function numberOf(value: JsonValue | undefined, field: string): number {
  if (typeof value === 'number') return value;
  throw malformed(`no number as \`${field}\``);
}

function statusOf(value: JsonValue | undefined): RunStatusName {
  if (isStatus(value)) return value;
  throw malformed('no status of a run');
}

function isStatus(value: JsonValue | undefined): value is RunStatusName {
  return RUN_STATUSES.some((status) => status === value);
}

function timeOf(value: JsonValue | undefined, field: string): string {
  const time = textOf(value, field);
  if (!Number.isNaN(Date.parse(time))) return time;
  throw malformed(`no time as \`${field}\``);
}

function errorOf({ kind, message }: JsonObject): NonNullable<RunSummary['error']> {
  return { kind: textOf(kind, 'error.kind'), message: textOf(message, 'error.message') };
}

function waitingOf(waiting: JsonObject): Waiting {
  textOf(waiting['reason'], 'waiting.reason');
  listOf(waiting['all'], 'waits');
  // a summary shows only the reason, the gate and the times of a wait
  return JSON.parse(JSON.stringify(waiting)) as Waiting;
}

function malformed(what: string): ErrandError {
  return new ErrandError({
    kind: 'store.corrupt',
    message: `The server sent ${what}`,
    action: {
      kind: 'fix_setup',
      detail:
        'Check the address in --server or ERRAND_SERVER, and that its Errand has the version of this one.',
    },
  });
}
