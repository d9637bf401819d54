/**
 * The state of one entry of `workflow.schedule`, as all servers share it in a note of the store,
 * and the next step at a given moment. Pure. A tick is noted before its run is started, and the id
 * of the run is made of the tick: whichever server comes first, each tick has one run.
 */
import { isArray, isJsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { OVERLAPS, type SchedulePlan } from '../../workflow/plan/plan.ts';
import { murmurHex } from '../../workflow/hash/murmur3.ts';

/** The topic of these notes. */
export const SCHEDULES = 'schedules';

export type LastTick = {
  readonly tickMs: number;
  readonly outcome: 'starting' | 'started' | 'skipped' | 'refused';
  readonly error?: { readonly kind: string; readonly message: string };
};

/** The entry that the note is about, for people who see only the store. */
export type ScheduleAbout = {
  readonly workflow: string;
  readonly cron: string;
  readonly timezone: string;
  readonly overlap: SchedulePlan['overlap'];
};

/** A type and no interface, because it is JSON. */
export type ScheduleNote = {
  readonly about?: ScheduleAbout;
  /** Ticks up to this one are settled. At first the time at which the entry was first served. */
  readonly throughMs: number;
  /** The latest tick and its result. `starting`: its run may not exist yet. */
  readonly last?: LastTick;
  /** The tick whose run was started last, which the next ones wait for. */
  readonly runTickMs?: number;
  /** Ticks that wait, the earliest first. */
  readonly queued: readonly number[];
};

/** A queue this long means that runs take longer than the time between them. */
const MAX_QUEUED = 100;

/**
 * A key for each entry, the same on every machine. Neither its place in the list nor its input counts:
 * servers may have two versions of a file for a while, and start one run for a tick all the same.
 */
export function scheduleKeys(
  workflow: string,
  schedule: readonly SchedulePlan[],
): readonly { readonly plan: SchedulePlan; readonly key: string }[] {
  const seen = new Map<string, number>();
  return schedule.map((plan) => {
    const times = JSON.stringify([workflow, plan.cron, plan.timezone]);
    const ordinal = seen.get(times) ?? 0;
    seen.set(times, ordinal + 1);
    return { plan, key: murmurHex(`${times} ${ordinal}`) };
  });
}

/** The run of a tick; a name that can also be a folder. */
export function tickRunId(key: string, tickMs: number): string {
  const time = new Date(tickMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `schedule-${key.slice(0, 16)}-${time}`;
}

export type ScheduleStep =
  | { readonly type: 'nothing' }
  /** Write this, and then start the run of the tick if there is one. */
  | { readonly type: 'write'; readonly note: ScheduleNote; readonly startTickMs?: number }
  /** A process wrote it and may have died: start the run of the tick. */
  | { readonly type: 'start'; readonly tickMs: number };

export interface Moment {
  readonly nowMs: number;
  /** The latest tick that is not settled; undefined when there is none. */
  readonly fresh: number | undefined;
  /** Whether the run that was started last is over. */
  readonly isFree: boolean;
}

/** The next step. When no server saw several ticks, only the latest counts. */
export function nextStep(
  { overlap }: SchedulePlan,
  note: ScheduleNote | undefined,
  { nowMs, fresh, isFree }: Moment,
): ScheduleStep {
  if (note === undefined) return { type: 'write', note: { throughMs: nowMs, queued: [] } };
  if (note.last?.outcome === 'starting') return { type: 'start', tickMs: note.last.tickMs };
  // written while the clock was ahead; a run that began has its id already, and is not started
  // again
  if (note.throughMs > nowMs) return { type: 'write', note: { ...note, throughMs: nowMs } };
  const [waiting] = note.queued;
  if (isFree && waiting !== undefined) {
    const rest = note.queued.slice(1);
    // one that comes at the same moment waits behind those before it
    const queued = fresh === undefined ? rest : [...rest, fresh];
    return starting({ ...note, throughMs: fresh ?? note.throughMs, queued }, waiting);
  }
  if (fresh === undefined) return { type: 'nothing' };
  if (isFree) return starting({ ...note, throughMs: fresh }, fresh);
  const isQueued = overlap === 'queue' && note.queued.length < MAX_QUEUED;
  if (isQueued)
    return {
      type: 'write',
      note: { ...note, throughMs: fresh, queued: [...note.queued, fresh] },
    };
  const last = { tickMs: fresh, outcome: 'skipped' } as const;
  return { type: 'write', note: { ...note, throughMs: fresh, last } };
}

function starting(note: ScheduleNote, tickMs: number): ScheduleStep {
  const last = { tickMs, outcome: 'starting' } as const;
  return { type: 'write', note: { ...note, last, runTickMs: tickMs }, startTickMs: tickMs };
}

/** Undefined for what another version wrote and this one cannot read. */
export function readNote(value: JsonValue | undefined): ScheduleNote | undefined {
  if (value === undefined || !isJsonObject(value)) return undefined;
  const { throughMs, last, runTickMs, queued } = value;
  if (typeof throughMs !== 'number' || queued === undefined || !isArray(queued)) return undefined;
  const known = readLast(last);
  const about = readAbout(value['about']);
  return {
    ...(about === undefined ? {} : { about }),
    throughMs,
    queued: queued.filter((tick) => typeof tick === 'number'),
    ...(known === undefined ? {} : { last: known }),
    ...(typeof runTickMs === 'number' ? { runTickMs } : {}),
  };
}

function readAbout(value: JsonValue | undefined): ScheduleAbout | undefined {
  if (value === undefined || !isJsonObject(value)) return undefined;
  const { workflow, cron, timezone } = value;
  const overlap = OVERLAPS.find((name) => name === value['overlap']);
  const isWhole =
    typeof workflow === 'string' && typeof cron === 'string' && typeof timezone === 'string';
  return isWhole && overlap !== undefined ? { workflow, cron, timezone, overlap } : undefined;
}

const OUTCOMES = ['starting', 'started', 'skipped', 'refused'] as const;

function readLast(value: JsonValue | undefined): LastTick | undefined {
  if (value === undefined || !isJsonObject(value)) return undefined;
  const outcome = OUTCOMES.find((name) => name === value['outcome']);
  const { tickMs, error } = value;
  if (typeof tickMs !== 'number' || outcome === undefined) return undefined;
  if (error === undefined || !isJsonObject(error)) return { tickMs, outcome };
  const { kind, message } = error;
  const isError = typeof kind === 'string' && typeof message === 'string';
  return { tickMs, outcome, ...(isError ? { error: { kind, message } } : {}) };
}
