/** The graph of a workflow with all its routes; the table of failure routes has the same facts as text. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { layoutGraph } from '../../../src/history/graph-layout/layout-graph.ts';
import type { RunGraph } from '../../../src/history/workflow-graph.ts';
import { counted } from '../../text/words.ts';
import { GraphPicture } from './graph-picture.tsx';

export function WorkflowGraphView({ graph }: { readonly graph: RunGraph }): JSX.Element {
  const layout = useMemo(() => layoutGraph(graph), [graph]);
  return (
    <>
      <GraphPicture
        layout={layout}
        summary={`${counted(graph.nodes.length, 'node')}, beginning at ${graph.entryPoint}. The table of failure routes says what follows each failure.`}
      />
      <details>
        <summary>The routes as a list</summary>
        <ul>
          {graph.nodes.flatMap(({ name, routes }) =>
            routes
              .filter(({ bucket }) => bucket !== 'workflow')
              .map(({ rule, bucket, onError, when, move, to }) => (
                <li key={`${name} ${rule}`}>
                  {name}
                  {bucket === 'error'
                    ? `: ${onError === true ? 'any failure' : (onError ?? []).join(', ')}`
                    : ''}{' '}
                  → {to ?? move} {when !== undefined && <code>{when}</code>}
                </li>
              )),
          )}
        </ul>
      </details>
    </>
  );
}
