/**
 * The telemetry of a process: looks for a provider of OpenTelemetry when a leg begins, and gives
 * the engine a watcher for that leg. Without a provider it reads one global and loads nothing.
 */
import type { EffectResult } from '../effects/effect-port.ts';
import type {
  DetachedCall,
  LegStart,
  LegTelemetry,
  MakeCall,
  TelemetryPort,
} from '../engine/run/telemetry-port.ts';
import { VERSION } from '../engine/version.ts';
import type { Redactor } from '../errors/redaction/redact.ts';
import type { ErrorReport } from '../errors/report/report.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import { describe, toReport } from '../errors/thrown/to-report.ts';
import type { EffectRequest } from '../machine/decide/effect-request.ts';
import type { TraceCarrier } from '../machine/ports/trace-carrier.ts';
import type { RecordMetric } from './metrics/instruments.ts';
import { LegMetrics } from './metrics/leg-metrics.ts';
import { ProcessGauges } from './metrics/process-gauges.ts';
import { SCOPE } from './names.ts';
import { DerivedIds } from './spans/derived-ids.ts';
import { callerContext, carrierOf } from './otel/carrier-context.ts';
import { aroundDetached } from './otel/detached-call.ts';
import { LiveLeg } from './otel/live-leg.ts';
import { recordWith } from './otel/live-metrics.ts';
import { LiveSpans } from './otel/live-spans.ts';
import type { ChosenIds } from './otel/span-ids.ts';
import { loadOtelApi, registered, type Meter, type OtelApi } from './otel/otel-api.ts';

export interface TelemetryOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The project's folder, which has the host's packages. */
  readonly directory?: string;
  readonly now?: () => number;
  /** Called once with the error of a host's processor or exporter. */
  readonly onFault?: (thrown: unknown) => void;
}

export function createTelemetry(options: TelemetryOptions = {}): TelemetryPort {
  return new Telemetry(options);
}

/** A warning about the error of a host's processor or exporter. */
export function telemetryFault(thrown: unknown): ErrorReport {
  return toReport(
    new ErrandError(
      {
        kind: 'extension.contract',
        message: `A span or a metric could not be recorded: ${describe(thrown)}`,
        action: {
          kind: 'fix_code',
          detail:
            'Check the span processors and exporters of the application; the run is not affected.',
        },
      },
      { cause: thrown },
    ),
  );
}

interface Found {
  readonly api: OtelApi;
  readonly traces: boolean;
  readonly metrics: boolean;
}

/** The ids of a leg that may end in another process, which has to end the same spans. */
function sharedIds({ run, number, mayMove = false }: LegStart): {
  readonly idsOf?: (key: string) => ChosenIds;
} {
  if (!mayMove) return {};
  const ids = new DerivedIds('live', run);
  return {
    idsOf: (key) => ({ traceId: ids.traceId(number), spanId: ids.spanId(number, key) }),
  };
}

class Telemetry implements TelemetryPort {
  readonly #options: TelemetryOptions;
  readonly #gauges = new ProcessGauges();
  #recording: { readonly meter: Meter; readonly record: RecordMetric } | undefined;
  #hasFaulted = false;

  constructor(options: TelemetryOptions) {
    this.#options = options;
  }

  isTracing(): boolean {
    return registered()?.traces === true;
  }

  callerOf(trace: LegStart['carrier']): TraceCarrier | undefined {
    const found = this.#find();
    if (found === undefined || !found.traces) return trace ?? undefined;
    const carrier = carrierOf(found.api, callerContext(found.api, trace));
    return Object.keys(carrier).length === 0 ? undefined : carrier;
  }

  openLeg(leg: LegStart): LegTelemetry | undefined {
    const found = this.#find();
    if (found === undefined) return undefined;
    const { api, traces, metrics } = found;
    const tracer = api.trace.getTracer(SCOPE, VERSION);
    const caller = callerContext(api, leg.carrier);
    return new LiveLeg(
      {
        api,
        spans:
          traces && leg.isUnseen !== true
            ? new LiveSpans(api, tracer, { caller, ...sharedIds(leg) })
            : undefined,
        metrics: metrics
          ? new LegMetrics(this.#record(api), this.#gauges, leg.workflow)
          : undefined,
        now: this.#now,
        hasContent: this.#hasContent,
        store: leg.store ?? 'store',
        onFault: this.#onFault,
      },
      leg,
    );
  }

  async around(
    call: DetachedCall,
    request: EffectRequest,
    redactor: Redactor,
    make: MakeCall,
  ): Promise<EffectResult> {
    const found = this.#find();
    if (found === undefined || !found.traces) return make({ trace: call.carrier });
    return aroundDetached(
      { api: found.api, now: this.#now, onFault: this.#onFault },
      { ...call, request, redactor, hasContent: this.#hasContent },
      make,
    );
  }

  get #hasContent(): boolean {
    return (this.#options.env ?? process.env)['ERRAND_OTEL_CONTENT'] === '1';
  }

  readonly #now = (): number => this.#options.now?.() ?? Date.now();

  readonly #onFault = (thrown: unknown): void => {
    if (!this.#hasFaulted) this.#options.onFault?.(thrown);
    this.#hasFaulted = true;
  };

  #find(): Found | undefined {
    const there = registered();
    if (there === undefined) return undefined;
    const api = loadOtelApi(this.#options.directory);
    return api === undefined ? undefined : { api, ...there };
  }

  /** A host may replace its provider; instruments are made once for each provider. */
  #record(api: OtelApi): RecordMetric {
    const meter = api.metrics.getMeter(SCOPE, VERSION);
    if (this.#recording?.meter !== meter) this.#recording = { meter, record: recordWith(meter) };
    return this.#recording.record;
  }
}
