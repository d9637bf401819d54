/** Keeps the last value of every row: `bench/results/latest.json`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { format } from 'node:util';
import { goalShare } from './figures.ts';
import type { BenchResult, Compared, MachineFacts, Measured, Row } from './result.ts';

const STORED = join(import.meta.dirname, 'results', 'latest.json');

export function readStored(): BenchResult | undefined {
  try {
    return JSON.parse(readFileSync(STORED, 'utf8')) as BenchResult;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

export function describeMachine(): MachineFacts {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryMb: Math.round(totalmem() / 2 ** 20),
    os: format('%s %s', type(), release()),
    node: process.versions.node,
    sqlite: process.versions['sqlite'] ?? 'unknown',
    load: Number((loadavg()[0] ?? 0).toFixed(1)),
  };
}

/**
 * Replaces rows of the same work and name. If rows name the bench itself as their work, replaces
 * all of its earlier ones: it may have renamed them. A row keeps the machine and the day of its
 * measurement.
 */
export function storeResult(
  bench: string,
  { rows = [], curves = [] }: Compared,
  machine: MachineFacts,
): void {
  const stored = readStored();
  const measured = { at: new Date().toISOString().slice(0, 10), machine };
  const isReplaced = rows.some(({ work }) => work === bench);
  const kept = (stored?.rows ?? []).filter(({ work }) => !isReplaced || work !== bench);
  const result: BenchResult = {
    rows: merged(
      kept,
      rows.map((row) => ({ ...row, measured, ...earlierOf(stored, row, measured.at) })),
    ),
    curves: merged(
      stored?.curves ?? [],
      curves.map((curve) => ({ ...curve, measured })),
    ),
  };
  writeFileSync(STORED, `${JSON.stringify(result, rounded, 1)}\n`);
}

/** The result of the stored row on an earlier day: two days that agree say more than one. */
function earlierOf(
  stored: BenchResult | undefined,
  { work, name }: Row,
  today: string,
): Pick<Measured, 'earlier'> {
  const before = stored?.rows.find((row) => row.work === work && row.name === name);
  if (before === undefined) return {};
  const { earlier, measured } = before;
  if (measured.at === today) return earlier === undefined ? {} : { earlier };
  const share = goalShare(before);
  return share === undefined ? {} : { earlier: { at: measured.at, share } };
}

function merged<T extends { readonly work: string; readonly name: string }>(
  old: readonly T[],
  fresh: readonly T[],
): readonly T[] {
  const keyOf = ({ work, name }: T): string => `${work}: ${name}`;
  const replaced = new Set(fresh.map(keyOf));
  return [...old.filter((row) => !replaced.has(keyOf(row))), ...fresh].toSorted((a, b) =>
    keyOf(a).localeCompare(keyOf(b), 'en', { numeric: true }),
  );
}

/** More than four digits would claim more than a busy machine can show. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value)
    ? Number(value.toPrecision(4))
    : value;
}
