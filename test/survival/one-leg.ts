/**
 * One leg of a run over a real SQLite file or PostgreSQL server, in this process or in one that
 * will be killed.
 */
import { readFileSync } from 'node:fs';
import type { EffectClock } from '../../src/effects/clock.ts';
import { createEffectRunner } from '../../src/engine/run/effect-runner.ts';
import type { PreparedAnswer, RunResult } from '../../src/engine/backend.ts';
import { LocalBackend } from '../../src/engine/local/local-backend.ts';
import { openPostgres } from '../../src/engine/loading/open-postgres.ts';
import type { JsonObject } from '../../src/errors/support/safe-json.ts';
import type { Answer } from '../../src/machine/gates/gate-answer.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import type { RunStore } from '../../src/machine/ports/store-port.ts';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite.ts';
import type { WorkflowPlan } from '../../src/workflow/plan/plan.ts';

/** Everything that a process needs to know; passed to another one as JSON. */
export interface Job {
  /** The path of the database, or the address of a PostgreSQL server. */
  readonly store: string;
  /** A file with the plan as JSON. */
  readonly plan: string;
  /** The file of the workflow, as the command knows it. */
  readonly file: string;
  /** The folder in which scripts run. */
  readonly directory: string;
  /** The file in which scripts leave their traces. */
  readonly world: string;
  readonly input: JsonObject;
  readonly answers: readonly PreparedAnswer[];
  /** Absent: starts the run. */
  readonly resume?: { readonly run: string; readonly answer?: Answer };
  readonly onOutage?: 'halt' | 'wait';
}

export interface LegEnd {
  readonly run: string;
  readonly result: RunResult;
}

export interface LegOptions {
  readonly around?: (store: RunStore) => RunStore;
  readonly clock?: EffectClock;
}

export async function oneLeg(job: Job, { around, clock }: LegOptions = {}): Promise<LegEnd> {
  const store = await openStore(job.store);
  const driver = new LocalBackend({
    store: around?.(store) ?? store,
    effects: createEffectRunner({
      env: { ...process.env, WORLD: job.world },
      directory: job.directory,
      functions: {},
    }),
    ...(job.onOutage === undefined ? {} : { onOutage: job.onOutage }),
    ...(clock === undefined ? {} : { clock }),
  });
  try {
    const { answers, file } = job;
    const handle =
      job.resume === undefined
        ? await driver.start(planOf(job), job.input, { answers, file })
        : await driver.resume(job.resume.run, { ...job.resume, answers });
    return { run: handle.id, result: await handle.result() };
  } finally {
    await driver.close();
  }
}

function openStore(address: string): Promise<RunStore> {
  if (address.startsWith('postgres:')) return openPostgres(address, import.meta.dirname);
  // nothing here needs to survive a power cut
  return openSqliteStore({
    path: address,
    now: Date.now,
    durability: 'normal',
    patienceMs: 100,
  });
}

function planOf({ plan }: Job): WorkflowPlan {
  // written by the test, from a file that was checked
  return JSON.parse(readFileSync(plan, 'utf8')) as WorkflowPlan;
}

/** The log of the only run in a store; undefined if no run was stored. */
export async function logOf(
  address: string,
): Promise<{ readonly run: string; readonly events: readonly RunEvent[] } | undefined> {
  const store = await openStore(address);
  try {
    const [only] = await store.list();
    if (only === undefined) return undefined;
    const events: RunEvent[] = [];
    // written by a driver, and checked as it is read
    for await (const commit of store.read(only.run))
      events.push(...(commit.events as unknown as RunEvent[]));
    return { run: only.run, events };
  } finally {
    await store.close();
  }
}
