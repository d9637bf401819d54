/** Makes spans with the host's tracer, at the times of the events. */
import { ATTRIBUTE } from '../names.ts';
import type { Attributes, NewSpan, SpanEnd, SpanSink } from '../spans/span-sink.ts';
import { remoteSpan } from './carrier-context.ts';
import { withIds, type ChosenIds } from './span-ids.ts';
import type { Context, OtelApi, Span, SpanContext, Tracer } from './otel-api.ts';

/** A span, and the context for its children. */
export interface LiveSpan {
  readonly span: Span;
  readonly parent: Context;
  context: Context | undefined;
}

export class LiveSpans implements SpanSink<LiveSpan> {
  readonly #api: OtelApi;
  readonly #tracer: Tracer;
  readonly #caller: Context;
  readonly #idsOf: ((key: string) => ChosenIds) | undefined;

  /**
   * `caller`: the parent of spans without a parent in their leg. `idsOf`: the ids of a span by its
   * key, if another process may have to make the same span.
   */
  constructor(
    api: OtelApi,
    tracer: Tracer,
    { caller, idsOf }: { readonly caller: Context; readonly idsOf?: (key: string) => ChosenIds },
  ) {
    this.#api = api;
    this.#tracer = tracer;
    this.#caller = caller;
    this.#idsOf = idsOf;
  }

  open({ name, isClient, parent, links, startMs, attributes, key }: NewSpan<LiveSpan>): LiveSpan {
    const { SpanKind } = this.#api;
    const context = parent === undefined ? this.#caller : this.contextOf(parent);
    const options = {
      kind: isClient ? SpanKind.CLIENT : SpanKind.INTERNAL,
      startTime: highResolution(startMs),
      attributes,
      links: links === undefined ? [] : this.#linksTo(links),
    };
    const span = withIds(this.#idsOf?.(key), () => this.#tracer.startSpan(name, options, context));
    return { span, parent: context, context: undefined };
  }

  #linksTo(traceparents: readonly string[]): { context: SpanContext }[] {
    return traceparents
      .map((link) => remoteSpan(this.#api, link))
      .filter(isThere)
      .map((context) => ({ context }));
  }

  set({ span }: LiveSpan, attributes: Attributes): void {
    span.setAttributes(attributes);
  }

  close({ span }: LiveSpan, { endMs, attributes, error }: SpanEnd): void {
    if (error !== undefined) {
      // first: a host may have set a low limit for attributes
      span.setAttribute(ATTRIBUTE.errorType, error.kind);
      span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message: error.message });
    }
    if (attributes !== undefined) span.setAttributes(attributes);
    span.end(highResolution(endMs));
  }

  drop(): void {
    // a span that is never ended is never exported
  }

  contextOf(live: LiveSpan): Context {
    return (live.context ??= this.#api.trace.setSpan(live.parent, live.span));
  }
}

/**
 * Seconds and nanoseconds: the API takes a plain number below the start of the process for an
 * offset.
 */
function highResolution(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}

function isThere(span: SpanContext | undefined): span is SpanContext {
  return span !== undefined;
}
