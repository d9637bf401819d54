/** Spans in a list, with ids derived from the run and the event: the same log gives the same spans. */
import { writeTraceparent } from '../../machine/ports/trace-carrier.ts';
import { ATTRIBUTE } from '../names.ts';
import { DerivedIds } from '../spans/derived-ids.ts';
import type { Attributes, NewSpan, SpanEnd, SpanSink } from '../spans/span-sink.ts';

export interface RecordedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly isClient: boolean;
  readonly links: readonly string[];
  readonly startMs: number;
  attributes: Attributes;
  endMs: number | undefined;
  error: SpanEnd['error'];
}

export class RecordedSpans implements SpanSink<RecordedSpan> {
  readonly #ids: DerivedIds;
  readonly #spans = new Set<RecordedSpan>();
  #leg = 0;

  constructor(run: string) {
    // different from the ids of the live trace
    this.#ids = new DerivedIds('after the fact', run);
  }

  /** The ended spans, in the order in which they began. */
  get ended(): readonly RecordedSpan[] {
    return [...this.#spans].filter(({ endMs }) => endMs !== undefined);
  }

  /** Each leg begins a trace of its own; its spans differ from those of every other leg. */
  beginLeg(number: number): void {
    this.#leg = number;
  }

  open({
    name,
    isClient,
    parent,
    links = [],
    startMs,
    attributes,
    key,
  }: NewSpan<RecordedSpan>): RecordedSpan {
    const span: RecordedSpan = {
      traceId: this.#ids.traceId(this.#leg),
      spanId: this.#ids.spanId(this.#leg, key),
      parentSpanId: parent?.spanId,
      name,
      isClient,
      links,
      startMs,
      attributes,
      endMs: undefined,
      error: undefined,
    };
    this.#spans.add(span);
    return span;
  }

  set(span: RecordedSpan, attributes: Attributes): void {
    span.attributes = { ...span.attributes, ...attributes };
  }

  close(span: RecordedSpan, { endMs, attributes = {}, error }: SpanEnd): void {
    const type = error === undefined ? {} : { [ATTRIBUTE.errorType]: error.kind };
    this.set(span, { ...attributes, ...type });
    span.endMs = endMs;
    span.error = error;
  }

  drop(span: RecordedSpan): void {
    this.#spans.delete(span);
  }

  /** The context of a leg, to which later legs link. */
  traceparentOf(leg: number): string {
    const traceId = this.#ids.traceId(leg);
    return writeTraceparent({ traceId, spanId: this.#ids.spanId(leg, `leg ${leg}`), flags: 1 });
  }
}
