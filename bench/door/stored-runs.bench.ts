/**
 * Scale: the cost of a list, of a view of one run and of a new start, in a store with up to a
 * million ended runs. The runs are rows of the same form as those of a real run, written through
 * the store's own interface. Processor time.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createErrand, type Errand } from '../../src/engine/errand.ts';
import { newRunId } from '../../src/engine/run-id.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import type { RunStore } from '../../src/machine/ports/store-port.ts';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite.ts';
import { workflow } from '../../src/workflow/authoring/define.ts';
import type { ComparedBench, Curve } from '../result.ts';

const SIZES = [1000, 10_000, 100_000, Number(process.env['ERRAND_BENCH_RUNS'] ?? 1_000_000)];
const TOGETHER = 500;
const ROUNDS = 15;
/**
 * Caches of the file system and the database cause differences up to this factor, whatever a query
 * does.
 */
const FLAT = 1.5;

const flow = workflow({
  name: 'small',
  entryPoint: 'a',
  nodes: [{ name: 'a', type: 'set', value: 'done' }],
});

type Work = (errand: Errand, known: readonly string[]) => Promise<unknown>;

let asked = 0;

const WORK: Readonly<Record<string, Work>> = {
  // of another length each time: the store keeps a page until something is written
  'the newest 20 to 50 runs': (errand) => errand.list({ limit: 20 + (asked++ % 31) }),
  'a look at one run': (errand, known) =>
    errand.get(known[Math.floor(Math.random() * known.length)] ?? ''),
  'start and end of a new run': async (errand) => (await errand.start(flow)).result(),
};

export const bench: ComparedBench = {
  name: 'scale: stores with many ended runs',
  compare: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'errand-bench-'));
    try {
      const path = join(folder, 'errand.db');
      const points = new Map<string, { at: number; rounds: readonly number[] }[]>();
      const known: string[] = [];
      let filled = 0;
      for (const at of SIZES) {
        await fill(path, at - filled, known);
        filled = at;
        for (const [name, work] of Object.entries(WORK)) {
          const rounds = await measured(path, work, known);
          points.set(name, [...(points.get(name) ?? []), { at, rounds }]);
        }
      }
      const curves = [...points].map(([name, each]): Curve => ({
        work: 'scale',
        name,
        unit: 'µs',
        along: 'ended runs in the store',
        points: each,
        flat: FLAT,
      }));
      return { curves };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function measured(path: string, work: Work, known: readonly string[]) {
  const store = await open(path);
  const errand = await createErrand({ store });
  const rounds: number[] = [];
  // the first rounds include work that a process does only once
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const times = 20;
    const start = process.cpuUsage();
    for (let index = 0; index < times; index++) await work(errand, known);
    const { user, system } = process.cpuUsage(start);
    if (round >= ROUNDS) rounds.push((user + system) / times);
  }
  await errand.close();
  return rounds;
}

function open(path: string): Promise<RunStore> {
  return openSqliteStore({ path, now: Date.now, durability: 'normal' });
}

/** Adds runs: the events of one real run, under new ids. */
async function fill(path: string, count: number, known: string[]): Promise<void> {
  const store = await open(path);
  const errand = await createErrand({ store });
  const real = await errand.start(flow);
  await real.result();
  const events: RunEvent[] = [];
  for await (const event of errand.history(real.id)) events.push(event);
  const { plan, file, workflow: name } = await store.get(real.id);
  for (let made = 0; made < count; made += TOGETHER) {
    const ids = Array.from({ length: Math.min(TOGETHER, count - made) }, newRunId);
    await Promise.all(
      ids.map((id) =>
        store.create({
          id,
          workflow: name,
          file,
          plan,
          input: {},
          startedAt: new Date().toISOString(),
          events: events.map((event) => ({ ...event, run: id })),
          statusRow: { status: 'completed', costUsdMicros: 0 },
          owner: { id: 'bench', host: 'here', pid: 1, processStartedAt: '0' },
          leaseMs: 1,
        }),
      ),
    );
    // enough ids for the views, without a second store in memory
    known.push(...ids.slice(0, 2));
  }
  await errand.close();
}
