/**
 * What one call has learned about a model, a key or a provider holds for every call of the run: all
 * of them leave it alone until its time, and then one goes first.
 */
import type { ErrorReport } from '../errors/report.ts';
import { isTransient, providerOf } from './chain.ts';
import type { Cooldown, RunState } from './state.ts';

/** `restUntilMs`: what the chain of the call that failed waits for; 0 when it will not ask again. */
export function noteCooldown(
  state: RunState,
  model: string,
  error: ErrorReport,
  restUntilMs: number,
): void {
  if (!isTransient(error)) return;
  const hintMs = error.provider?.retryAfterMs;
  const untilMs = Math.max(restUntilMs, hintMs === undefined ? 0 : state.nowMs + hintMs);
  if (untilMs <= state.nowMs) return;
  const name = nameOf(model, error.details?.['scope']);
  if (name === undefined) return;
  const known = state.cooldowns.get(name);
  state.cooldowns.set(name, { untilMs: Math.max(untilMs, known?.untilMs ?? 0), probe: undefined });
}

/** The model has answered: a rest that was over is forgotten. One that began meanwhile holds. */
export function settleCooldown(state: RunState, model: string): void {
  for (const name of namesOf(model)) {
    const known = state.cooldowns.get(name);
    if (known !== undefined && known.untilMs <= state.nowMs) state.cooldowns.delete(name);
  }
}

/** A call goes out: where a rest is just over, the others wait for what it finds. */
export function beginProbe(state: RunState, model: string, key: string): void {
  for (const name of namesOf(model)) {
    const known = state.cooldowns.get(name);
    if (known !== undefined && !isProbed(state, known)) known.probe = key;
  }
}

/** Until when the model is left alone; Infinity while another call than `own` finds out. */
export function restOf(state: RunState, model: string, own?: string): number {
  let untilMs = 0;
  for (const name of namesOf(model)) {
    const known = state.cooldowns.get(name);
    if (known === undefined) continue;
    const isHeld = isProbed(state, known) && known.probe !== own;
    untilMs = Math.max(untilMs, isHeld ? Infinity : known.untilMs);
  }
  return untilMs;
}

/** A call that has ended, in whatever way, finds out nothing more. */
function isProbed({ effects }: RunState, { probe }: Cooldown): boolean {
  return probe !== undefined && effects.has(probe);
}

/** Undefined: the failure says nothing about other requests. */
function nameOf(model: string, scope: unknown): string | undefined {
  if (scope === 'request') return undefined;
  if (scope === undefined || scope === 'model') return `model ${model}`;
  return `provider ${providerOf(model)}`;
}

function namesOf(model: string): readonly string[] {
  return [`model ${model}`, `provider ${providerOf(model)}`];
}
