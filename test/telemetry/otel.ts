/**
 * OpenTelemetry's real SDK as a host registers it, with exporters that keep everything in memory.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Api from '@opentelemetry/api';

const load = createRequire(join(import.meta.dirname, '../otel-sdk/package.json'));

/** The parts of the SDK that tests use; its packages are not installed when types are checked. */
interface Sdk {
  readonly InMemorySpanExporter: new () => MemorySpans;
  readonly SimpleSpanProcessor: new (options: { readonly exporter: object }) => object;
  readonly BatchSpanProcessor: new (options: { readonly exporter: object }) => object;
  readonly TracerProvider: new (options: object) => Provider & Api.TracerProvider;
}

interface MemorySpans {
  getFinishedSpans(): readonly FinishedSpan[];
  reset(): void;
}

interface Provider {
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

export interface FinishedSpan {
  readonly name: string;
  readonly kind: number;
  readonly startTime: readonly [number, number];
  readonly endTime: readonly [number, number];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly context: Api.SpanContext }[];
  readonly events: readonly unknown[];
  readonly status: { readonly code: number; readonly message?: string };
  readonly parentSpanContext?: Api.SpanContext;
  readonly instrumentationScope: { readonly name: string; readonly version?: string };
  spanContext(): Api.SpanContext;
}

interface MetricsSdk {
  readonly InMemoryMetricExporter: new (temporality: number) => MemoryMetrics;
  readonly PeriodicExportingMetricReader: new (options: object) => object;
  readonly MeterProvider: new (options: object) => Provider & Api.MeterProvider;
}

interface MemoryMetrics {
  getMetrics(): readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly MetricData[] }[];
  }[];
  reset(): void;
}

interface MetricData {
  readonly descriptor: { readonly name: string; readonly unit: string };
  readonly dataPoints: readonly {
    readonly attributes: Readonly<Record<string, unknown>>;
    readonly value: number | { readonly count: number; readonly sum?: number };
  }[];
}

export const api = load('@opentelemetry/api') as typeof Api;
const sdk = load('@opentelemetry/sdk-trace') as Sdk;
const metricsSdk = load('@opentelemetry/sdk-metrics') as MetricsSdk;
const { AsyncLocalStorageContextManager } = load('@opentelemetry/context-async-hooks') as {
  readonly AsyncLocalStorageContextManager: new () => Api.ContextManager;
};

export interface Recorded {
  spans(): Promise<readonly FinishedSpan[]>;
  metrics(): Promise<ReadonlyMap<string, MetricData>>;
  /** Makes a span and runs the work inside it. */
  inSpan<T>(name: string, work: () => Promise<T>): Promise<T>;
  reset(): void;
  /** Removes the providers again. */
  close(): Promise<void>;
}

/**
 * Registers providers, as a host does before it opens an Errand. `more`: processors beside the one
 * that keeps spans.
 */
export function recordTelemetry(more: readonly object[] = []): Recorded {
  const memory = new sdk.InMemorySpanExporter();
  const processors = [new sdk.SimpleSpanProcessor({ exporter: memory }), ...more];
  const provider = new sdk.TracerProvider({ spanProcessors: processors });
  const manager = new AsyncLocalStorageContextManager().enable();
  api.context.setGlobalContextManager(manager);
  api.trace.setGlobalTracerProvider(provider);
  const metricMemory = new metricsSdk.InMemoryMetricExporter(1);
  const reader = new metricsSdk.PeriodicExportingMetricReader({
    exporter: metricMemory,
    exportIntervalMillis: 3_600_000,
  });
  const meters = new metricsSdk.MeterProvider({ readers: [reader] });
  api.metrics.setGlobalMeterProvider(meters);
  return {
    spans: async () => {
      await provider.forceFlush();
      return memory.getFinishedSpans();
    },
    metrics: async () => {
      metricMemory.reset();
      await meters.forceFlush();
      const all = metricMemory
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
      return new Map(all.map((metric) => [metric.descriptor.name, metric]));
    },
    inSpan: (name, work) =>
      provider.getTracer('host').startActiveSpan(name, async (span) => {
        try {
          return await work();
        } finally {
          span.end();
        }
      }),
    reset: () => memory.reset(),
    close: async () => {
      api.trace.disable();
      api.context.disable();
      api.metrics.disable();
      await provider.shutdown();
      await meters.shutdown();
    },
  };
}

/**
 * One line for each span, indented below its parent, in the order in which they began; within one
 * millisecond, in the order in which they ended.
 */
export function tree(spans: readonly FinishedSpan[], details: readonly string[] = []): string {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const below = (parent: string | undefined, indent: string): string[] =>
    spans
      .filter((span) => {
        const id = span.parentSpanContext?.spanId;
        return parent === undefined ? id === undefined || !ids.has(id) : id === parent;
      })
      .toSorted((a, b) => ms(a.startTime) - ms(b.startTime))
      .flatMap((span) => [
        indent + lineOf(span, details),
        ...below(span.spanContext().spanId, `${indent}  `),
      ]);
  return below(undefined, '').join('\n');
}

function lineOf({ name, status, attributes }: FinishedSpan, details: readonly string[]): string {
  const shown = details.flatMap((key) =>
    attributes[key] === undefined
      ? []
      : [`${key.replace('errand.', '')}=${JSON.stringify(attributes[key]).replaceAll('"', '')}`],
  );
  const error = status.code === 2 ? [`! ${String(attributes['error.type'])}`] : [];
  return [name, ...shown, ...error].join(' ');
}

export function ms([seconds, nanos]: readonly [number, number]): number {
  return seconds * 1000 + nanos / 1e6;
}

export function traceparentOf(span: FinishedSpan | undefined): string | undefined {
  if (span === undefined) return undefined;
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-0${traceFlags}`;
}

/** The instrumentation that makes spans of `fetch`. */
export function loadInstrumentation(): {
  readonly UndiciInstrumentation: new () => {
    setTracerProvider(provider: Api.TracerProvider): void;
    enable(): void;
    disable(): void;
  };
} {
  return load('@opentelemetry/instrumentation-undici') as ReturnType<typeof loadInstrumentation>;
}
