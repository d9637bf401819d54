/**
 * Settles the kind of a failure, at every door. An event that the SDK could not read says more than the SDK says
 * about it.
 */
import type { ReportDraft } from '../../errors/report/report.ts';
import { INTERRUPTED } from './bad-sign.ts';
import type { WireRecord } from './wire-events.ts';

/** A reply whose tool calls cannot be made, in the form that the SDK's extractor reads. */
export const MALFORMED = {
  type: 'finish',
  finishReason: 'error',
  rawFinishReason: 'malformed_tool_use',
} as const;

/** Kinds of what the SDK says when it cannot read an event, or crashes over it. */
const UNREAD: ReadonlySet<string> = new Set([
  'agent.output_invalid',
  'provider.unknown',
  'provider.stream_interrupted',
  'provider.network',
]);

/**
 * An error that the SDK could not read keeps its own meaning, and any other event that it could not read
 * is a broken stream: the form of a reply is checked by the machine, and never by the SDK.
 */
export function settledBy(
  { error, seenCalls, isMixed }: WireRecord,
  failure: ReportDraft,
  read: (link: unknown) => ReportDraft,
): ReportDraft {
  if (!UNREAD.has(failure.kind)) return failure;
  if (error !== undefined) return read({ type: 'error', error });
  // the SDK crashes over a piece of a block that has ended
  if (isMixed) return read(INTERRUPTED);
  if (failure.kind !== 'agent.output_invalid') return failure;
  // the host writes calls like this, so another try would bring another one
  return read(seenCalls.hasOdd ? MALFORMED : INTERRUPTED);
}
