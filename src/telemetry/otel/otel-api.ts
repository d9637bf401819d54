/**
 * OpenTelemetry's API: only this file knows the package. It is loaded when a host has registered a
 * provider; until then a run costs one look at a global. All copies of the API share that global,
 * so it does not matter whose copy is loaded here.
 */
import type * as Api from '@opentelemetry/api';
import { createLoadPackage } from '../../effects/model/load-package.ts';

export const API_PACKAGE = '@opentelemetry/api';

export type OtelApi = typeof Api;
export type Context = Api.Context;
export type Meter = Api.Meter;
export type Span = Api.Span;
export type SpanContext = Api.SpanContext;
export type Tracer = Api.Tracer;

/** Documented by the API: one registry for each major version. */
const REGISTRY = Symbol.for('opentelemetry.js.api.1');

interface Registry {
  readonly trace?: unknown;
  readonly metrics?: unknown;
}

/** Whether the host has registered for spans, and for metrics. */
export function registered(): { readonly traces: boolean; readonly metrics: boolean } | undefined {
  const registry = (globalThis as { readonly [REGISTRY]?: Registry })[REGISTRY];
  if (registry === undefined) return undefined;
  const traces = registry.trace !== undefined;
  const metrics = registry.metrics !== undefined;
  return traces || metrics ? { traces, metrics } : undefined;
}

const load = createLoadPackage();

/** Looks in that folder first; undefined if the package is not installed or does not load. */
export function loadOtelApi(directory: string | undefined): OtelApi | undefined {
  const loading = load(API_PACKAGE, directory);
  // true: the package's documented interface
  return loading.type === 'loaded' ? (loading.exports as OtelApi) : undefined;
}
