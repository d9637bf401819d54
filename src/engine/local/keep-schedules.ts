/**
 * Starts the runs of `workflow.schedule`. Every server does the same: the clock of the store says when,
 * a note in the store says what is settled, and the id of a run is made of its tick.
 */
import type { EffectClock } from '../../effects/clock.ts';
import { isKind } from '../../errors/thrown/errand-error.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import type { Notes, SharedWork } from '../../machine/ports/shared-work-port.ts';
import type { ReadableStore, RunStatusName } from '../../machine/ports/store-port.ts';
import type { SchedulePlan, WorkflowPlan } from '../../workflow/plan/plan.ts';
import { latestTick, nextTick } from '../../workflow/schedule/cron.ts';
import type {
  KeepingSchedules,
  KeptSchedule,
  ScheduleOptions,
  ScheduleState,
  TickRun,
} from '../carry-on.ts';
import type { RunnableWorkflow } from '../errand-options.ts';
import {
  nextStep,
  readNote,
  scheduleKeys,
  SCHEDULES,
  tickRunId,
  type ScheduleNote,
} from './schedule-note.ts';

export interface KeepSchedulesParts extends Pick<ScheduleOptions, 'workflows'> {
  readonly clock: EffectClock;
  readonly work: Pick<SharedWork, 'notes' | 'setNote'>;
  readonly store: Pick<ReadableStore, 'summary'>;
  readonly start: (workflow: RunnableWorkflow, options: TickRun) => Promise<unknown>;
  /** A place for a run; undefined when there is none. */
  readonly reserve: () => (() => void) | undefined;
  readonly onWarning: (thrown: unknown) => void;
}

/** Ticks are minutes, and a run starts within a few seconds of its own. */
const POLL_MS = 1000;

/**
 * Statuses that settle a tick: the run does nothing more by itself, unless a person wants it to.
 */
const OVER: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

interface Entry {
  readonly workflow: RunnableWorkflow;
  readonly plan: SchedulePlan;
  readonly key: string;
}

interface Known {
  readonly note: ScheduleNote | undefined;
  readonly version: number;
}

export class KeepSchedules implements KeepingSchedules {
  readonly #parts: KeepSchedulesParts;
  /** By key: the first tick after those that are settled. */
  readonly #next = new Map<string, { readonly throughMs: number; readonly atMs: number | null }>();
  #polling: Promise<void> = Promise.resolve();
  #isOver = false;
  #hasWarned = false;
  #cancelTimer: (() => void) | undefined;

  constructor(parts: KeepSchedulesParts) {
    this.#parts = parts;
  }

  begin(): void {
    this.#polling = this.#pollAgain();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#cancelTimer?.();
    await this.#polling;
  }

  async #pollAgain(): Promise<void> {
    try {
      await this.#poll();
      this.#hasWarned = false;
    } catch (thrown) {
      if (!this.#hasWarned) this.#parts.onWarning(thrown);
      this.#hasWarned = true;
    }
    if (this.#isOver) return;
    this.#cancelTimer = this.#parts.clock.after(POLL_MS, () => {
      this.#polling = this.#pollAgain();
    });
  }

  async #poll(): Promise<void> {
    const entries = (await this.#parts.workflows()).flatMap(entriesOf);
    if (entries.length === 0) return;
    const notes = await this.#parts.work.notes(SCHEDULES);
    for (const entry of entries) if (!this.#isOver) await this.#advance(entry, notes);
  }

  async #advance(entry: Entry, { notes, nowMs }: Notes): Promise<void> {
    const stored = notes.get(entry.key);
    const known = { note: readNote(stored?.value), version: stored?.version ?? 0 };
    const fresh = this.#freshTick(entry, known.note, nowMs);
    const isAsked = fresh !== undefined || (known.note?.queued.length ?? 0) > 0;
    const isFree = isAsked && (await this.#isFree(entry, known.note));
    const step = nextStep(entry.plan, known.note, { nowMs, fresh, isFree });
    switch (step.type) {
      case 'nothing':
        return;
      case 'start':
        return this.#start(entry, step.tickMs, known);
      case 'write': {
        const { note, startTickMs } = step;
        if (startTickMs === undefined) {
          await this.#write(entry, note, known.version);
          return;
        }
        const release = this.#parts.reserve();
        // it waits for room; the next poll decides anew, and another server may have some
        if (release === undefined) return;
        try {
          if (await this.#write(entry, note, known.version))
            await this.#start(entry, startTickMs, { note, version: known.version + 1 });
        } finally {
          release();
        }
      }
    }
  }

  /** The latest tick that is not settled. Computes times only when one has come. */
  #freshTick({ key, plan }: Entry, note: ScheduleNote | undefined, nowMs: number) {
    if (note === undefined) return undefined;
    const { throughMs } = note;
    const known = this.#next.get(key);
    const next =
      known?.throughMs === throughMs ? known : { throughMs, atMs: nextTick(plan, throughMs) };
    this.#next.set(key, next);
    if (next.atMs === null || next.atMs > nowMs) return undefined;
    return latestTick(plan, nowMs) ?? undefined;
  }

  /** Starts the run once, whichever server is first, and notes what became of it. */
  async #start(entry: Entry, tickMs: number, known: Known): Promise<void> {
    const { start, onWarning } = this.#parts;
    const { workflow, plan, key } = entry;
    let last: NonNullable<ScheduleNote['last']> = { tickMs, outcome: 'started' };
    try {
      await start(workflow, { input: plan.input, id: tickRunId(key, tickMs), trace: null });
    } catch (thrown) {
      // the run exists with the input of another version of the file, or existed and was removed
      if (isKind(thrown, 'store.unavailable')) throw thrown;
      // the run exists with the input of another version of the file, or existed and was removed
      const isThere = isKind(thrown, 'run.already_ended') || (await this.#exists(key, tickMs));
      if (!isThere) {
        const { kind, message } = toReport(thrown);
        last = { tickMs, outcome: 'refused', error: { kind, message } };
        onWarning(thrown);
      }
    }
    if (known.note === undefined) return;
    await this.#write(entry, { ...known.note, last }, known.version);
  }

  async #isFree({ key }: Entry, note: ScheduleNote | undefined): Promise<boolean> {
    if (note?.runTickMs === undefined || note.last?.outcome === 'starting') return true;
    if (note.last?.outcome === 'refused' && note.last.tickMs === note.runTickMs) return true;
    const status = await this.#statusOf(key, note.runTickMs);
    return status === undefined || OVER.has(status);
  }

  async #exists(key: string, tickMs: number): Promise<boolean> {
    return (await this.#statusOf(key, tickMs)) !== undefined;
  }

  async #statusOf(key: string, tickMs: number): Promise<RunStatusName | undefined> {
    try {
      return (await this.#parts.store.summary(tickRunId(key, tickMs))).status;
    } catch (thrown) {
      if (!isKind(thrown, 'run.not_found')) throw thrown;
      return undefined;
    }
  }

  #write({ key, plan, workflow }: Entry, note: ScheduleNote, version: number): Promise<boolean> {
    const { cron, timezone, overlap } = plan;
    const about = { workflow: workflow.plan.name, cron, timezone, overlap };
    return this.#parts.work.setNote(SCHEDULES, key, { value: { ...note, about }, version });
  }
}

