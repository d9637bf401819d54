/**
 * One workflow: its graph with all routes, its handling of each failure, and the form that starts
 * it.
 */
import type { JSX } from 'preact';
import { WorkflowGraphView } from '../../view/graph/workflow-graph-view.tsx';
import { PageLink, ProblemBox, Region } from '../../view/parts.tsx';
import {
  Diagnostics,
  FailureRoutes,
  Rehearsal,
  ValidityWord,
  WorstCaseTable,
} from '../../view/verdict.tsx';
import type { WorkflowData } from '../../view/workflow-data.ts';
import { read, role, v1 } from '../api.ts';
import { useResource, useTitle } from '../hooks.ts';
import { StartForm } from './start-form.tsx';

export function WorkflowPage({ name }: { readonly name: string }): JSX.Element {
  useTitle(name);
  const { data, problem } = useResource(`workflow ${name}`, () =>
    read<WorkflowData>(v1('workflows', name)),
  );
  return (
    <>
      <header class="page-head">
        <h1 tabIndex={-1}>{name}</h1>
        {data !== undefined && (
          <p class="page-status">
            <ValidityWord isValid={data.validation.isValid} />{' '}
            <span class="quiet">{data.file}</span>{' '}
            <PageLink to={`/?workflow=${encodeURIComponent(name)}`}>Its runs</PageLink>
          </p>
        )}
        {data?.description !== undefined && <p>{data.description}</p>}
      </header>
      {problem !== undefined && <ProblemBox problem={problem} />}
      {data !== undefined && <Whole workflow={data} />}
    </>
  );
}

function Whole({ workflow }: { readonly workflow: WorkflowData }): JSX.Element {
  const { validation, graph, rehearsal } = workflow;
  const mayRun = role.value === 'run' || role.value === 'edit';
  const isClean = validation.files.every(({ diagnostics }) => diagnostics.length === 0);
  return (
    <>
      {!isClean && (
        <Region name="Diagnostics" id="diagnostics">
          <Diagnostics verdict={validation} />
        </Region>
      )}
      {mayRun && validation.isValid && (
        <Region name="Start a run" id="start">
          <StartForm workflow={workflow} />
        </Region>
      )}
      {graph !== null && (
        <Region name="Graph" id="graph">
          <WorkflowGraphView graph={graph} />
        </Region>
      )}
      <Region name="How it deals with failures" id="routes">
        <FailureRoutes files={validation.files} />
      </Region>
      <Region name="Worst case" id="worst-case">
        <WorstCaseTable now={validation.files[0]?.worstCase} />
      </Region>
      <Region name="Rehearsal" id="rehearsal">
        <Rehearsal rehearsal={rehearsal} />
      </Region>
    </>
  );
}
