/** A rehearsal as JUnit XML: a suite for each file, a case for each scenario, with virtual times. */
import type { RehearsalResult, ScenarioResult } from './result.ts';

export function junitReport(results: readonly RehearsalResult[]): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    ...results.flatMap(suite),
    '</testsuites>',
    '',
  ].join('\n');
}

function suite({ file, scenarios }: RehearsalResult): readonly string[] {
  const failures = scenarios.filter(isFailed).length;
  const skipped = scenarios.filter(({ verdict }) => verdict === 'unreached').length;
  const time = seconds(scenarios.reduce((sum, { virtualMs }) => sum + virtualMs, 0));
  return [
    `  <testsuite name="${escaped(file)}" tests="${scenarios.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${time}">`,
    ...scenarios.flatMap((scenario) => testCase(file, scenario)),
    '  </testsuite>',
  ];
}

function testCase(file: string, scenario: ScenarioResult): readonly string[] {
  const { name, verdict, why = '', virtualMs } = scenario;
  const head = `    <testcase classname="${escaped(file)}" name="${escaped(name)}" time="${seconds(virtualMs)}"`;
  if (isFailed(scenario)) return [`${head}>`, failure(scenario), '    </testcase>'];
  if (verdict === 'unreached')
    return [`${head}>`, `      <skipped message="${escaped(why)}"/>`, '    </testcase>'];
  return [`${head}/>`];
}

function isFailed({ verdict, differs = [] }: ScenarioResult): boolean {
  return verdict === 'surprise' || differs.length > 0;
}

function failure({ verdict, why = '', differs = [] }: ScenarioResult): string {
  const type = differs.length > 0 ? differs.map(({ field }) => field).join(',') : verdict;
  const lines = differs.map(
    ({ field, expected, got }) =>
      `${field}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`,
  );
  const message = verdict === 'surprise' ? why : (lines[0] ?? '');
  const body = [...(why === '' ? [] : [why]), ...lines].join('\n');
  return `      <failure type="${escaped(type)}" message="${escaped(message)}">${escaped(body)}</failure>`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** Characters that XML cannot hold are replaced. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .toWellFormed()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;');
}
