/** Accepts spans and makes none, if only metrics are recorded. */
import type { SpanSink } from './span-sink.ts';

export const NO_SPANS: SpanSink<undefined> = {
  open: () => undefined,
  set: () => undefined,
  close: () => undefined,
  drop: () => undefined,
};
