/**
 * Scale: the cost of a member of a `for_each` whose list has up to 100,000, in SQLite. Processor
 * time.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builds, type Build } from '../built-package.ts';
import { complete, fan } from '../fan.ts';
import type { ComparedBench, Curve } from '../result.ts';
import { spentOn } from '../spent.ts';

/** Fast work gets many rounds. */
const ROUNDS: readonly (readonly [members: number, rounds: number])[] = [
  [1000, 15],
  [10_000, 7],
  [Number(process.env['ERRAND_BENCH_MEMBERS'] ?? 100_000), 3],
];
const WARM_UP = 15;
/** Caches of the processor cause differences up to this factor, whatever the code does. */
const FLAT = 1.5;

export const bench: ComparedBench = {
  name: 'scale: a long for_each',
  compare: async () => {
    const [build] = await builds();
    return build === undefined ? {} : { curves: [await growth(build)] };
  },
};

async function growth(build: Build): Promise<Curve> {
  const folder = mkdtempSync(join(tmpdir(), 'errand-bench-'));
  try {
    const path = join(folder, 'errand.db');
    const store = await build.openSqliteStore({ path, now: Date.now, durability: 'normal' });
    const errand = await build.openErrand({
      store,
      functions: { double: (input: unknown) => input },
    });
    const file = fan(build);
    for (let run = 0; run < WARM_UP; run++) await complete(errand, file, ROUNDS[0]?.[0] ?? 0);
    const points: { at: number; rounds: readonly number[] }[] = [];
    for (const [members, times] of ROUNDS) {
      const rounds: number[] = [];
      for (let round = 0; round < times; round++) {
        const { cpuMs } = await spentOn(members, () => complete(errand, file, members));
        rounds.push(cpuMs * 1000);
      }
      points.push({ at: members, rounds });
    }
    await errand.close();
    return {
      work: 'scale',
      name: 'a member of a for_each',
      unit: 'µs',
      along: 'members',
      points,
      flat: FLAT,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
