/**
 * One leg while it runs: makes spans and metrics from its events, and runs its calls inside their
 * spans. An error of a host's processor or exporter is a warning, once, and never a failure of the
 * run.
 */
import type { EffectResult } from '../../effects/effect-port.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import type { LegStart, LegTelemetry, MakeCall } from '../../engine/run/telemetry-port.ts';
import type { NodeFacts, OpenNode } from '../../history/trace-facts.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { TraceCarrier } from '../../machine/ports/trace-carrier.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { LegMetrics } from '../metrics/leg-metrics.ts';
import { observedAttributes } from '../spans/call-attributes.ts';
import { requestContent, resultContent } from '../spans/call-content.ts';
import { NO_SPANS } from '../spans/no-spans.ts';
import { SpanFold } from '../spans/span-fold.ts';
import { carrierOf, traceparentOf } from './carrier-context.ts';
import type { LiveSpan, LiveSpans } from './live-spans.ts';
import type { OtelApi } from './otel-api.ts';

export interface LiveLegParts {
  readonly api: OtelApi;
  /** Undefined if only metrics are recorded. */
  readonly spans: LiveSpans | undefined;
  readonly metrics: LegMetrics | undefined;
  readonly now: () => number;
  readonly hasContent: boolean;
  /** The name of the store, for its latency. */
  readonly store: string;
  readonly onFault: (thrown: unknown) => void;
}

export class LiveLeg implements LegTelemetry {
  readonly traceparent: string | undefined;
  readonly committed: LegTelemetry['committed'];
  readonly #parts: LiveLegParts;
  readonly #run: string;
  readonly #carrier: TraceCarrier | undefined;
  readonly #fold: SpanFold<LiveSpan | undefined>;

  constructor(parts: LiveLegParts, leg: LegStart) {
    this.#parts = parts;
    this.#run = leg.run;
    this.#carrier = leg.carrier ?? undefined;
    const { spans, metrics } = parts;
    // true: each sink receives only the spans that it made
    const sink = (spans ?? NO_SPANS) as ConstructorParameters<
      typeof SpanFold<LiveSpan | undefined>
    >[0];
    const { store } = parts;
    this.#fold = new SpanFold(sink, metrics && ((ended) => metrics.spanEnded(ended)));
    this.committed =
      metrics && ((seconds, kind) => this.#safely(() => metrics.committed(seconds, store, kind)));
    const opened = this.#safely(() => this.#fold.beginLeg(leg));
    this.traceparent =
      opened === undefined
        ? this.#carrier?.traceparent
        : this.#safely(() => traceparentOf(opened.span.spanContext()));
  }

  reopen(open: readonly OpenNode[]): void {
    this.#safely(() => {
      this.#fold.reopen(open);
      this.#parts.metrics?.reopen(this.#run, open);
    });
  }

  note(event: RunEvent, facts?: NodeFacts): void {
    this.#safely(() => {
      this.#fold.note(event, facts);
      this.#parts.metrics?.note(event);
    });
  }

  end(): void {
    this.#safely(() => {
      this.#fold.end();
      this.#parts.metrics?.end();
    });
  }

  abandon(): void {
    this.#safely(() => this.#parts.metrics?.end());
  }

  async around(request: EffectRequest, redactor: Redactor, make: MakeCall): Promise<EffectResult> {
    const { api, spans, now, hasContent } = this.#parts;
    const { ref, path } = request;
    const live = this.#safely(() => {
      const span = this.#fold.beginCall({ key: ref.key, path }, request, now());
      if (hasContent) this.#fold.setOnCall(ref.key, requestContent(request, redactor));
      return span;
    });
    if (live === undefined || spans === undefined) return make({ trace: this.#carrier });
    const context = spans.contextOf(live);
    const watched = {
      trace: leavesProcess(request) ? this.#safely(() => carrierOf(api, context)) : undefined,
      observe: (seen: Parameters<typeof observedAttributes>[0]): void => {
        this.#safely(() => this.#fold.setOnCall(ref.key, observedAttributes(seen)));
      },
    };
    const result = await api.context.with(context, () => make(watched));
    this.#safely(() => {
      this.#fold.noteCallEnd(ref.key, now());
      if (hasContent) this.#fold.setOnCall(ref.key, resultContent(request, result, redactor));
    });
    return result;
  }

  #safely<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (thrown) {
      this.#parts.onFault(thrown);
      return undefined;
    }
  }
}

/**
 * Whether the call leaves this process by a channel of ours, a script or an MCP server, which must
 * carry the trace: all other work sees the active span.
 */
function leavesProcess({ work, server }: EffectRequest): boolean {
  return work.type === 'script' || server !== undefined;
}
