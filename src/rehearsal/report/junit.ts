/** A rehearsal as JUnit XML: a suite for each file, a case for each scenario, with virtual times. */
import type { RehearsalResult, ScenarioResult } from './rehearsal-result.ts';

export function junitReport(results: readonly RehearsalResult[]): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    ...results.flatMap(suite),
    '</testsuites>',
    '',
  ].join('\n');
}

/** The report's facts about a scenario, besides its own result. */
interface Case {
  readonly name: string;
  readonly virtualMs: number;
  /** Reasons why it failed, the most telling first. */
  readonly failures: readonly Failure[];
  /** Why it was not reached. */
  readonly skipped?: string;
}

interface Failure {
  readonly type: string;
  readonly message: string;
}

function suite(result: RehearsalResult): readonly string[] {
  const { file } = result;
  const cases = casesOf(result);
  const failures = cases.filter(isFailed).length;
  const skipped = cases.filter((each) => !isFailed(each) && each.skipped !== undefined).length;
  const time = seconds(cases.reduce((sum, { virtualMs }) => sum + virtualMs, 0));
  return [
    `  <testsuite name="${escaped(file)}" tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${time}">`,
    ...cases.flatMap((each) => testCase(file, each)),
    '  </testsuite>',
  ];
}

/** A scenario that only the record has is a case too: the check fails because of it. */
function casesOf({ scenarios, record }: RehearsalResult): readonly Case[] {
  const { changed = [], added = [], gone = [] } = record ?? {};
  const since = new Map([
    ...changed.map((name) => [name, recordFailure('changed')] as const),
    ...added.map((name) => [name, recordFailure('added')] as const),
  ]);
  const played = scenarios.map((scenario): Case => {
    const { name, virtualMs, verdict, why = '' } = scenario;
    const differs = since.get(name);
    const failures = [...failuresOf(scenario), ...(differs === undefined ? [] : [differs])];
    return { name, virtualMs, failures, ...(verdict === 'unreached' ? { skipped: why } : {}) };
  });
  const lost = gone.map((name) => ({ name, virtualMs: 0, failures: [recordFailure('gone')] }));
  return [...played, ...lost];
}

function recordFailure(what: 'added' | 'changed' | 'gone'): Failure {
  return { type: 'record', message: `${what} since it was recorded` };
}

function failuresOf({ verdict, why = '', differs = [] }: ScenarioResult): readonly Failure[] {
  const unlike = differs.map(({ field, expected, got }) => ({
    type: differs.map((each) => each.field).join(','),
    message: `${field}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`,
  }));
  const unmeant = unlike[0]?.type ?? verdict;
  return [...(verdict === 'surprise' ? [{ type: unmeant, message: why }] : []), ...unlike];
}

function testCase(file: string, { name, virtualMs, failures, skipped }: Case): readonly string[] {
  const head = `    <testcase classname="${escaped(file)}" name="${escaped(name)}" time="${seconds(virtualMs)}"`;
  const [first] = failures;
  if (first !== undefined) {
    const lines = [skipped ?? '', ...failures.map(({ message }) => message)];
    const body = escaped(lines.filter((line) => line !== '').join('\n'));
    const failure = `      <failure type="${escaped(first.type)}" message="${escaped(first.message)}">${body}</failure>`;
    return [`${head}>`, failure, '    </testcase>'];
  }
  if (skipped !== undefined)
    return [`${head}>`, `      <skipped message="${escaped(skipped)}"/>`, '    </testcase>'];
  return [`${head}/>`];
}

function isFailed({ failures }: Case): boolean {
  return failures.length > 0;
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
