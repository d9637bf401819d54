/** The writes of a node into the shared state of its workflow. */
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import { mergedValue, mergeState, underivableValues } from '../state/merge-state.ts';
import { fileOf, workflowScope } from '../state/plan-lookup.ts';
import type { RunState, Scope } from '../state/state.ts';

export interface WrittenState {
  /** The new values, merged. */
  readonly state?: JsonObject | undefined;
  /**
   * The writes themselves, where the merged values do not show them; one branch alone is rewound by
   * them.
   */
  readonly wrote?: JsonObject | undefined;
}

/** Takes the writes in order; there may be several of one key. */
export function writtenState(
  state: RunState,
  scope: Scope,
  writes: Iterable<readonly [key: string, value: JsonValue]>,
): WrittenState {
  const around = workflowScope(state, scope);
  const fields = fileOf(state.plan, around.file).state;
  const values = new Map(around.state);
  const merged: Record<string, JsonValue> = {};
  const written = new Map<string, JsonValue>();
  for (const [key, value] of writes) {
    Object.assign(merged, mergeState(fields, values, { [key]: value }));
    values.set(key, merged[key] ?? null);
    const earlier = written.get(key);
    written.set(key, earlier === undefined ? value : mergedValue(fields[key], earlier, value));
  }
  if (Object.keys(merged).length === 0) return {};
  if (scope.kind === 'workflow') return { state: merged };
  const wrote = underivableValues(fields, around.state, {
    written: Object.fromEntries(written),
    merged,
  });
  return { state: merged, wrote };
}
