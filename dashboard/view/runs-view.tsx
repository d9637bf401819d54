/** The list of runs: filters, counts by kind, and a row for each run with the reason it needs a look. */
import type { JSX } from 'preact';
import { usdWords } from '../../src/errors/render/money.ts';
import { ATTENTIONS } from '../../src/history/attention.ts';
import type { RunStatusName } from '../../src/machine/ports/store-port.ts';
import { failureOfRun } from '../../src/history/run-row.ts';
import type { ShownProblem } from '../../src/server/http/problem-response.ts';
import { counted, spaced, waitWords } from '../text/words.ts';
import { Ago, Empty, Money, PageLink, ProblemBox } from './parts.tsx';
import { openRow, RowMoves, type RunRowData } from './run-row.tsx';
import { RunStatusWords } from './status.tsx';
import { useSurroundings } from './surroundings.ts';

export interface RunFilterValues {
  readonly status?: string;
  readonly attention?: string;
  readonly workflow?: string;
  readonly kind?: string;
  readonly cursor?: string;
}

export interface RunsViewProps {
  /** Undefined while loading. */
  readonly rows: readonly RunRowData[] | undefined;
  readonly problem: ShownProblem | undefined;
  readonly filters: RunFilterValues;
  readonly kinds:
    | {
        readonly kinds: readonly {
          readonly kind: string;
          readonly count: number;
          readonly costUsdMicros: number;
        }[];
        readonly isCut: boolean;
      }
    | undefined;
  readonly workflows: readonly string[];
  readonly bulk:
    | {
        readonly kind: string;
        readonly resumed: readonly string[];
        readonly refused: readonly { readonly run: string; readonly problem: ShownProblem }[];
        /** The number of them that have failed again since. */
        readonly failedAgain: number;
      }
    | undefined;
  readonly mayRun: boolean;
  readonly isBusy: boolean;
  /** The reason why this server cannot resume the runs of a workflow. */
  readonly obstacle: (workflow: string) => string | undefined;
  readonly filter: (filters: RunFilterValues) => void;
  /** Absent on the last page. */
  readonly older?: () => void;
  /** Absent on the first page. */
  readonly newest?: () => void;
  readonly cancel: (row: RunRowData) => void;
  readonly resume: (row: RunRowData) => void;
  readonly resumeAll: (kind: string) => void;
}

export function RunsView(props: RunsViewProps): JSX.Element {
  const { rows, problem, bulk, older, newest } = props;
  return (
    <>
      {problem !== undefined && <ProblemBox problem={problem} />}
      {bulk !== undefined && <BulkSummary bulk={bulk} />}
      <FailuresByKind {...props} />
      <Filters {...props} />
      {rows === undefined && problem === undefined && <Empty>Loading…</Empty>}
      {rows !== undefined && <RunsTable {...props} rows={rows} />}
      {(older !== undefined || newest !== undefined) && (
        <p class="buttons">
          {newest !== undefined && (
            <button type="button" onClick={newest}>
              Newest
            </button>
          )}
          {older !== undefined && (
            <button type="button" onClick={older}>
              Older
            </button>
          )}
        </p>
      )}
    </>
  );
}

/** A table, so that no new status is forgotten. */
const STATUSES = {
  running: true,
  paused: true,
  completed: true,
  failed: true,
  cancelled: true,
  interrupted: true,
} satisfies Record<RunStatusName, true>;

function Filters({ filters, workflows, kinds, filter }: RunsViewProps): JSX.Element {
  const change = (name: 'status' | 'attention' | 'workflow' | 'kind', value: string): void => {
    const { cursor: _cursor, [name]: _before, ...rest } = filters;
    filter(value === '' ? rest : { ...rest, [name]: value });
  };
  const known = (kinds?.kinds ?? []).map(({ kind }) => kind);
  const kindNames = [
    ...new Set(filters.kind === undefined ? known : [...known, filters.kind]),
  ].toSorted();
  return (
    <div class="filters" role="search" aria-label="Filters">
      <Choice
        name="Status"
        value={filters.status ?? ''}
        options={Object.keys(STATUSES).map((each) => [each, each])}
        choose={(value) => change('status', value)}
      />
      <Choice
        name="Attention"
        value={filters.attention ?? ''}
        options={ATTENTIONS.map((each) => [each, each === 'none' ? 'none needed' : spaced(each)])}
        choose={(value) => change('attention', value)}
      />
      <Choice
        name="Workflow"
        value={filters.workflow ?? ''}
        options={workflows.map((each) => [each, each])}
        choose={(value) => change('workflow', value)}
      />
      <Choice
        name="Kind"
        value={filters.kind ?? ''}
        options={kindNames.map((each) => [each, each])}
        choose={(value) => change('kind', value)}
      />
      {Object.keys(filters).length > 0 && (
        <button type="button" class="small" onClick={() => filter({})}>
          Clear filters
        </button>
      )}
    </div>
  );
}

