/** `errand runs` and `errand show`: what the store knows of runs, read without claiming them. */
import { join } from 'node:path';
import type { JsonObject } from '../../errors/json.ts';
import { forPerson } from '../../errors/project.ts';
import type { ErrorReport } from '../../errors/report.ts';
import type { RunEvent } from '../../machine/events.ts';
import { costsOf } from '../../machine/ledger.ts';
import { nodesOf } from '../../machine/node-history.ts';
import type { RunStore, RunSummary } from '../../machine/store-port.ts';
import { isOwnerAlive } from '../../drivers/owner.ts';
import { openSqliteStore } from '../../stores/sqlite.ts';
import type { Format } from '../format.ts';
import { errandHome } from '../home.ts';
import type { Terminal } from '../terminal.ts';

export async function runs(
  options: { readonly format: Format },
  terminal: Terminal,
): Promise<number> {
  return withStore(async (store) => {
    const all = (await store.list()).map(summaryOf);
    terminal.out(options.format === 'json' ? JSON.stringify(all, null, 2) : listText(all));
    return 0;
  });
}

export async function show(
  id: string,
  options: { readonly format: Format },
  terminal: Terminal,
): Promise<number> {
  return withStore(async (store) => {
    const record = await store.get(id);
    const events: RunEvent[] = [];
    // written by this program, and checked as it is read
    for await (const commit of store.read(id))
      events.push(...(commit.events as unknown as RunEvent[]));
    const last = events.at(-1);
    const shown = {
      run: record.run,
      workflow: record.workflow,
      file: record.file,
      status: statusOf(record),
      input: record.input,
      ...(last?.type === 'run:completed' ? { output: last.output } : {}),
      ...(last?.type === 'run:failed' ? { error: forPerson(last.error) } : {}),
      ...(record.waiting === undefined ? {} : { waiting: record.waiting }),
      nodes: nodesOf(events),
      costs: costsOf(events),
    };
    terminal.out(options.format === 'json' ? JSON.stringify(shown, null, 2) : showText(shown));
    return 0;
  });
}

function listText(all: readonly ReturnType<typeof summaryOf>[]): string {
  if (all.length === 0) return 'No runs yet.';
  return all
    .map((run) => `${run.run}  ${run.status.padEnd(12)}${run.workflow}  ${run.startedAt}`)
    .join('\n');
}

async function withStore(look: (store: RunStore) => Promise<number>): Promise<number> {
  const path = join(errandHome(process.env, process.cwd()), 'errand.db');
  const store = await openSqliteStore({ path, now: Date.now });
  try {
    return await look(store);
  } finally {
    await store.close();
  }
}

function summaryOf(
  summary: RunSummary,
): JsonObject & { run: string; status: string; workflow: string; startedAt: string } {
  const { run, workflow, startedAt, endedAt, error, waiting, costUsdMicros } = summary;
  // a summary is JSON by construction
  return {
    run,
    workflow,
    status: statusOf(summary),
    startedAt,
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(error === undefined ? {} : { error }),
    ...(waiting === undefined ? {} : { waiting }),
    costUsdMicros,
  } as never;
}

/** A run whose process is gone says `running` in the store and is not. */
function statusOf({ status, claim }: RunSummary): string {
  const isOrphan = status === 'running' && (claim === null || !isOwnerAlive(claim.owner));
  return isOrphan ? 'interrupted' : status;
}

function showText(shown: {
  readonly run: string;
  readonly workflow: string;
  readonly status: string;
  readonly error?: Pick<ErrorReport, 'kind' | 'message'>;
  readonly nodes: readonly {
    readonly path: string;
    readonly status: string;
    readonly attempts: number;
  }[];
}): string {
  return [
    `${shown.run}  ${shown.workflow}  ${shown.status}`,
    ...(shown.error === undefined ? [] : [`${shown.error.kind}: ${shown.error.message}`]),
    ...shown.nodes.map(
      ({ path, status, attempts }) =>
        `  ${path}  ${status}${attempts > 1 ? ` (${attempts} tries)` : ''}`,
    ),
  ].join('\n');
}
