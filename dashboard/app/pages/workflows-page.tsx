/** The workflows that are served. */
import type { JSX } from 'preact';
import { counted } from '../../text/words.ts';
import { Ago, Empty, PageLink, ProblemBox } from '../../view/parts.tsx';
import { ValidityWord } from '../../view/verdict.tsx';
import type { WorkflowRowData } from '../../view/workflow-data.ts';
import { read, v1 } from '../api.ts';
import { useResource, useTitle } from '../hooks.ts';

export function WorkflowsPage(): JSX.Element {
  useTitle('Workflows');
  const { data, problem } = useResource('workflows', () =>
    read<{ readonly workflows: readonly WorkflowRowData[] }>(v1('workflows')),
  );
  return (
    <>
      <h1 tabIndex={-1}>Workflows</h1>
      {problem !== undefined && <ProblemBox problem={problem} />}
      {data?.workflows.length === 0 && (
        <Empty>
          No workflow is served. Start the server with the files or the folder of your workflows.
        </Empty>
      )}
      <ul class="cards">
        {data?.workflows.toSorted(byName).map((row) => (
          <li key={row.file} class="card">
            <h2>
              <PageLink to={`/workflows/${encodeURIComponent(row.name)}`}>{row.name}</PageLink>
            </h2>
            {row.description !== undefined && <p>{row.description}</p>}
            <p class="quiet">
              <ValidityWord isValid={row.isValid} /> {row.file} {countWords(row)}
            </p>
            {row.schedule?.map(({ cron, next }) => (
              <p key={cron} class="quiet">
                Scheduled <code>{cron}</code>
                {next !== undefined && (
                  <>
                    , next <Ago at={next} />
                  </>
                )}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}

function byName(a: WorkflowRowData, b: WorkflowRowData): number {
  return a.name < b.name ? -1 : 1;
}

function countWords({ errors, warnings }: WorkflowRowData): string {
  return [
    ...(errors === 0 ? [] : [counted(errors, 'error')]),
    ...(warnings === 0 ? [] : [counted(warnings, 'warning')]),
  ].join(', ');
}
