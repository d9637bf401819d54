/** Spans of `errand trace` in the form in which the SDK keeps the live ones, to compare the two. */
import type { FinishedSpan } from './otel.ts';

interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values: readonly OtlpValue[] };
}

export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: OtlpValue }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

export interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: OtlpSpan['attributes'] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string; readonly version?: string };
      readonly spans: readonly OtlpSpan[];
    }[];
  }[];
}

export function spansIn(request: OtlpRequest): readonly OtlpSpan[] {
  return request.resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans),
  );
}

export function attributesOf({
  attributes,
}: Pick<OtlpSpan, 'attributes'>): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}

function plain({ stringValue, intValue, doubleValue, boolValue, arrayValue }: OtlpValue): unknown {
  if (arrayValue !== undefined) return arrayValue.values.map(plain);
  return (
    stringValue ??
    (intValue === undefined ? undefined : Number(intValue)) ??
    doubleValue ??
    boolValue
  );
}

/**
 * The parts that must be the same live and after the fact; only the live call knows the omitted
 * attributes.
 */
export interface Comparable {
  readonly name: string;
  readonly isClient: boolean;
  readonly parent: string;
  readonly links: readonly string[];
  readonly status: unknown;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const LIVE_ONLY = new Set([
  'process.pid',
  'gen_ai.response.id',
  'gen_ai.response.time_to_first_chunk',
  'mcp.protocol.version',
]);

export function liveComparable(spans: readonly FinishedSpan[]): readonly Comparable[] {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const label = (id: string | undefined): string =>
    labelOf(byId.get(id ?? '')?.name, byId.get(id ?? '')?.attributes);
  return sorted(
    spans.map(({ name, kind, attributes, links, status, parentSpanContext }) => ({
      name,
      isClient: kind === 2,
      parent: label(parentSpanContext?.spanId),
      links: links.map(({ context }) => label(context.spanId)),
      status: status.code === 2 ? status : {},
      attributes: withoutLive(attributes),
    })),
  );
}

export function offlineComparable(spans: readonly OtlpSpan[]): readonly Comparable[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const label = (id: string | undefined): string => {
    const span = byId.get(id ?? '');
    return labelOf(span?.name, span === undefined ? undefined : attributesOf(span));
  };
  return sorted(
    spans.map((span) => ({
      name: span.name,
      isClient: span.kind === 3,
      parent: label(span.parentSpanId),
      links: (span.links ?? []).map(({ spanId }) => label(spanId)),
      status: span.status,
      attributes: withoutLive(attributesOf(span)),
    })),
  );
}

function labelOf(
  name: string | undefined,
  attributes: Readonly<Record<string, unknown>> = {},
): string {
  const { 'errand.leg': leg, 'errand.node.path': path, 'errand.attempt': attempt } = attributes;
  return name === undefined ? 'outside' : [name, leg, path, attempt].join(' ');
}

function withoutLive(attributes: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(attributes).filter(([key]) => !LIVE_ONLY.has(key)));
}

function sorted(spans: readonly Comparable[]): readonly Comparable[] {
  const key = (span: Comparable): string =>
    JSON.stringify([span.name, span.parent, span.attributes]);
  return spans.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
