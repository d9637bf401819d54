/**
 * The effect of a call to a `sim/` model: nothing leaves the process, and time is the context's.
 *
 * | what happens                       | kind                            | outcome     | usage          |
 * |------------------------------------|---------------------------------|-------------|----------------|
 * | the script answers, or has no word | success                         |             | given or counted |
 * | it fails by kind or by an answer   | that, as a provider's would be  | that        | given, or none |
 * | its stream is cut                  | `provider.stream_interrupted`   | partial     | given or counted |
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
import { cutFailure, scriptedFailure } from './failure.ts';
import { replyTo, type Reply } from './reply.ts';

export const playModel: Effect<ModelCall> = neverRejecting(async (call, context) => {
  const { simulated } = call;
  const kind = context.cancelled ?? 'cancelled.call';
  if (context.signal.aborted) return cancelledBefore(kind);
  const isWaited = await waited(simulated?.delayMs ?? 0, context);
  if (!isWaited) {
    const message = 'The call was cancelled before the model answered';
    return { ok: false, failure: { kind, message, outcome: 'failed' } };
  }
  if (simulated?.type === 'fail') {
    const { usage } = simulated;
    const failed = scriptedFailure(simulated.fail, call, context);
    return usage === undefined ? failed : { ...failed, usage };
  }
  return speak(replyTo(call, simulated), call, context);
});

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
