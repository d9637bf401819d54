/**
 * Finds contradictions of a good end in the raw events of its stream. Every way to call a model
 * uses this function.
 */
import { isGoodFinishReason } from '../finish-reasons.ts';
import { isOneReply, type WireRecord } from './wire-events.ts';

/** A stream without an end, in the form that the SDK's extractor reads. */
export const INTERRUPTED = { type: 'finish', finishReason: 'interrupted' } as const;

/**
 * Undefined if nothing contradicts the end; else the failure in the form that the SDK's extractor
 * reads.
 */
export function badSignIn(wire: WireRecord, provider: string): object | undefined {
  const error = errorSignIn(wire);
  if (error !== undefined) return error;
  const reasons = [
    ...wire.finishReasons,
    ...(wire.finishReason === undefined ? [] : [wire.finishReason]),
  ];
  const bad = reasons.find((reason) => !isGoodFinishReason(provider, reason));
  if (bad !== undefined) return { type: 'finish', finishReason: 'other', rawFinishReason: bad };
  return isOneReply(wire) ? undefined : INTERRUPTED;
}

/** An error inside the stream, which no good end outweighs. */
export function errorSignIn({ error }: WireRecord): object | undefined {
  return error === undefined ? undefined : { type: 'error', error };
}
