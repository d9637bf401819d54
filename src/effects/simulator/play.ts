/**
 * The effect of a call to a `sim/` model: nothing leaves the process, and time is the context's.
 *
 * | what happens                       | kind                            | outcome     | usage          |
 * |------------------------------------|---------------------------------|-------------|----------------|
 * | the script answers, or has no word | success                         |             | given or counted |
 * | it fails by kind or by an answer   | that, as a provider's would be  | that        | given, or none |
 * | its stream is cut                  | `provider.stream_interrupted`   | partial     | given or counted |
 * | its reply is lost                  | `provider.network`              | that        | given or counted |
 * | it hangs                           | `provider.timeout`, or the end of the node's time | that | given, or none |
 * | our signal, before the first piece | `cancelled.call`                | failed: no work was done | none |
 * | our signal, between pieces         | `cancelled.call`                | partial     | counted        |
 *
 * Counts are exact, never estimates.
 */
import type {
  ModelAnswer,
  ModelCall,
  ModelProgress,
  PartialAnswer,
} from '../../machine/model-call.ts';
import { outputTokensOf } from '../../machine/pricing.ts';
import { MACHINE_CLOCK } from '../clock.ts';
import {
  cancelledBefore,
  neverRejecting,
  type Effect,
  type EffectContext,
  type EffectFailure,
  type EffectResult,
} from '../effect.ts';
import { toOutput } from '../output.ts';
import { DEFAULT_TIMEOUTS, type ModelTimeouts } from '../model/request.ts';
import { cutFailure, hangFailure, scriptedFailure, type LimitStop } from './failure.ts';
import { replyTo, type Reply } from './reply.ts';

export interface PlayLimits {
  readonly timeouts?: Partial<ModelTimeouts> | undefined;
  /** What is left of the node's own time. */
  readonly timeoutMs?: number | undefined;
}

/** With the patience that a run has for real models. */
export function playModelWithin(limits: PlayLimits): Effect<ModelCall> {
  return neverRejecting((call, context) => play(call, context, limits));
}

export const playModel: Effect<ModelCall> = playModelWithin({});

async function play(
  call: ModelCall,
  context: EffectContext,
  limits: PlayLimits,
): Promise<EffectResult> {
  const { simulated } = call;
  const kind = context.cancelled ?? 'cancelled.call';
  if (context.signal.aborted) return cancelledBefore(kind);
  const cancelled = (): EffectFailure => {
    const message = 'The call was cancelled before the model answered';
    return { ok: false, failure: { kind, message, outcome: 'failed' } };
  };
  if (!(await waited(simulated?.delayMs ?? 0, context))) return cancelled();
  const given = simulated?.usage === undefined ? {} : { usage: simulated.usage };
  if (simulated?.type === 'hang') {
    const stop = firstLimit(limits);
    if (!(await waited(stop.limitMs, context))) return { ...cancelled(), ...given };
    return { ...hangFailure(stop, call, context), ...given };
  }
  if (simulated?.type === 'fail')
    return { ...scriptedFailure(simulated.fail, call, context), ...given };
  const reply = replyTo(call, simulated);
  if (simulated?.isLost === true)
    return { ...cutFailure(call, false, context), usage: reply.usage };
  return speak(reply, call, context);
}

/** What ends the wait for a first word. */
function firstLimit({ timeouts, timeoutMs = Infinity }: PlayLimits): LimitStop {
  const { firstTokenMs, totalMs } = { ...DEFAULT_TIMEOUTS, ...timeouts };
  const limitMs = Math.min(firstTokenMs, totalMs);
  if (timeoutMs <= limitMs) return { by: 'node', limitMs: timeoutMs };
  return { by: 'limit', limit: firstTokenMs <= totalMs ? 'firstTokenMs' : 'totalMs', limitMs };
}

/** False when it was aborted meanwhile. */
async function waited(delayMs: number, { clock, signal }: EffectContext): Promise<boolean> {
  if (delayMs <= 0) return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const stop = (clock ?? MACHINE_CLOCK).after(delayMs, () => resolve(true));
  const abort = (): void => resolve(false);
  signal.addEventListener('abort', abort, { once: true });
  const isWaited = await promise;
  signal.removeEventListener('abort', abort);
  stop();
  return isWaited;
}

function speak(reply: Reply, call: ModelCall, context: EffectContext): EffectResult {
  let said = '';
  for (const delta of reply.pieces) {
    announce(delta, context);
    said += delta;
    // whoever listens may have heard enough
    if (context.signal.aborted) return stopped(said, reply, context);
  }
  const { usage, toolCalls } = reply;
  if (reply.isCut)
    return { ...cutFailure(call, said !== '', context), ...partial(said, context), usage };
  const answer: ModelAnswer = { text: said, toolCalls };
  const output = toOutput(answer, context.redactor);
  if (output.ok) return { ok: true, output: output.value, usage };
  const message = `What the script makes the model say is not JSON: ${output.pointer} ${output.problem}`;
  return { ok: false, failure: { kind: 'agent.output_invalid', message }, usage };
}

/** A watcher that throws hurts nobody, least of all the answer. */
function announce(said: string, { progress, attempt, redactor }: EffectContext): void {
  const heard: ModelProgress = { type: 'text', attempt, delta: redactor.values(said) };
  try {
    progress?.(heard);
  } catch {
    // subscribers report their own failures; this one only stops hearing
  }
}

function stopped(said: string, { usage }: Reply, context: EffectContext): EffectFailure {
  const kind = context.cancelled ?? 'cancelled.call';
  const message = 'The call was cancelled while the model answered';
  return {
    ok: false,
    failure: { kind, message, outcome: 'partial' },
    ...partial(said, context),
    usage: { ...usage, outputTokens: outputTokensOf(said) },
  };
}

/** What there was of a text. */
function partial(said: string, { redactor }: EffectContext): Pick<EffectFailure, 'output'> {
  if (said === '') return {};
  const output: PartialAnswer = { text: redactor.values(said) };
  return { output: { ...output } };
}
