/** Spans that are open, and how each is opened and ended: what all spans of a run have in common. */
import { hideInternals } from '../../errors/redaction/hide-internals.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { ATTRIBUTE } from '../names.ts';
import type { CallEnd } from './call-attributes.ts';
import type { NewSpan, SpanEnd, SpanRole, SpanSink } from './span-sink.ts';

export interface OpenSpan<S> {
  readonly span: S;
  readonly role: SpanRole;
  /** The workflow, node, model, tool or program. */
  readonly name: string;
  readonly workflow: string;
  readonly startMs: number;
}

/** A span that has ended, for metrics. */
export interface EndedSpan extends Pick<SpanEnd, 'error'> {
  readonly role: SpanRole;
  readonly name: string;
  readonly workflow: string;
  readonly seconds: number;
  readonly call: CallEnd | undefined;
}

export interface OpeningSpan<S> extends Omit<NewSpan<S>, 'isClient' | 'name'> {
  /** As the tracer gets it. */
  readonly spanName: string;
  readonly name: string;
  readonly workflow: string;
  readonly isClient?: boolean;
}

export class OpenSpans<S> {
  readonly sink: SpanSink<S>;
  readonly #onEnded: (ended: EndedSpan) => void;
  run = '';

  constructor(sink: SpanSink<S>, onEnded: (ended: EndedSpan) => void) {
    this.sink = sink;
    this.#onEnded = onEnded;
  }

  open({ spanName, name, workflow, isClient = false, ...span }: OpeningSpan<S>): OpenSpan<S> {
    const attributes = {
      [ATTRIBUTE.run]: this.run,
      [ATTRIBUTE.workflow]: workflow,
      ...span.attributes,
    };
    const made = this.sink.open({ ...span, name: spanName, isClient, attributes });
    return { span: made, role: span.role, name, workflow, startMs: span.startMs };
  }

  close(open: OpenSpan<S>, end: Omit<SpanEnd, 'error'>, error?: ErrorReport, call?: CallEnd): void {
    const { span, role, name, workflow, startMs } = open;
    // a clock that was set back must not make a negative duration
    const endMs = Math.max(startMs, end.endMs);
    const shown = error === undefined ? undefined : shownError(error);
    this.sink.close(span, { ...end, endMs, error: shown });
    const seconds = (endMs - startMs) / 1000;
    this.#onEnded({ role, name, workflow, seconds, error: shown, call });
  }
}

/** The person's message: no paths of the host, no stack. */
function shownError({ kind, message }: ErrorReport): NonNullable<SpanEnd['error']> {
  return { kind, message: hideInternals(message) };
}
