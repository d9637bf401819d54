/**
 * The spans of a stored run, made after the fact: the same as those of the live run, without any
 * SDK.
 */
import { VERSION } from '../../engine/version.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import { legFacts, openNodes, startedFacts } from '../../history/trace-facts.ts';
import { pendingRequest, type EffectRequest } from '../../machine/decide/effect-request.ts';
import { evolve } from '../../machine/evolve/evolve.ts';
import type { RunRecord } from '../../machine/ports/store-port.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { newRunState, type RunState } from '../../machine/state/state.ts';
import { requestContent, resultContent } from '../spans/call-content.ts';
import { SpanFold } from '../spans/span-fold.ts';
import { toOtlpJson } from './otlp-json.ts';
import { RecordedSpans, type RecordedSpan } from './recorded-spans.ts';
import { planFrom } from '../../engine/run/plan-text.ts';

export interface TracedRun {
  readonly record: Pick<RunRecord, 'run' | 'plan'>;
  readonly events: readonly RunEvent[];
  /** `running` or `interrupted`, if the last leg has no end. */
  readonly status: string;
  /** Adds the content of calls, redacted. Default: none of it. */
  readonly content?: Redactor | undefined;
}

/** One OTLP `ExportTraceServiceRequest`; the same log gives the same request. */
export function traceRun(run: TracedRun): object {
  return toOtlpJson(spansOf(run), VERSION);
}

function spansOf({ record, events, status, content }: TracedRun): readonly RecordedSpan[] {
  const sink = new RecordedSpans(record.run);
  const fold = new SpanFold(sink);
  const state = newRunState(record.run, planFrom(record.plan));
  const requests = new Map<string, EffectRequest>();
  for (const event of events) {
    const atMs = Date.parse(event.at);
    if (event.type === 'run:started' || event.type === 'run:resumed') {
      // the process of the leg has died
      fold.end();
      beginLeg(fold, sink, state, atMs);
    }
    evolve(state, event, atMs);
    if (event.type === 'run:resumed') fold.reopen(openNodes(state));
    if (content !== undefined && isCallEnd(event)) {
      const request = requests.get(event.effect.key);
      if (request !== undefined)
        fold.setOnCall(event.effect.key, resultContent(request, event, content));
    }
    fold.note(event, startedFacts(state, event));
    if (event.type !== 'effect:requested') continue;
    const { key } = event.effect;
    const request = requestOf(state, key);
    fold.beginCall({ key, path: event.path }, request, atMs);
    if (content === undefined || request === undefined) continue;
    requests.set(key, request);
    fold.setOnCall(key, requestContent(request, content));
  }
  fold.end(status);
  return sink.ended;
}

function beginLeg(
  fold: SpanFold<RecordedSpan>,
  sink: RecordedSpans,
  state: RunState,
  startMs: number,
): void {
  const leg = legFacts(state, startMs);
  sink.beginLeg(leg.number);
  const earlier =
    leg.number === 1
      ? {}
      : { first: sink.traceparentOf(1), previous: sink.traceparentOf(leg.number - 1) };
  fold.beginLeg({ ...leg, first: undefined, previous: undefined, ...earlier });
}

function isCallEnd(
  event: RunEvent,
): event is Extract<RunEvent, { type: 'effect:succeeded' | 'effect:failed' }> {
  return event.type === 'effect:succeeded' || event.type === 'effect:failed';
}

/** The original request; undefined if its file has changed since. */
function requestOf(state: RunState, key: string): EffectRequest | undefined {
  const pending = state.effects.get(key);
  try {
    return pending === undefined ? undefined : pendingRequest(state, pending);
  } catch {
    // the template no longer renders: the span has only the facts of the events
    return undefined;
  }
}
