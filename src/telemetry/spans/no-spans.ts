/** Takes spans and makes none, where only metrics are recorded. */
import type { SpanSink } from './span-sink.ts';

export const NO_SPANS: SpanSink<undefined> = {
  open: () => undefined,
  set: () => undefined,
  close: () => undefined,
  drop: () => undefined,
};
