/** Converts contexts of OpenTelemetry to and from the form that crosses a process boundary. */
import {
  parseTraceparent,
  writeTraceparent,
  type TraceCarrier,
} from '../../machine/ports/trace-carrier.ts';
import type { Context, OtelApi, SpanContext } from './otel-api.ts';

/**
 * The context of the caller that begins a leg. An active span of the same trace is closer than the
 * context in the request: the host's own instrumentation made it. Null: no request began the leg.
 */
export function callerContext(api: OtelApi, carrier: TraceCarrier | null | undefined): Context {
  const active = api.context.active();
  if (carrier === null) return api.ROOT_CONTEXT;
  const span = api.trace.getSpanContext(active);
  const remote = parseTraceparent(carrier?.traceparent);
  const isActive = span !== undefined && api.isSpanContextValid(span);
  if (isActive && (remote === undefined || remote.traceId === span.traceId)) return active;
  if (carrier === undefined) return api.trace.deleteSpan(active);
  return remoteContext(api, carrier, api.trace.deleteSpan(active));
}

/** The context that another process sent. */
export function remoteContext(api: OtelApi, carrier: TraceCarrier, base: Context): Context {
  const spanContext = remoteSpan(api, carrier.traceparent, carrier.tracestate);
  const withSpan = spanContext === undefined ? base : api.trace.setSpanContext(base, spanContext);
  const baggage = readBaggage(carrier.baggage);
  if (baggage === undefined) return withSpan;
  return api.propagation.setBaggage(withSpan, api.propagation.createBaggage(baggage));
}

export function remoteSpan(
  api: OtelApi,
  traceparent: string | undefined,
  tracestate?: string,
): SpanContext | undefined {
  const parent = parseTraceparent(traceparent);
  if (parent === undefined) return undefined;
  const { traceId, spanId, flags } = parent;
  return {
    traceId,
    spanId,
    traceFlags: flags,
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: api.createTraceState(tracestate) }),
  };
}

/** Writes W3C's names, whatever propagators the host has. */
export function carrierOf(api: OtelApi, context: Context): TraceCarrier {
  const span = api.trace.getSpanContext(context);
  const tracestate = span?.traceState?.serialize() ?? '';
  const baggage = (api.propagation.getBaggage(context)?.getAllEntries() ?? [])
    .map(([key, { value, metadata }]) => {
      const more = metadata === undefined ? '' : `;${metadata.toString()}`;
      return `${key}=${encodeURIComponent(value)}${more}`;
    })
    .join(',');
  return {
    ...(span === undefined ? {} : { traceparent: traceparentOf(span) }),
    ...(tracestate === '' ? {} : { tracestate }),
    ...(baggage === '' ? {} : { baggage }),
  };
}

export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return writeTraceparent({ traceId, spanId, flags: traceFlags });
}

function readBaggage(text: string | undefined): Record<string, { value: string }> | undefined {
  if (text === undefined) return undefined;
  const entries = text.split(',').flatMap((member): [string, { value: string }][] => {
    const [pair = ''] = member.split(';');
    const at = pair.indexOf('=');
    const key = pair.slice(0, Math.max(0, at)).trim();
    return key === '' ? [] : [[key, { value: decoded(pair.slice(at + 1).trim()) }]];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // the writer does not encode: take it unchanged
    return text;
  }
}