function entriesOf(workflow: RunnableWorkflow): readonly Entry[] {
  const { name, schedule = [] } = workflow.plan;
  return scheduleKeys(name, schedule).map((entry) => ({ ...entry, workflow }));
}

/** The schedules of each plan, as people see them. Without shared notes, only their next times. */
export async function scheduleStates(
  plans: readonly WorkflowPlan[],
  work: Pick<SharedWork, 'notes'> | undefined,
  localMs: number,
): Promise<readonly (readonly ScheduleState[])[]> {
  const isEmpty = plans.every(({ schedule = [] }) => schedule.length === 0);
  const known = isEmpty ? undefined : await work?.notes(SCHEDULES);
  const nowMs = known?.nowMs ?? localMs;
  return plans.map(({ name, schedule = [] }) =>
    scheduleKeys(name, schedule).map(({ plan, key }) =>
      stateOf(plan, { key, nowMs, note: readNote(known?.notes.get(key)?.value) }),
    ),
  );
}

/** The schedules that servers of the store have kept, as people see them. */
export async function keptSchedules(
  work: Pick<SharedWork, 'notes'>,
): Promise<readonly KeptSchedule[]> {
  const { notes, nowMs } = await work.notes(SCHEDULES);
  return [...notes].flatMap(([key, { value }]) => {
    const note = readNote(value);
    if (note?.about === undefined) return [];
    const { workflow, ...times } = note.about;
    const missedMs = nextTick(times, note.throughMs);
    const isMissed = missedMs !== null && missedMs < nowMs - MISSED_MS;
    return [
      {
        workflow,
        ...stateOf(times, { key, nowMs, note }),
        ...(isMissed ? { missed: new Date(missedMs).toISOString() } : {}),
        ...(note.last !== undefined && note.last.tickMs > nowMs ? { isAhead: true } : {}),
      },
    ];
  });
}

/** A tick that no server has seen for this long is missed: none serves the workflow. */
const MISSED_MS = 60_000;

function stateOf(
  plan: Omit<SchedulePlan, 'input'> & Partial<SchedulePlan>,
  { key, nowMs, note }: { key: string; nowMs: number; note: ScheduleNote | undefined },
): ScheduleState {
  const { cron, timezone, overlap, input } = plan;
  const next = nextTick(plan, nowMs);
  return {
    cron,
    timezone,
    overlap,
    ...(input === undefined ? {} : { input }),
    next: next === null ? null : new Date(next).toISOString(),
    ...(note?.last === undefined ? {} : { last: tickOf(key, note.last) }),
    ...(note === undefined || note.queued.length === 0 ? {} : { queued: note.queued.length }),
  };
}

function tickOf(
  key: string,
  { tickMs, outcome, error }: NonNullable<ScheduleNote['last']>,
): NonNullable<ScheduleState['last']> {
  const isRun = outcome === 'starting' || outcome === 'started';
  return {
    at: new Date(tickMs).toISOString(),
    outcome: outcome === 'starting' ? 'started' : outcome,
    ...(isRun ? { run: tickRunId(key, tickMs) } : {}),
    ...(error === undefined ? {} : { error }),
  };
}