function Choice({
  name,
  value,
  options,
  choose,
}: {
  readonly name: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
  readonly choose: (value: string) => void;
}): JSX.Element {
  const isKnown = value === '' || options.some(([each]) => each === value);
  return (
    <label class="field-inline">
      <span>{name}</span>
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">all</option>
        {!isKnown && <option value={value}>{spaced(value)}</option>}
        {options.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

function FailuresByKind({
  kinds,
  mayRun,
  isBusy,
  resumeAll,
  filters,
}: RunsViewProps): JSX.Element | null {
  const { base } = useSurroundings();
  if (kinds === undefined || kinds.kinds.length === 0) return null;
  return (
    <div class="by-kind">
      <h2 id="by-kind-name">Failures by kind</h2>
      <ul aria-labelledby="by-kind-name">
        {kinds.kinds.map(({ kind, count, costUsdMicros }) => (
          <li key={kind} class={filters.kind === kind ? 'chosen' : ''}>
            <span class="number">{count} ×</span>{' '}
            <a
              class="kind"
              href={`${base ?? ''}/?attention=failed&kind=${encodeURIComponent(kind)}`}
            >
              {kind}
            </a>{' '}
            <span class="quiet number">
              {costUsdMicros === 0 ? '' : `${usdWords(costUsdMicros)} spent`}
            </span>
            {mayRun && (
              <button
                type="button"
                class="small"
                aria-disabled={isBusy}
                onClick={() => resumeAll(kind)}
              >
                Resume all
              </button>
            )}
          </li>
        ))}
      </ul>
      {kinds.isCut && <p class="note">Only the newest failed runs are counted.</p>}
    </div>
  );
}

function BulkSummary({ bulk }: { readonly bulk: NonNullable<RunsViewProps['bulk']> }): JSX.Element {
  const { kind, resumed, refused, failedAgain } = bulk;
  return (
    <div class="notice" id="bulk" tabIndex={-1}>
      <p>
        Resumed {counted(resumed.length, 'run')} that failed with <code>{kind}</code>
        {failedAgain > 0 && `; ${failedAgain} of them failed again`}
        {refused.length > 0 ? `; ${refused.length} refused:` : '.'}
      </p>
      {refused.length > 0 && (
        <ul>
          {refused.map(({ run, problem }) => (
            <li key={run}>
              <PageLink to={`/runs/${encodeURIComponent(run)}`}>{run}</PageLink>: {problem.detail}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function RunsTable(props: RunsViewProps & { readonly rows: readonly RunRowData[] }): JSX.Element {
  const { rows, filters, mayRun } = props;
  if (rows.length === 0)
    return (
      <Empty>
        {Object.keys(filters).length > 0 ? (
          'No run fits these filters.'
        ) : (
          <>
            There is no run yet. Start one{' '}
            {mayRun && (
              <>
                from <PageLink to="/workflows">its workflow</PageLink>, or{' '}
              </>
            )}
            with <code>errand run</code>.
          </>
        )}
      </Empty>
    );
  return (
    <div class="wide" role="group" aria-label="Table of runs" tabIndex={0}>
      <table class="runs stacked" role="table" aria-label="Runs">
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              Status
            </th>
            <th role="columnheader" scope="col">
              Workflow
            </th>
            <th role="columnheader" scope="col">
              Failure
            </th>
            <th role="columnheader" scope="col">
              Where
            </th>
            <th role="columnheader" scope="col">
              Started
            </th>
            <th role="columnheader" scope="col" class="number">
              Cost
            </th>
            <th role="columnheader" scope="col">
              Waits for
            </th>
            {/* the buttons below it name themselves */}
            {mayRun && <td role="cell" />}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <RunTableRow key={row.run} row={row} {...props} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RunTableRow({
  row,
  mayRun,
  isBusy,
  obstacle,
  cancel,
  resume,
}: RunsViewProps & { readonly row: RunRowData }): JSX.Element {
  const { run, workflow, status, attention, startedAt, costUsdMicros, retry } = row;
  const failure = failureOfRun(row) ?? retry?.error;
  return (
    <tr role="row" onClick={openRow}>
      <td role="cell">
        <RunStatusWords status={status} attention={attention} />
      </td>
      <td role="cell">
        <span class="workflow">{workflow}</span>
        <span id={`run-${run}`}>
          <PageLink class="id" to={`/runs/${encodeURIComponent(run)}`}>
            {run}
          </PageLink>
        </span>
      </td>
      <td role="cell" class="failure-cell">
        {failure !== undefined && (
          <>
            <code class="kind">{failure.kind}</code>
            <span class="message">{failure.message}</span>
          </>
        )}
      </td>
      <td role="cell" data-label="at">
        {placeOf(row)}
      </td>
      <td role="cell" data-label="started">
        <Ago at={startedAt} />
      </td>
      <td role="cell" class="number" data-label="cost">
        <Money micros={costUsdMicros} />
      </td>
      <td role="cell" data-label="waits for">
        <Waits row={row} />
      </td>
      {mayRun && (
        <td role="cell" class="row-moves">
          <RowMoves
            row={row}
            obstacle={obstacle(workflow)}
            isBusy={isBusy}
            cancel={cancel}
            resume={resume}
          />
        </td>
      )}
    </tr>
  );
}

/** The place where it failed or waits. */
function placeOf({ where, waiting, retry }: RunRowData): string {
  return where ?? waiting?.path ?? waiting?.node ?? retry?.path ?? '';
}

function Waits({ row }: { readonly row: RunRowData }): JSX.Element {
  const { waiting, retry } = row;
  if (waiting === undefined) return retry === undefined ? <></> : <NextTry at={retry.at} />;
  const { gate, until } = waiting;
  return (
    <>
      {waitWords(waiting)}
      {until !== undefined && (
        <span class="quiet">
          {gate === undefined ? ', ' : ', at the latest '}
          <Ago at={until} />
        </span>
      )}
    </>
  );
}

function NextTry({ at }: { readonly at: string }): JSX.Element {
  return (
    <>
      the next try
      <span class="quiet">
        , <Ago at={at} />
      </span>
    </>
  );
}
