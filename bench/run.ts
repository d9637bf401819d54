/**
 * `npm run bench [name…]`: runs every bench in this folder, or those whose name holds one of the
 * words, and prints what was measured beside its limit. Exits with 1 if anything is over.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Measurement } from './measure.ts';

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

async function load(file: string): Promise<Bench> {
  // each file of that name exports one bench
  const { bench } = (await import(join(import.meta.dirname, file))) as { bench: Bench };
  return bench;
}

function isOver({ ms, limitMs = Infinity }: Measurement): boolean {
  return ms > limitMs;
}

function line(measurement: Measurement, width: number): string {
  const { name, ms, limitMs, note } = measurement;
  const limit =
    limitMs === undefined
      ? []
      : [`limit ${time(limitMs)}`, `${((ms / limitMs) * 100).toFixed(0)} %`.padStart(6)];
  const figures = [time(ms).padStart(10), ...limit, ...(note === undefined ? [] : [note])];
  return `  ${name.padEnd(width)}  ${figures.join('  ')}${isOver(measurement) ? '  OVER' : ''}`;
}

function time(ms: number): string {
  return ms < 1 ? `${(ms * 1000).toFixed(1)} µs` : `${ms.toFixed(1)} ms`;
}
