/**
 * Results of effects that had ended by themselves when they were stopped from around them. What runs
 * around them may be tried again; they are not done again, and their result is used once instead.
 */
import type { EffectRef, EventBody } from './events.ts';
import type { RunState, ScopeResult, Visit } from './state.ts';

/** Of a visit that is given up before its results were used. */
export function keepResults({ kept }: RunState, visit: Visit | undefined): void {
  if (visit === undefined) return;
  const { phase, talk } = visit;
  if (phase.at === 'result' && phase.result.error === undefined)
    kept.set(phase.effect.key, outputOf(phase.result));
  for (const { key, isBegun, result } of talk?.calls ?? [])
    if (isBegun && result !== undefined && result.error === undefined)
      kept.set(key, { output: result.value });
}

/** Without the event that it came with. */
function outputOf({ output, errors }: ScopeResult): ScopeResult {
  return {
    ...(output === undefined ? {} : { output }),
    ...(errors === undefined ? {} : { errors }),
  };
}

/** What stands for asking again; undefined when nothing was kept. */
export function replayed(
  { kept }: RunState,
  { node, path }: Visit,
  effect: EffectRef,
): EventBody | undefined {
  const result = kept.get(effect.key);
  if (result === undefined) return undefined;
  const errors = result.errors === undefined ? {} : { errors: result.errors };
  const output = result.output ?? null;
  return { type: 'effect:succeeded', node, path, effect, output, ...errors, replayed: true };
}
