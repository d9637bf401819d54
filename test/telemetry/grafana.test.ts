/** The dashboard and the alert rules of the guide name metrics and attributes that exist. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { INSTRUMENTS } from '../../src/telemetry/metrics/instruments.ts';
import { ATTRIBUTE } from '../../src/telemetry/names.ts';

const GUIDE = join(import.meta.dirname, '../../docs/guide');
const read = (name: string): string => readFileSync(join(GUIDE, name), 'utf8');

/** As a Collector writes names for Prometheus: dots become lines, counters and seconds are named. */
function prometheusNames(): ReadonlySet<string> {
  return new Set(
    Object.values(INSTRUMENTS).flatMap(({ name, kind, unit }) => {
      const base = name.replaceAll('.', '_') + (unit === 's' ? '_seconds' : '');
      if (kind === 'counter') return [`${base}_total`];
      return kind === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => base + end) : [base];
    }),
  );
}

function expressions(): readonly string[] {
  const { panels } = JSON.parse(read('telemetry-dashboard.json')) as {
    panels: { targets: { expr: string }[] }[];
  };
  const { groups } = parse(read('telemetry-alerts.yaml')) as {
    groups: { rules: { expr: string }[] }[];
  };
  return [
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
  ];
}

it('asks only for metrics and labels that Errand writes', () => {
  // of `GET /metrics` of a server
  const known = new Set([...prometheusNames(), 'errand_waiting', 'reason', 'le']);
  const labels = new Set(Object.values(ATTRIBUTE).map((name) => name.replaceAll('.', '_')));
  const asked = expressions().flatMap((expr) => expr.match(/\b(?:errand|gen_ai|error)_\w+/g) ?? []);
  expect(asked.length).toBeGreaterThan(30);
  expect(asked.filter((name) => !known.has(name) && !labels.has(name))).toEqual([]);
});

it('has a row of the guide for every metric', () => {
  const page = read('telemetry.md');
  for (const { name } of Object.values(INSTRUMENTS)) expect(page).toContain(`\`${name}\``);
});
