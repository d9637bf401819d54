/** Costs of a run: by node, by what was called, and every attempt, failed ones apart. */
import type { JSX } from 'preact';
import { usdWords } from '../../../src/errors/render/money.ts';
import { durationWords } from '../../../src/errors/render/phrases.ts';
import type { LedgerRow } from '../../../src/history/run-view/ledger-row.ts';
import type { CostSum, RunView, ViewCosts } from '../../../src/history/run-view/view.ts';
import { counted, grouped, spaced } from '../../text/words.ts';
import { Empty, KindLink, Money, Region } from '../parts.tsx';
import { TableHead } from '../table-head.tsx';

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
    <div class="wide" role="group" aria-label={`Costs: ${name}`} tabIndex={0}>
      <table class="dense">
        <caption>{name}</caption>
        <TableHead
          columns={[
            first,
            { numbers: 'Calls' },
            { numbers: 'Tokens' },
            { numbers: 'Failed attempts' },
            { numbers: 'Cost' },
          ]}
        />
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              <td class="number">{row.calls}</td>
              <td class="number">{grouped(row.tokens)}</td>
              <td class="number">
                <Money micros={row.failedUsdMicros} />
              </td>
              <td class="number">
                <Money micros={row.usdMicros} estimated={row.estimated === true} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Attempts({ costs }: { readonly costs: ViewCosts }): JSX.Element {
  const { rows, sentBack } = costs;
  const shown = rows.slice(0, FIRST_ROWS);
  return (
    <details>
      <summary>Every attempt ({rows.length})</summary>
      <div class="wide" role="group" aria-label="Costs: every attempt" tabIndex={0}>
        <table class="dense">
          <caption>Every attempt</caption>
          <TableHead
            columns={[
              'Step',
              'Called',
              'Outcome',
              { numbers: 'Tokens in' },
              { numbers: 'Tokens out' },
              { numbers: 'Took' },
              { numbers: 'Cost' },
            ]}
          />
          <tbody>
            {shown.map((row, index) => (
              <AttemptRow key={index} row={row} isSentBack={sentBack.includes(index)} />
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown.length && (
        <p>
          The first {shown.length} of {rows.length}; <code>errand costs</code> lists all.
        </p>
      )}
    </details>
  );
}

function AttemptRow({
  row,
  isSentBack,
}: {
  readonly row: LedgerRow;
  readonly isSentBack: boolean;
}): JSX.Element {
  const { path, target, attempt, outcome, kind, inputTokens, outputTokens, latencyMs } = row;
  return (
    <tr>
      <th scope="row">{path}</th>
      <td>
        {target}
        {attempt > 0 ? `, attempt ${attempt + 1}` : ''}
      </td>
      <td>
        {isSentBack ? 'sent back: off its schema' : spaced(outcome)}{' '}
        {kind !== undefined && <KindLink kind={kind} />}
      </td>
      <td class="number">{grouped(inputTokens)}</td>
      <td class="number">{grouped(outputTokens)}</td>
      <td class="number">{durationWords(latencyMs)}</td>
      <td class="number">
        <Money micros={row.costUsdMicros} estimated={row.estimated} />
        {row.unpriced === true ? ' (no price known)' : ''}
      </td>
    </tr>
  );
}
