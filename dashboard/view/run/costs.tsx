/** Costs of a run: by node, by target, and every attempt, with failed ones apart. */
import type { ComponentChildren, JSX } from 'preact';
import { usdWords } from '../../../src/errors/render/money.ts';
import { durationWords } from '../../../src/errors/render/report-words.ts';
import type { LedgerRow } from '../../../src/history/run-view/ledger-row.ts';
import type { CostSum, RunView, ViewCosts } from '../../../src/history/run-view/view.ts';
import { counted, grouped, spaced } from '../../text/words.ts';
import { Empty, KindLink, Money, Region } from '../parts.tsx';
import { StackedTable } from '../stacked-table.tsx';

const FIRST_ROWS = 200;

export function Costs({ view }: { readonly view: RunView }): JSX.Element {
  const { costs } = view;
  const { total } = costs;
  return (
    <Region name="Costs" id="costs">
      {total.calls === 0 ? (
        <Empty>Nothing has been called yet.</Empty>
      ) : (
        <>
          <p>
            <strong>{usdWords(total.usdMicros)}</strong> for {counted(total.calls, 'call')}, of
            which <strong>{usdWords(total.failedUsdMicros)}</strong> for failed attempts
            {total.estimated === true ? '; some of it is an estimate' : ''}
            {total.unpriced === true ? '; some models have no known price' : ''}.
          </p>
          <div class="cost-tables">
            <Sums name="By node" first="Node" rows={costs.byNode} />
            <Sums name="By model and tool" first="Called" rows={costs.byTarget} />
          </div>
          <Attempts costs={costs} />
        </>
      )}
    </Region>
  );
}

function Sums({
  name,
  first,
  rows,
}: {
  readonly name: string;
  readonly first: string;
  readonly rows: readonly (CostSum & { readonly name: string })[];
}): JSX.Element {
  return (
    <StackedTable
      name={name}
      caption={name}
      columns={[
        first,
        { numbers: 'Calls' },
        { numbers: 'Tokens' },
        { numbers: 'Failed attempts' },
        { numbers: 'Cost' },
      ]}
      rows={rows.map((row) => [
        row.name,
        row.calls,
        grouped(row.tokens),
        <Money micros={row.failedUsdMicros} />,
        <Money micros={row.usdMicros} estimated={row.estimated === true} />,
      ])}
    />
  );
}

function Attempts({ costs }: { readonly costs: ViewCosts }): JSX.Element {
  const { rows, sentBack } = costs;
  const shown = rows.slice(0, FIRST_ROWS);
  return (
    <details>
      <summary>Every attempt ({rows.length})</summary>
      <StackedTable
        name="Every attempt and its cost"
        columns={[
          'Step',
          'Called',
          'Outcome',
          { numbers: 'Tokens in' },
          { numbers: 'Tokens out' },
          { numbers: 'Took' },
          { numbers: 'Cost' },
        ]}
        rows={shown.map((row, index) =>
          attemptCells(row, { isSentBack: sentBack.includes(index) }),
        )}
      />
      {rows.length > shown.length && (
        <p>
          The first {shown.length} of {rows.length}; <code>errand costs</code> lists all.
        </p>
      )}
    </details>
  );
}

function attemptCells(
  row: LedgerRow,
  { isSentBack }: { readonly isSentBack: boolean },
): readonly ComponentChildren[] {
  const { path, target, attempt, outcome, kind, inputTokens, outputTokens, latencyMs } = row;
  return [
    path,
    attempt > 0 ? `${target}, attempt ${attempt + 1}` : target,
    <>
      {isSentBack ? 'sent back: off its schema' : spaced(outcome)}{' '}
      {kind !== undefined && <KindLink kind={kind} />}
    </>,
    grouped(inputTokens),
    grouped(outputTokens),
    durationWords(latencyMs),
    <>
      <Money micros={row.costUsdMicros} estimated={row.estimated} />
      {row.unpriced === true ? ' (no price known)' : ''}
    </>,
  ];
}
