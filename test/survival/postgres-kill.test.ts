/**
 * A run in a real PostgreSQL server is killed before, in and after its commits, and taken up again: it
 * ends as if nothing had been. Each commit of ours takes one of two workflows and an eleventh of its places; `SAMPLE=all` takes all.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresPrograms, startPostgres, type PostgresServer } from '../postgres-server.ts';
import { beginKillable, interrupted, undisturbed } from './journey.ts';
import type { KillPoint } from './kill-points.ts';
import { prepare, type Prepared } from './place.ts';
import { bundleKillable, type Bundled } from './process.ts';
import { generatedSubject } from './subjects.ts';
import { howToRepeat, sampled } from '../sampled.ts';

const programs = postgresPrograms();
const IS_ALL = process.env['ERRAND_KILLS'] === 'all';
const SEEDS = IS_ALL ? [1, 2, 3, 4, 5, 6, 7, 8] : [2, 5];
const AT_ONCE = 4;
/** One of so many: no multiple of three, or all would be before, in or after. */
const ONE_OF = 11;

const root = mkdtempSync(join(tmpdir(), 'errand-postgres-kill-'));
const tried = { kills: 0, doubts: 0 };
let server: PostgresServer;
let bundled: Bundled;
beforeAll(async () => {
  if (programs === undefined) return;
  server = await startPostgres(programs);
  bundled = await bundleKillable();
});
afterAll(async () => {
  bundled?.remove();
  await server?.remove();
  rmSync(root, { recursive: true, force: true });
  const part = howToRepeat('test/survival/postgres-kill.test.ts');
  process.stdout.write(
    `\nPostgreSQL: killed ${tried.kills} times; ${tried.doubts} in doubt (${part})\n`,
  );
});

/** A schema for each place. */
function preparedSeed(seed: number): Prepared {
  const storeAt = (home: string): string =>
    `${server.url}?schema=seed_${seed}_${basename(home).replaceAll(/\W/g, '_')}`;
  return { ...prepare(generatedSubject(seed), join(root, `seed-${seed}`)), storeAt };
}

function pointsOf(appends: number): KillPoint[] {
  const when = ['before', 'during', 'after'] as const;
  return Array.from({ length: appends }, (_, index) =>
    when.map((each): KillPoint => ({ when: each, append: index + 1 })),
  ).flat();
}

describe.runIf(programs !== undefined)('killed around and in every append', () => {
  it.each(IS_ALL ? SEEDS : sampled(SEEDS, { oneOf: SEEDS.length, what: 'killed on PostgreSQL' }))(
    'it ends as undisturbed: seed %i',
    async (seed) => {
      const prepared = preparedSeed(seed);
      const expected = await undisturbed(prepared, root);
      const points = pointsOf(expected.appends);
      const chosen = IS_ALL ? points : sampled(points, { oneOf: ONE_OF, what: prepared.name });
      const queue = [...chosen];
      const begin = beginKillable(bundled.script);
      let killed = 0;
      const worker = async (): Promise<void> => {
        for (let point = queue.shift(); point !== undefined; point = queue.shift()) {
          const kills = [point];
          const one = await interrupted(prepared, root, { expected, kills, begin }).catch(
            (error: unknown) => {
              const at = `${point?.when} append ${point?.append}`;
              throw new Error(`killed ${at}`, { cause: error });
            },
          );
          killed += one.killed;
          tried.doubts += one.doubts;
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      tried.kills += killed;
      expect(killed).toBeGreaterThan(chosen.length / 3);
    },
    300_000,
  );
});
