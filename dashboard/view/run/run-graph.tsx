/** The graph of a run with its live state, and a list of the taken routes beside it. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { boxIdOf } from '../../../src/history/graph-layout/layout.ts';
import type { TakenRoute } from '../../../src/history/run-view/view.ts';
import { counted } from '../../text/words.ts';
import { Empty, Region } from '../parts.tsx';
import { boxOf, boxStates, takenRoutes } from '../graph/box-states.ts';
import { GraphPicture } from '../graph/graph-picture.tsx';
import type { RunActions, WholeRunPage } from './page-data.ts';

const MOST_ROUTES = 300;

export function RunGraph({
  page,
  actions,
}: {
  readonly page: WholeRunPage;
  readonly actions: RunActions | undefined;
}): JSX.Element {
  const { layout, view } = page;
  const known = useMemo(() => new Set(layout?.boxes.map(({ id }) => id)), [layout]);
  const states = useMemo(() => boxStates(view, known), [view.steps, view.status, known]);
  const taken = useMemo(
    () => takenRoutes(view, known),
    [view.routes, view.steps, view.status, known],
  );
  const open = (box: string): void => {
    const step = view.steps.find(({ path }) => boxOf(path, known) === box);
    if (step !== undefined) actions?.openStep(step.path);
  };
  return (
    <Region name="Graph" id="graph">
      <div class="graph-and-routes">
        {layout === undefined ? (
          <Empty>The workflow of the run is not known here, so there is no graph.</Empty>
        ) : (
          <GraphPicture
            layout={layout}
            states={states}
            taken={taken}
            chosen={page.step === undefined ? undefined : boxOf(page.step, known)}
            choose={actions === undefined ? undefined : open}
            summary={`${counted(states.size, 'node')} of ${layout.boxes.length} have started. The list of routes taken and the table of steps say the same in words.`}
          />
        )}
        <RoutesTaken routes={view.routes.slice(0, MOST_ROUTES)} all={view.routes.length} />
      </div>
    </Region>
  );
}

function RoutesTaken({
  routes,
  all,
}: {
  readonly routes: readonly TakenRoute[];
  readonly all: number;
}): JSX.Element {
  return (
    <div class="routes-taken">
      <h3 id="routes-name">Routes taken</h3>
      {routes.length === 0 && <Empty>No route was taken.</Empty>}
      {/* a long list scrolls; with a keyboard only if it has the focus */}
      <ul aria-labelledby="routes-name" tabIndex={routes.length > SHORT_LIST ? 0 : undefined}>
        {routes.map((route) => (
          <li
            key={route.seq}
            class={route.kind === undefined ? '' : 'of-failure'}
            data-count={(route.count ?? 1) > 1 ? route.count : undefined}
          >
            {routeWords(route)}
          </li>
        ))}
      </ul>
      {routes.length < all && (
        <p>
          The first {routes.length} of {all}.
        </p>
      )}
    </div>
  );
}

/** A list that fits its frame, even if each route takes three lines. */
const SHORT_LIST = 8;

/**
 * `NODE: KIND → TARGET`, for a success `NODE → TARGET`; several members that took it count as one.
 */
function routeWords({ path, kind, move, to, count }: TakenRoute): string {
  const from = count > 1 ? boxIdOf(path) : path;
  const target = to ?? move;
  return kind === undefined ? `${from} → ${target}` : `${from}: ${kind} → ${target}`;
}
