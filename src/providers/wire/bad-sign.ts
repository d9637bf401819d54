/** Contradictions of a good end, read in the raw events of its stream: at every door by this function. */
import { isGoodFinishReason } from '../finish-reasons.ts';
import { isOneReply, type WireRecord } from './wire-events.ts';

/** A stream without an end, in the form that the SDK's extractor reads. */
export const INTERRUPTED = { type: 'finish', finishReason: 'interrupted' } as const;

/** Undefined where nothing contradicts; else the failure in the form that the SDK's extractor reads. */
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

/** An error inside of the stream, which no end makes good. */
export function errorSignIn({ error }: WireRecord): object | undefined {
  return error === undefined ? undefined : { type: 'error', error };
}
