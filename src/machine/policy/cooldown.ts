/**
 * Cooldown of a model or a provider, for the whole run: after a transient failure of one call, all
 * calls pause until its time, and then one probes it first.
 */
import type { ErrorReport } from '../../errors/report/report.ts';
import { isTransient, providerOf } from './model-chain.ts';
import type { Cooldown } from '../state/state.ts';

/** The cooldowns that several calls share: those of a run, or of a chain outside one. */
export interface SharedCooldowns {
  readonly cooldowns: {
    get(name: string): Cooldown | undefined;
    set(name: string, cooldown: Cooldown): unknown;
    delete(name: string): unknown;
  };
  readonly nowMs: number;
  /** The calls under way, by key. */
  readonly effects: { has(key: string): boolean };
}

/** `pausedUntilMs`: when the failed call's chain calls the model again; 0 when it does not. */
export function noteCooldown(
  state: SharedCooldowns,
  model: string,
  error: ErrorReport,
  pausedUntilMs: number,
): void {
  if (!isTransient(error)) return;
  const hintMs = error.provider?.retryAfterMs;
  const untilMs = Math.max(pausedUntilMs, hintMs === undefined ? 0 : state.nowMs + hintMs);
  if (untilMs <= state.nowMs) return;
  const name = nameOf(model, error.details?.['scope']);
  if (name !== undefined) cool(state, name, untilMs);
}

/** Pauses all models of a provider's account, because its quota is spent. */
export function noteSpentQuota(state: SharedCooldowns, model: string, untilMs: number): void {
  cool(state, `provider ${providerOf(model)}`, untilMs);
}

function cool({ cooldowns }: SharedCooldowns, name: string, untilMs: number): void {
  const known = cooldowns.get(name);
  cooldowns.set(name, { untilMs: Math.max(untilMs, known?.untilMs ?? 0), probe: undefined });
}

/** Ends a cooldown whose time is over, because the model has replied. A newer one stays. */
export function settleCooldown(state: SharedCooldowns, model: string): void {
  for (const name of namesOf(model)) {
    const known = state.cooldowns.get(name);
    if (known !== undefined && known.untilMs <= state.nowMs) state.cooldowns.delete(name);
  }
}

/** Makes a call the probe where a cooldown is just over; other calls wait for it. */
export function beginProbe(state: SharedCooldowns, model: string, key: string): void {
  for (const name of namesOf(model)) {
    const known = state.cooldowns.get(name);
    if (known !== undefined && !isProbed(state, known)) known.probe = key;
  }
}

/** When the model may be called; Infinity while a call other than `own` probes it. */
export function cooldownUntilMs(state: SharedCooldowns, model: string, own?: string): number {
  let untilMs = 0;
  for (const name of namesOf(model)) {
    const known = state.cooldowns.get(name);
    if (known === undefined) continue;
    const isHeld = isProbed(state, known) && known.probe !== own;
    untilMs = Math.max(untilMs, isHeld ? Infinity : known.untilMs);
  }
  return untilMs;
}

/** A probe that has ended, successfully or not, no longer counts. */
function isProbed({ effects }: SharedCooldowns, { probe }: Cooldown): boolean {
  return probe !== undefined && effects.has(probe);
}

/** Undefined when the failure concerns this request only. */
function nameOf(model: string, scope: unknown): string | undefined {
  if (scope === 'request') return undefined;
  if (scope === undefined || scope === 'model') return `model ${model}`;
  return `provider ${providerOf(model)}`;
}

function namesOf(model: string): readonly string[] {
  return [`model ${model}`, `provider ${providerOf(model)}`];
}
