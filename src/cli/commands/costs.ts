/** `errand costs`: what a run cost, one line for each attempt of each effect. */
import { onScreen } from '../../errors/support/on-screen.ts';
import { jsonText } from '../../errors/support/printable.ts';
import { durationWords } from '../../errors/render/report-words.ts';
import { costsOf, type Costs } from '../../history/cost-ledger.ts';
import type { LedgerRow } from '../../history/run-view/ledger-row.ts';
import type { Format } from '../format.ts';
import { tableLines } from '../screen/table-lines.ts';
import { countWords, tokenWords, usdWords } from '../screen/number-words.ts';
import { readRun, warnLostLog, withRuns } from '../project/stored-run.ts';
import type { Terminal } from '../terminal.ts';

export async function costs(
  id: string,
  { format }: { readonly format: Format },
  terminal: Terminal,
): Promise<number> {
  return withRuns(async (runs) => {
    const { events } = await readRun(runs, id);
    await warnLostLog(runs, id, terminal);
    const bill = costsOf(events);
    terminal.out(
      format === 'json' ? jsonText(bill, 2) : costsText(onScreen(bill), terminal.columns),
    );
    return 0;
  }, id);
}

export function costsText(
  { totalUsdMicros, failedUsdMicros, attempts }: Costs,
  columns: number,
): string {
  if (attempts.length === 0) return 'No call was made, so nothing was spent.';
  const failed = attempts.filter(({ outcome }) => outcome !== 'succeeded');
  const hasCorrections = failedUsdMicros > sum(failed.map((row) => row.costUsdMicros));
  const isEstimated = attempts.some(({ estimated }) => estimated);
  const lines = tableLines(
    [
      ['NODE', 'ATTEMPT', 'OUTCOME', 'TOKENS', 'COST', 'TIME', 'TARGET'],
      ...attempts.map((row) => [
        row.path,
        String(row.attempt + 1),
        row.kind ?? row.outcome,
        tokens(row),
        `${usdWords(row.costUsdMicros)}${row.estimated ? ' ~' : ''}`,
        durationWords(row.latencyMs),
        row.type === 'model' || row.type === 'tool' ? row.target : `${row.type} ${row.target}`,
      ]),
    ],
    columns,
    { wrapped: true, stacked: true },
  );
  return [
    ...lines,
    ...sumLines(attempts, columns),
    '',
    `${usdWords(totalUsdMicros)} for ${countWords(attempts.length, 'call')}, ${usdWords(failedUsdMicros)} of it for failed attempts`,
    ...(hasCorrections ? ['replies that did not fit their schema count as failed'] : []),
    ...(isEstimated ? ['~ is an estimate: no usage was reported, or the call was cut off'] : []),
    ...unpricedLines(attempts),
  ].join('\n');
}

function tokens({ inputTokens, outputTokens }: LedgerRow): string {
  if (inputTokens + outputTokens === 0) return '';
  return `${tokenWords(inputTokens)} + ${tokenWords(outputTokens)}`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Sums by node, target and outcome, where there is more than one to compare. */
function sumLines(attempts: readonly LedgerRow[], columns: number): readonly string[] {
  const rows = [
    ...sums('node', attempts, ({ path }) => path),
    ...sums('target', attempts, ({ type, target }) => `${type} ${target}`),
    ...sums('outcome', attempts, ({ kind, outcome }) => kind ?? outcome),
  ];
  const isFree = attempts.every(({ costUsdMicros }) => costUsdMicros === 0);
  if (rows.length === 0 || isFree) return [];
  return ['', ...tableLines([['BY', 'CALLS', 'COST', 'OF'], ...rows], columns)];
}

function sums(
  by: string,
  attempts: readonly LedgerRow[],
  nameOf: (row: LedgerRow) => string,
): readonly (readonly string[])[] {
  const groups = Map.groupBy(attempts, nameOf);
  if (groups.size < 2) return [];
  return Array.from(groups, ([name, rows]) => {
    const cost = rows.reduce((sum, { costUsdMicros }) => sum + costUsdMicros, 0);
    return [by, String(rows.length), usdWords(cost), name];
  });
}

function unpricedLines(attempts: readonly LedgerRow[]): readonly string[] {
  const models = new Set(attempts.flatMap((row) => (row.unpriced === true ? [row.target] : [])));
  return [...models].map(
    (model) => `No price is known for ${model}, so it counts as $0; set one under \`cost.pricing\``,
  );
}
