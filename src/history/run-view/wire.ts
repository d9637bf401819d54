/** A view as it is sent, and as the page takes it up again. */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { List } from './list.ts';
import { Places } from './places.ts';
import type { RunView, StepView } from './view.ts';

/** Rows of the ledger above this are left out: the sums are there, and the rows have a path of their own. */
const MOST_ROWS = 2000;

/** Lists as arrays, without what can be made again. */
export function viewToJson(view: RunView): JsonValue {
  const { places: _places, costs, ...rest } = view;
  const rows = costs.rows.length > MOST_ROWS ? [] : costs.rows;
  // lists are arrays in JSON
  return { ...rest, costs: { ...costs, rows } } as unknown as JsonValue;
}

/** Takes what `viewToJson` made, after it was JSON. */
export function viewFromJson(json: unknown): RunView {
  // made by the same code on the other side
  const sent = json as Sent<RunView>;
  const steps = sent.steps.map(stepFromJson);
  return {
    ...(sent as unknown as RunView),
    steps: List.of(steps),
    places: Places.of(steps.map(({ path }) => path)),
    routes: List.of(sent.routes),
    answers: List.of(sent.answers),
    notes: List.of(sent.notes),
    costs: { ...sent.costs, rows: List.of(sent.costs.rows) },
  };
}

type Sent<T> = {
  readonly [K in keyof T]: T[K] extends List<infer I>
    ? readonly Sent<I>[]
    : T[K] extends { readonly rows: List<infer I> }
      ? Omit<T[K], 'rows'> & { readonly rows: readonly I[] }
      : T[K];
};

function stepFromJson(step: Sent<StepView>): StepView {
  return {
    ...step,
    tries: List.of(step.tries),
    failures: List.of(step.failures),
    bars: List.of(step.bars),
  };
}
