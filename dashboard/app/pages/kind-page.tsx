/** A kind of failure: its meaning, the remedy, its occurrences, and the nodes that declare it. */
import type { JSX } from 'preact';
import { DOMAIN_ROW } from '../../../src/errors/catalog/domain-row.ts';
import type { ExplainedRow } from '../../../src/errors/catalog/explained-kind.ts';
import type { CatalogRow } from '../../../src/errors/catalog/row.ts';
import {
  categoryWords,
  retryableWords,
  scheduleWords,
} from '../../../src/errors/render/report-words.ts';
import type { ShownProblem } from '../../../src/server/http/problem-response.ts';
import { Ago, Empty, Facts, PageLink, ProblemBox, Region } from '../../view/parts.tsx';
import type { RunRowData } from '../../view/run-row.tsx';
import { StatusWord } from '../../view/status.tsx';
import type { WorkflowData, WorkflowRowData } from '../../view/workflow-data.ts';
import { read, Refusal, v1, withQuery } from '../api.ts';
import { useResource, useTitle } from '../hooks.ts';

const MOST_RUNS = '20';

interface Explained {
  /** Absent for a kind of an author. */
  readonly row?: ExplainedRow;
}

export function KindPage({ kind }: { readonly kind: string }): JSX.Element {
  useTitle(kind);
  const explained = useResource(`kind ${kind}`, () => explain(kind));
  const runs = useResource(`runs with ${kind}`, () =>
    read<{ readonly runs: readonly RunRowData[] }>(
      withQuery(v1('runs'), { kind, limit: MOST_RUNS }),
    ),
  );
  const declared = useResource(`nodes with ${kind}`, () => declaring(kind));
  const isKnown = explained.data?.row !== undefined;
  const isNowhere =
    explained.data !== undefined &&
    !isKnown &&
    declared.data?.length === 0 &&
    runs.data?.runs.length === 0;
  return (
    <>
      <h1 tabIndex={-1}>{kind}</h1>
      {explained.problem !== undefined && <ProblemBox problem={explained.problem} />}
      {isNowhere && <Unknown kind={kind} />}
      {explained.data?.row !== undefined && <Meaning row={explained.data.row} />}
      {explained.data !== undefined && !isKnown && !isNowhere && <Meaning row={DOMAIN_ROW} />}
      <Region name="Where it occurred" id="runs">
        {runs.problem !== undefined && <ProblemBox problem={runs.problem} />}
        {runs.data === undefined && runs.problem === undefined && <Empty>Loading…</Empty>}
        {runs.data?.runs.length === 0 && <Empty>No run has ended or waits with it.</Empty>}
        <ul class="story">
          {runs.data?.runs.map((row) => (
            <li key={row.run}>
              <StatusWord status={row.status} /> {row.workflow}{' '}
              <PageLink to={`/runs/${encodeURIComponent(row.run)}`}>{row.run}</PageLink>{' '}
              <span class="quiet">
                <Ago at={row.startedAt} />
              </span>
              {row.error !== undefined && <p class="message">{row.error.message}</p>}
            </li>
          ))}
        </ul>
      </Region>
      <Region name="Nodes that can raise it" id="nodes">
        {declared.problem !== undefined && <ProblemBox problem={declared.problem} />}
        {declared.data === undefined && declared.problem === undefined && <Empty>Loading…</Empty>}
        {declared.data?.length === 0 && <Empty>No node of a served workflow raises it.</Empty>}
        <ul>
          {declared.data?.map(({ workflow, node, move }) => (
            <li key={`${workflow} ${node}`}>
              <PageLink to={`/workflows/${encodeURIComponent(workflow)}`}>{workflow}</PageLink>{' '}
              {node} <span class="quiet">then {moveWords(move)}</span>
            </li>
          ))}
        </ul>
      </Region>
    </>
  );
}

function Unknown({ kind }: { readonly kind: string }): JSX.Element | null {
  const { data } = useResource(`unknown ${kind}`, () => unknownKind(kind));
  return data === undefined ? null : <ProblemBox problem={data} />;
}

/** The reports of an author's kind say whether a retry is worthwhile. */
function Meaning({
  row,
}: {
  readonly row: CatalogRow & Partial<Pick<ExplainedRow, 'retryable'>>;
}): JSX.Element {
  const { retryable } = row;
  return (
    <div class="meaning">
      <p class="lead">{row.title}</p>
      <p class="message">{row.help}</p>
      <p class="what-to-do">
        <strong>What to do</strong> {row.action.detail}
      </p>
      <Facts
        facts={[
          ['Category', categoryWords(row)],
          ['Retryable', retryable === undefined ? undefined : retryableWords({ retryable })],
          ['Retries by default', scheduleWords(row.schedule)],
          ['Status of a result', row.httpStatus],
          ['Exit code', row.exitCode],
        ]}
      />
    </div>
  );
}

/** An author's kind is not in the catalog, and that is no refusal. */
async function explain(kind: string): Promise<Explained> {
  const rows = await read<readonly ExplainedRow[]>(v1('catalog'));
  const row = rows.find((each) => each.kind === kind);
  return row === undefined ? {} : { row };
}

/** The server's message about an unknown kind. */
async function unknownKind(kind: string): Promise<ShownProblem | undefined> {
  try {
    await read(v1('catalog', kind));
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown.problem;
    throw thrown;
  }
}

/** `park #2` is the third route of its node. */
function moveWords(move: string): string {
  if (move === 'the default') return 'the default: the failure leaves the node';
  return move.replace(/ #(\d+)$/, (_, rule: string) => `, route ${Number(rule) + 1} of the node`);
}

interface Declaration {
  readonly workflow: string;
  readonly node: string;
  readonly move: string;
}

async function declaring(kind: string): Promise<readonly Declaration[]> {
  const { workflows } = await read<{ readonly workflows: readonly WorkflowRowData[] }>(
    v1('workflows'),
  );
  const names = [...new Set(workflows.map(({ name }) => name))];
  const all = await Promise.all(names.map((name) => read<WorkflowData>(v1('workflows', name))));
  return all.flatMap(({ name, validation }) => {
    const [own] = validation.files;
    return Object.entries(own?.nodes ?? {}).flatMap(([node, { raises, routes }]) =>
      raises.includes(kind) ? [{ workflow: name, node, move: routes[kind] ?? 'the default' }] : [],
    );
  });
}
