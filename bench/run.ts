/**
 * `npm run bench [name…] [-- --peers] [--store]`: runs every bench, or those whose name contains
 * one of the words, and prints each figure beside its limit, with spread and verdict. Exits with 1
 * unless every goal is met.
 *
 * `--peers` includes the peers of `bench/peers`. Missing packages are installed first. `--store`
 * adds the rows to the stored run, from which `npm run docs` makes `docs/performance.md`; rows that
 * were not measured this time stay.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled } from '../scripts/install.mjs';
import { buildOnce, WITHIN } from './door/installed.ts';
import { curveLines, rowLines } from './lines.ts';
import { curveVerdict, verdictOf } from './figures.ts';
import type { Bench, Figure, Measurement } from './measure.ts';
import type { Compared, ComparedBench, Row } from './result.ts';
import { describeMachine, storeResult } from './stored.ts';

const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const withPeers = process.argv.includes('--peers');
ensureInstalled('sdks', 'temporal', 'otel', ...(withPeers ? (['peers'] as const) : []));
// the load before all benches, not after the previous one
const load = process.env[WITHIN];
const machine = { ...describeMachine(), ...(load === undefined ? {} : { load: Number(load) }) };
const found = await Promise.all(
  globSync('{*,door/*}.bench.ts', { cwd: import.meta.dirname })
    .toSorted()
    .map(benchIn),
);
const names = found.map(({ name }) => name);
/** A whole name means that bench, even if another name contains it. */
const isMeant = (name: string): boolean =>
  wanted.length === 0 ||
  wanted.some((word) => (names.includes(word) ? name === word : name.includes(word)));
const chosen = found.filter(({ name }) => isMeant(name));
const [only] = chosen;
if (only === undefined) {
  console.error(`There is no bench called ${wanted.join(' or ')}.`);
  process.exitCode = 2;
} else if (chosen.length === 1) await measure(only);
else measureApart(chosen);

/**
 * Runs each in its own process, because one would leave traces in the next: its heap, and V8's
 * optimisations.
 */
function measureApart(benches: readonly ComparedBench[]): void {
  buildOnce();
  const flags = process.argv.slice(2).filter((word) => word.startsWith('--'));
  for (const { name } of benches) {
    const { status } = spawnSync(process.execPath, [import.meta.filename, name, ...flags], {
      stdio: 'inherit',
      env: { ...process.env, [WITHIN]: String(machine.load) },
    });
    // even if one cannot run at all: the others can
    if (status !== 0) process.exitCode = 1;
  }
}

async function measure(bench: ComparedBench): Promise<void> {
  console.log(`\n${bench.name}`);
  const startMs = performance.now();
  const { rows = [], curves = [] } = await bench.compare({ withPeers });
  for (const row of rows) console.log(rowLines(row));
  for (const curve of curves) console.log(curveLines(curve));
  const verdicts = [...rows.map(verdictOf), ...curves.map(curveVerdict)];
  if (verdicts.some((verdict) => verdict === 'missed' || verdict === 'undecided'))
    process.exitCode = 1;
  if (process.argv.includes('--store')) storeResult(bench.name, { rows, curves }, machine);
  console.log(`  took ${Math.round((performance.now() - startMs) / 1000)} s`);
}

async function benchIn(file: string): Promise<ComparedBench> {
  // a file of that name exports one bench, or runs as one itself
  const module = (await import(join(import.meta.dirname, file))) as {
    bench?: Bench | ComparedBench;
  } & Bench;
  const bench = module.bench ?? module;
  return 'compare' in bench ? bench : { name: bench.name, compare: () => asCompared(bench) };
}

async function asCompared(bench: Bench): Promise<Compared> {
  return { rows: (await bench.run()).map((row) => asRow(bench.name, row)) };
}

function asRow(work: string, row: Measurement | Figure): Row {
  if ('value' in row) {
    const { name, value, unit, limit, note } = row;
    const goal = unit === '×' ? { least: limit } : { most: limit };
    return { work, name, unit, ours: [value], goal, ...(note === undefined ? {} : { note }) };
  }
  const { name, ms, limitMs, boundsMs, note } = row;
  const [unit, scale] = ms < 1 ? (['µs', 1000] as const) : (['ms', 1] as const);
  return {
    work,
    name,
    unit,
    ours: [ms * scale],
    ...(limitMs === undefined ? {} : { goal: { most: limitMs * scale } }),
    ...(boundsMs === undefined
      ? {}
      : { bounds: { low: boundsMs.low * scale, high: boundsMs.high * scale } }),
    ...(note === undefined ? {} : { note }),
  };
}
