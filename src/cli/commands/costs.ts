/** `errand costs`: the bill of a run, one line for each attempt of each effect. */
import { onScreen } from '../../errors/on-screen.ts';
import { jsonText } from '../../errors/printable.ts';
import { durationWords } from '../../errors/render/words.ts';
import { costsOf, type Costs, type LedgerRow } from '../../machine/ledger.ts';
import type { Format } from '../format.ts';
import { tableLines } from '../screen/table.ts';
import { countWords, tokenWords, usdWords } from '../screen/words.ts';
import { readRun, sayLostLog, withStore } from '../stored-run.ts';
import type { Terminal } from '../terminal.ts';

export async function costs(
  id: string,
  { format }: { readonly format: Format },
  terminal: Terminal,
): Promise<number> {
  return withStore(async (store) => {
    const { events } = await readRun(store, id);
    await sayLostLog(store, id, terminal);
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
  if (attempts.length === 0) return 'Nothing was asked of the world, so nothing was spent.';
  const failed = attempts.filter(({ outcome }) => outcome !== 'succeeded');
  const hasCorrections = failedUsdMicros > sum(failed.map((row) => row.costUsdMicros));
  const isEstimated = attempts.some(({ estimated }) => estimated);
  const lines = tableLines(
    [
      ['NODE', 'TRY', 'OUTCOME', 'TOKENS', 'COST', 'TIME', 'TARGET'],
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
    { wrapped: true },
  );
  return [
    ...lines,
    ...sumLines(attempts, columns),
    '',
    `${usdWords(totalUsdMicros)} for ${countWords(attempts.length, 'attempt')}, ${usdWords(failedUsdMicros)} of it for attempts that failed`,
    ...(hasCorrections
      ? ['answers that were sent back, being off their schema, count as failed']
      : []),
    ...(isEstimated ? ['~ is an estimate: nobody said what it really cost'] : []),
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

/** What each node, each target and each kind of failure cost, where there is more than one to compare. */
function sumLines(attempts: readonly LedgerRow[], columns: number): readonly string[] {
  const rows = [
    ...sums('node', attempts, ({ path }) => path),
    ...sums('target', attempts, ({ type, target }) => `${type} ${target}`),
    ...sums('outcome', attempts, ({ kind, outcome }) => kind ?? outcome),
  ];
  const isFree = attempts.every(({ costUsdMicros }) => costUsdMicros === 0);
  if (rows.length === 0 || isFree) return [];
  return ['', ...tableLines([['BY', 'ATTEMPTS', 'COST', 'OF'], ...rows], columns)];
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
    (model) => `${model} has no price and counts as $0; give it one under \`cost.pricing\``,
  );
}
