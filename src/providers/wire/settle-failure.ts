/**
 * Settles the kind of a failure, for every way to call a model. An event that the SDK could not
 * read says more than the SDK's error about it.
 */
import type { ReportDraft } from '../../errors/report/report.ts';
import { INTERRUPTED } from './bad-sign.ts';
import type { WireRecord } from './wire-events.ts';

/** A reply with unusable tool calls, in the form that the SDK's extractor reads. */
export const MALFORMED = {
  type: 'finish',
  finishReason: 'error',
  rawFinishReason: 'malformed_tool_use',
} as const;

/** Kinds of the SDK's errors when it cannot read an event, or crashes over it. */
const UNREAD: ReadonlySet<string> = new Set([
  'agent.output_invalid',
  'provider.unknown',
  'provider.stream_interrupted',
  'provider.network',
]);

/**
 * An error event that the SDK could not read keeps its own meaning. Any other unreadable event is a
 * broken stream: the machine checks the form of a reply, and the SDK never does.
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
  // the host writes calls in this form, so another try would bring the same
  return read(seenCalls.hasOdd ? MALFORMED : INTERRUPTED);
}
