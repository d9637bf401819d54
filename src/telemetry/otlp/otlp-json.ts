/**
 * Spans in OTLP's JSON form: ids in hexadecimal, nanoseconds as strings, enumerations as numbers.
 */
import { parseTraceparent } from '../../machine/ports/trace-carrier.ts';
import { SCOPE } from '../names.ts';
import type { Attributes, AttributeValue } from '../spans/span-sink.ts';
import type { RecordedSpan } from './recorded-spans.ts';

const KIND = { internal: 1, client: 3 } as const;
const STATUS_ERROR = 2;

/** An `ExportTraceServiceRequest`. */
export function toOtlpJson(spans: readonly RecordedSpan[], version: string): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues({ 'service.name': SCOPE }) },
        scopeSpans: [{ scope: { name: SCOPE, version }, spans: spans.map(spanOf) }],
      },
    ],
  };
}

function spanOf({ traceId, spanId, parentSpanId, ...span }: RecordedSpan): object {
  const { name, isClient, links, startMs, endMs = startMs, attributes, error } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: isClient ? KIND.client : KIND.internal,
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: keyValues(attributes),
    ...(links.length === 0 ? {} : { links: links.flatMap(linkOf) }),
    status: error === undefined ? {} : { code: STATUS_ERROR, message: error.message },
  };
}

function linkOf(traceparent: string): readonly object[] {
  const linked = parseTraceparent(traceparent);
  return linked === undefined ? [] : [{ traceId: linked.traceId, spanId: linked.spanId }];
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms)) * 1_000_000n);
}

function keyValues(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(anyValue) } };
}
