/** The destination of spans: a tracer while a run is active, or a list after the fact. */

export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** The thing that a span stands for. */
export type SpanRole = 'leg' | 'child' | 'agent' | 'node' | 'group' | 'chat' | 'tool' | 'script';

export interface NewSpan<S> {
  readonly role: SpanRole;
  readonly name: string;
  readonly isClient: boolean;
  /** Undefined for a leg: the context of its caller. */
  readonly parent: S | undefined;
  /** The `traceparent` of each linked span. */
  readonly links?: readonly string[] | undefined;
  readonly startMs: number;
  readonly attributes: Attributes;
  /**
   * Distinguishes it from every other span of its run: the thing that opened it, and the number of
   * that event.
   */
  readonly key: string;
}

export interface SpanEnd {
  readonly endMs: number;
  readonly attributes?: Attributes | undefined;
  /** Status ERROR, with the kind as `error.type` and the person's message. */
  readonly error?: { readonly kind: string; readonly message: string } | undefined;
}

export interface SpanSink<S> {
  open(span: NewSpan<S>): S;
  set(span: S, attributes: Attributes): void;
  close(span: S, end: SpanEnd): void;
  /** Forgets the span of something that did not happen. */
  drop(span: S): void;
}
