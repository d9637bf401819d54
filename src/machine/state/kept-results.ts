/**
 * Kept results of effects that finished while an enclosing node stopped them, or whose result
 * failed a check. When the node resumes, its effect does not run again; the kept result is used.
 * After a failed check it is used once. A stopped effect keeps its result, because every retry of
 * the enclosing node comes back to the same effect.
 */
import type { EffectRef, EventBody } from './events.ts';
import type { Phase } from './visit-phase.ts';
import type { CheckedResult, NodeResult, RunState, ScopeResult, Visit } from './state.ts';

/** Keeps the results of a visit that is dropped before they were used. */
export function keepResults({ keptResults }: RunState, visit: Visit | undefined): void {
  if (visit === undefined) return;
  const { phase, conversation } = visit;
  if (phase.type === 'result' && phase.result.error === undefined)
    keptResults.set(phase.effect.key, { ...outputOf(phase.result), isStopped: true });
  for (const { key, isBegun, result } of conversation?.calls ?? [])
    if (isBegun && result !== undefined && result.error === undefined)
      keptResults.set(key, { output: result.value, isStopped: true });
}

/**
 * Drops the result when its node has completed with it, so that a later run of the node executes
 * the effect; a stopped effect keeps its result.
 */
export function dropUsedResult({ keptResults }: RunState, key: string): void {
  if (keptResults.get(key)?.isStopped !== true) keptResults.delete(key);
}

/** The result that a visit has when one of its checks fails; undefined when the work itself failed. */
export function checkedResult(
  { phase, recorded }: Visit,
  known: NodeResult | undefined,
): CheckedResult | undefined {
  if (phase.type === 'succeeded' && known !== undefined) return { type: 'node', result: known };
  if (phase.type !== 'result') return undefined;
  if (phase.result.error !== undefined) return refusedResult(phase, recorded);
  return { type: 'effect', key: phase.effect.key, result: outputOf(phase.result) };
}

/** The result that was refused now, or one from before if nothing was executed since. */
function refusedResult(
  { result, effect }: Extract<Phase, { type: 'result' }>,
  recorded: Visit['recorded'],
): CheckedResult | undefined {
  const { unusable, output, error } = result;
  if (unusable === true)
    return output === undefined ? undefined : { type: 'refused', key: effect.key, output };
  return error?.outcome === 'not_started' ? recorded : undefined;
}

/** Leaves out the other fields of the event. */
function outputOf({ output, errors }: ScopeResult): ScopeResult {
  return {
    ...(output === undefined ? {} : { output }),
    ...(errors === undefined ? {} : { errors }),
  };
}

/** The event that replaces a new request; undefined when no result was kept. */
export function replayKeptResult(
  { keptResults }: RunState,
  { node, path }: Visit,
  effect: EffectRef,
): EventBody | undefined {
  const result = keptResults.get(effect.key);
  if (result === undefined) return undefined;
  const errors = result.errors === undefined ? {} : { errors: result.errors };
  const output = result.output ?? null;
  return { type: 'effect:succeeded', node, path, effect, output, ...errors, replayed: true };
}
