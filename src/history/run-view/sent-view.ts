/**
 * A view as it is sent, and as the page reads it. Most steps of a long run are left out: those that
 * have ended and hold no others. The page can ask for them and add them to its view.
 */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { List } from './shared-list.ts';
import { Places } from './places.ts';
import { isOpen, newStep } from './steps.ts';
import type { RunView, StepView } from './view.ts';

/**
 * Rows of the ledger above this are left out: the sums are sent, and the rows have a path of their
 * own.
 */
const MOST_ROWS = 2000;
const MOST_STEPS = 1000;

/** Writes lists as arrays, and leaves out what can be derived. */
export function viewToJson(view: RunView): JsonValue {
  const { places: _places, costs, steps: all, ...rest } = view;
  const rows = costs.rows.length > MOST_ROWS ? [] : costs.rows;
  const steps = sentSteps(view);
  const leftOut = all.length - steps.length;
  const cut = leftOut === 0 ? {} : { leftOut };
  // lists are arrays in JSON
  return { ...rest, steps: steps.map(stepToJson), ...cut, costs: { ...costs, rows } } as never;
}

/** The steps that may still change, then the failed ones, then the first of the others. */
function sentSteps({ steps }: RunView): readonly StepView[] {
  if (steps.length <= MOST_STEPS) return [...steps];
  const ranks: [StepView[], StepView[], StepView[]] = [[], [], []];
  for (const step of steps) ranks[rankOf(step)].push(step);
  const [changing, failed, others] = ranks;
  const room = Math.max(0, MOST_STEPS - changing.length);
  const rest = [...failed.slice(0, room), ...others.slice(0, Math.max(0, room - failed.length))];
  return [...changing, ...rest].toSorted((a, b) => a.firstSeq - b.firstSeq);
}

function rankOf(step: StepView): 0 | 1 | 2 {
  if (isOpen(step) || step.holds) return 0;
  return step.failures.length > 0 || step.status !== 'completed' ? 1 : 2;
}

/** Leaves out fields without a value: most steps have few others. */
export function stepToJson(step: StepView): object {
  return Object.fromEntries(
    Object.entries(step).filter(([name, value]) => !isNothing(value) || name === 'attempts'),
  );
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === 0 || value === false) return true;
  return (Array.isArray(value) || value instanceof List) && value.length === 0;
}

/** Reads the JSON that `viewToJson` wrote. */
export function viewFromJson(json: unknown): RunView {
  // made by the same code on the other side
  const sent = json as Sent<RunView>;
  const view: RunView = {
    ...(sent as unknown as RunView),
    answers: List.of(sent.answers),
    notes: List.of(sent.notes),
    costs: { ...sent.costs, rows: List.of(sent.costs.rows) },
  };
  return withAll(view, sent.steps.map(stepFromJson));
}

/** Adds steps that were left out; steps that the view already has stay as they are. */
export function addSteps(view: RunView, json: readonly unknown[]): RunView {
  const missing = (json as readonly Sent<StepView>[])
    .map(stepFromJson)
    .filter(({ path }) => view.places.get(path) === undefined);
  if (missing.length === 0) return view;
  const { leftOut = 0, ...rest } = view;
  const left = Math.max(0, leftOut - missing.length);
  const all = [...view.steps, ...missing].toSorted((a, b) => a.firstSeq - b.firstSeq);
  return withAll(left === 0 ? rest : { ...rest, leftOut: left }, all);
}

function withAll(view: RunView, steps: readonly StepView[]): RunView {
  return { ...view, steps: List.of(steps), places: Places.of(steps.map(({ path }) => path)) };
}

type Sent<T> = {
  readonly [K in keyof T]: T[K] extends List<infer I>
    ? readonly Sent<I>[]
    : T[K] extends { readonly rows: List<infer I> }
      ? Omit<T[K], 'rows'> & { readonly rows: readonly I[] }
      : T[K];
};

const NOTHING = newStep({ path: '', node: '' }, { at: '', seq: 0 });

/** Fields that say nothing were left out. */
function stepFromJson(sent: Partial<Sent<StepView>>): StepView {
  const { tries = [], failures = [], bars = [], ...step } = sent;
  return {
    ...NOTHING,
    ...step,
    tries: List.of(tries),
    failures: List.of(failures),
    bars: List.of(bars),
  };
}
