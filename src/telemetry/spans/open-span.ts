/** Opens and ends spans: everything that all spans of a run have in common. */
import { hideInternals } from '../../errors/redaction/hide-internals.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { ATTRIBUTE } from '../names.ts';
import type { CallEnd } from './call-attributes.ts';
import type { Attributes, NewSpan, SpanEnd, SpanRole, SpanSink } from './span-sink.ts';

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
  /** The name that the tracer gets. */
  readonly spanName: string;
  readonly name: string;
  readonly workflow: string;
  readonly isClient?: boolean;
}

export class OpenSpans<S> {
  readonly sink: SpanSink<S>;
  readonly #onEnded: ((ended: EndedSpan) => void) | undefined;
  run = '';

  constructor(sink: SpanSink<S>, onEnded?: (ended: EndedSpan) => void) {
    this.sink = sink;
    this.#onEnded = onEnded;
  }

  /** The attributes that begin every span of the run. */
  attributesIn(workflow: string): Attributes {
    return { [ATTRIBUTE.run]: this.run, [ATTRIBUTE.workflow]: workflow };
  }

  open(opening: OpeningSpan<S>): OpenSpan<S> {
    const { role, spanName, name, workflow, isClient = false } = opening;
    const { parent, links, startMs, key, attributes } = opening;
    const made = this.sink.open({
      role,
      name: spanName,
      isClient,
      parent,
      links,
      startMs,
      key,
      attributes,
    });
    return { span: made, role, name, workflow, startMs };
  }

  close(open: OpenSpan<S>, end: Omit<SpanEnd, 'error'>, error?: ErrorReport, call?: CallEnd): void {
    const { span, role, name, workflow, startMs } = open;
    // a clock that was set back must not make a negative duration
    const endMs = Math.max(startMs, end.endMs);
    const shown = error === undefined ? undefined : shownError(error);
    this.sink.close(span, { endMs, attributes: end.attributes, error: shown });
    const seconds = (endMs - startMs) / 1000;
    this.#onEnded?.({ role, name, workflow, seconds, error: shown, call });
  }
}

/** The message for a person: no paths of the host, no stack. */
function shownError({ kind, message }: ErrorReport): NonNullable<SpanEnd['error']> {
  return { kind, message: hideInternals(message) };
}
