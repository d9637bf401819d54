/** The dashboard and the alert rules of the guide: well-formed, and with a row of the guide for every metric. */
import { expect, it } from 'vitest';
import { INSTRUMENTS } from '../../src/telemetry/metrics/instruments.ts';
import { dashboard, questions, read, seriesOf, wrongIn, type OtlpMetric } from './prometheus.ts';

it('has panels with ids of their own, and asks something in each', () => {
  const { panels } = dashboard();
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(panels.every(({ targets }) => targets.length > 0)).toBe(true);
  expect(questions().length).toBeGreaterThan(15);
});

it('has a row of the guide for every metric', () => {
  const page = read('telemetry.md');
  for (const { name } of Object.values(INSTRUMENTS)) expect(page).toContain(`\`${name}\``);
});

it.each([
  ['sum(errand_runs_ended_total)', '', ['no series errand_runs_ended_total']],
  ['sum by (colour) (errand_a_total)', '{{colour}}', ['errand_a_total has no colour']],
  ['errand_a_total{colour="red"}', '', ['errand_a_total has no colour']],
  ['sum by (kind) (errand_a_total)', '{{ $labels.node }}', ['not by node']],
  ['rate(errand_b_seconds_bucket[5m]', '', ['brackets']],
  ['sum by (le, kind) (rate(errand_b_seconds_bucket[5m]))', '{{kind}}', []],
])('finds what is wrong with %s', (expr, shown, wrong) => {
  const dataPoints = [{ attributes: [{ key: 'kind' }] }];
  const metrics: readonly OtlpMetric[] = [
    { name: 'errand.a', unit: '{run}', sum: { isMonotonic: true, dataPoints } },
    { name: 'errand.b', unit: 's', histogram: { dataPoints } },
  ];
  expect(wrongIn({ expr, shown }, seriesOf(metrics))).toEqual(wrong);
});
