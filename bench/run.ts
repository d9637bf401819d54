/**
 * `npm run bench [name…]`: runs every bench in this folder, or those whose name holds one of the
 * words, and prints what was measured beside its limit. Exits with 1 if anything is over.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Measurement } from './measure.ts';

/** A figure that is no time, such as a multiple. */
interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly limit: number;
  /** Of the value to its limit. */
  readonly ratio: number;
}

type Row = Measurement | Figure;

interface Runnable {
  readonly name: string;
  readonly run: () => readonly Row[] | Promise<readonly Row[]>;
}

const wanted = process.argv.slice(2);
const found = await Promise.all(
  globSync('*.bench.ts', { cwd: import.meta.dirname })
    .toSorted()
    .map(load),
);
const chosen = found.filter(
  ({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)),
);
if (chosen.length === 0) {
  console.error(`There is no bench called ${wanted.join(' or ')}.`);
  process.exitCode = 2;
}

for (const bench of chosen) {
  console.log(`\n${bench.name}`);
  const measured = await bench.run();
  const width = Math.max(...measured.map(({ name }) => name.length));
  for (const measurement of measured) console.log(line(measurement, width));
  if (measured.some(isOver)) process.exitCode = 1;
}

async function load(file: string): Promise<Runnable> {
  // a file of that name exports one bench, or is one itself
  const module = (await import(join(import.meta.dirname, file))) as { bench?: Bench } & Runnable;
  return module.bench ?? module;
}

function isOver(row: Row): boolean {
  return 'ms' in row ? row.ms > (row.limitMs ?? Infinity) : row.ratio > 1;
}

function line(row: Row, width: number): string {
  const figures = 'ms' in row ? timed(row) : counted(row);
  return `  ${row.name.padEnd(width)}  ${figures.join('  ')}${isOver(row) ? '  OVER' : ''}`;
}

function timed({ ms, limitMs, note }: Measurement): string[] {
  const limit = limitMs === undefined ? [] : [`limit ${time(limitMs)}`, percent(ms / limitMs)];
  return [time(ms).padStart(10), ...limit, ...(note === undefined ? [] : [note])];
}

function counted({ value, unit, limit, ratio }: Figure): string[] {
  const figure = `${value.toFixed(2)} ${unit}`.padStart(10);
  return [figure, `limit ${limit.toFixed(2)} ${unit}`, percent(ratio)];
}

function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(0)} %`.padStart(6);
}

function time(ms: number): string {
  return ms < 1 ? `${(ms * 1000).toFixed(1)} µs` : `${ms.toFixed(1)} ms`;
}
