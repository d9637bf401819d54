/**
 * The effect of a call to a `sim/` model: nothing leaves the process, and the context's clock counts.
 *
 * | event                              | kind                            | outcome     | usage          |
 * |------------------------------------|---------------------------------|-------------|----------------|
 * | the script replies, or is absent   | success                         |             | scripted or counted |
 * | it fails by kind or by a response  | as for a real provider          | as for a real provider | scripted, or none |
 * | its stream is cut                  | `provider.stream_interrupted`   | partial     | scripted or counted |
 * | its reply is lost                  | `provider.network`              | as for a real provider | scripted or counted |
 * | it hangs                           | `provider.timeout`, or `limit.node_timeout` | as for a real provider | scripted, or none |
 * | our signal, before the first piece | `cancelled.call`                | failed: no work was done | none |
 * | our signal, between pieces         | `cancelled.call`                | partial     | counted        |
 *
 * Counts are exact, never estimates.
 */
import { redactBrokenOff } from '../../errors/redaction/broken-off.ts';
import type {
  ModelReply,
  ModelCall,
  ModelProgress,
  PartialReply,
} from '../../machine/conversation/model-message.ts';
import { outputTokensOf } from '../../machine/policy/pricing.ts';
import { MACHINE_CLOCK } from '../clock.ts';
import {
  cancelledBefore,
  neverRejecting,
  type Effect,
  type EffectContext,
  type EffectFailure,
  type EffectResult,
} from '../effect-port.ts';
import { toOutput } from '../../machine/state/stored-output.ts';
import { DEFAULT_TIMEOUTS, type ModelTimeouts } from '../../machine/policy/model-timeouts.ts';
import type * as ScriptedFailures from './scripted-failure.ts';
import type { LimitStop } from './scripted-failure.ts';
import { replyTo, type Reply } from './reply.ts';
import { usedBy } from './simulated-usage.ts';

export interface PlayLimits {
  readonly timeouts?: Partial<ModelTimeouts> | undefined;
  /** Time left to the node. */
  readonly timeoutMs?: number | undefined;
}

/** Applies the time limits of real models. */
export function playModelWithin(limits: PlayLimits): Effect<ModelCall> {
  return neverRejecting((call, context) => play(call, context, limits));
}

/**
 * Makes one call of a simulated model, as a run makes it. Without a script it repeats the prompt, or replies
 * with a value that fits the schema.
 * @example
 * ```ts
 * import { createRedactor } from 'errand/errors';
 * import { playSimModel } from 'errand/testing';
 *
 * const result = await playSimModel(
 *   { model: 'sim/clerk', messages: [{ role: 'user', text: 'Hello' }], tools: [], ordinal: 0 },
 *   {
 *     signal: new AbortController().signal,
 *     attempt: 0,
 *     idempotencyKey: 'k',
 *     run: 'r',
 *     node: 'greet',
 *     path: 'greet',
 *     redactor: createRedactor(),
 *   },
 * );
 * console.log(result.ok); // true
 * ```
 */
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
    const message = 'The call was cancelled before the model replied';
    return { ok: false, failure: { kind, message, outcome: 'failed' } };
  };
  if (!(await isWaited(simulated?.delayMs ?? 0, context))) return cancelled();
  const scriptedUsage = simulated?.usage === undefined ? {} : { usage: simulated.usage };
  if (simulated?.type === 'hang') {
    const stop = firstLimit(limits);
    if (!(await isWaited(stop.limitMs, context))) return { ...cancelled(), ...scriptedUsage };
    const { hangFailure } = await failures();
    return { ...hangFailure(stop, call, context), ...scriptedUsage };
  }
  if (simulated?.type === 'fail') {
    const { scriptedFailure } = await failures();
    return { ...scriptedFailure(simulated.fail, call, context), ...scriptedUsage };
  }
  const reply = replyTo(call, simulated);
  if (simulated?.isLost === true) {
    const { cutFailure } = await failures();
    return { ...cutFailure(call, false, context), usage: reply.usage };
  }
  return streamReply(reply, call, context);
}

/** Loaded with the first failure: the classifier is a third of what a run would load. */
function failures(): Promise<typeof ScriptedFailures> {
  return import('./scripted-failure.ts');
}

/** The limit that ends the wait for the first token. */
function firstLimit({ timeouts, timeoutMs = Infinity }: PlayLimits): LimitStop {
  const { firstTokenMs, totalMs } = { ...DEFAULT_TIMEOUTS, ...timeouts };
  const limitMs = Math.min(firstTokenMs, totalMs);
  if (timeoutMs <= limitMs) return { by: 'node', limitMs: timeoutMs };
  return { by: 'limit', limit: firstTokenMs <= totalMs ? 'firstTokenMs' : 'totalMs', limitMs };
}

/** False if it was aborted meanwhile. */
async function isWaited(delayMs: number, { clock, signal }: EffectContext): Promise<boolean> {
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

async function streamReply(
  reply: Reply,
  call: ModelCall,
  context: EffectContext,
): Promise<EffectResult> {
  let text = '';
  for (const delta of reply.pieces) {
    reportProgress(delta, context);
    text += delta;
    // a listener may have cancelled the call
    if (context.signal.aborted) return stopped(text, reply, context);
  }
  const { usage, toolCalls } = reply;
  const used = usedBy(usage, call, { text, toolCalls });
  if (reply.isCut) {
    const { cutFailure } = await failures();
    return { ...cutFailure(call, text !== '', context), ...partial(text, context), ...used };
  }
  const answer: ModelReply = { text: text, toolCalls };
  const output = toOutput(answer, context.redactor);
  if (output.ok) return { ok: true, output: output.value, ...used };
  const message = `The scripted reply is not JSON: ${output.pointer} ${output.problem}`;
  return { ok: false, failure: { kind: 'agent.output_invalid', message }, ...used };
}

/** A listener that throws must not fail the call. */
function reportProgress(text: string, { progress, attempt }: EffectContext): void {
  const event: ModelProgress = { type: 'text', attempt, delta: text };
  try {
    progress?.(event);
  } catch {
    // listeners report their own failures
  }
}

function stopped(text: string, { usage }: Reply, context: EffectContext): EffectFailure {
  const kind = context.cancelled ?? 'cancelled.call';
  const message = 'The call was cancelled while the model replied';
  return {
    ok: false,
    failure: { kind, message, outcome: 'partial' },
    ...partial(text, context),
    usage: { ...usage, outputTokens: outputTokensOf(text) },
  };
}

/** The part of the text that was sent. */
function partial(text: string, { redactor }: EffectContext): Pick<EffectFailure, 'output'> {
  if (text === '') return {};
  const output: PartialReply = { text: redactBrokenOff(text, redactor) };
  return { output: { ...output } };
}
