/**
 * The context of a trace as it crosses the border of a process: the three names of W3C Trace Context and
 * Baggage, which headers, `_meta` of MCP and variables of the environment share.
 */

export interface TraceCarrier {
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly baggage?: string;
}

export const CARRIER_NAMES = ['traceparent', 'tracestate', 'baggage'] as const;
export type CarrierName = (typeof CARRIER_NAMES)[number];

/** Longer values are no contexts; the standards ask for 512 and 8192 characters. */
const MAX_CHARS: Readonly<Record<CarrierName, number>> = {
  traceparent: 512,
  tracestate: 4096,
  baggage: 8192,
};

const PRINTABLE = /^[\t\u0020-\u007e]+$/;

/** Trace and span ids of zeros are invalid, and so is version `ff`. */
const TRACEPARENT =
  /^(?!ff)(?<version>[\da-f]{2})-(?<traceId>(?!0{32})[\da-f]{32})-(?<spanId>(?!0{16})[\da-f]{16})-(?<flags>[\da-f]{2})(?<more>-.*)?$/;

/** The parts of a `traceparent`. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  /** Bit 1: the caller records. */
  readonly flags: number;
}

/** Undefined for anything but a valid `traceparent`. */
export function parseTraceparent(text: string | undefined): TraceParent | undefined {
  const { version, traceId, spanId, flags, more } = TRACEPARENT.exec(text ?? '')?.groups ?? {};
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === '00' && more !== undefined) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

export function writeTraceparent({ traceId, spanId, flags }: TraceParent): string {
  return `00-${traceId}-${spanId}-${(flags & 0xff).toString(16).padStart(2, '0')}`;
}

/**
 * Reads what a caller sent; values that are no context are left out, and so is a `tracestate` without
 * its `traceparent`. Undefined when nothing is left.
 */
export function readCarrier(get: (name: CarrierName) => unknown): TraceCarrier | undefined {
  const read = (name: CarrierName): string | undefined => {
    const value = get(name);
    if (typeof value !== 'string') return undefined;
    const text = value.trim();
    return text.length <= MAX_CHARS[name] && PRINTABLE.test(text) ? text : undefined;
  };
  const traceparent = read('traceparent');
  const isValid = parseTraceparent(traceparent) !== undefined;
  const tracestate = isValid ? read('tracestate') : undefined;
  const baggage = read('baggage');
  if (!isValid && baggage === undefined) return undefined;
  return {
    ...(isValid && traceparent !== undefined ? { traceparent } : {}),
    ...(tracestate === undefined ? {} : { tracestate }),
    ...(baggage === undefined ? {} : { baggage }),
  };
}

/** `TRACEPARENT`, `TRACESTATE` and `BAGGAGE`. */
export function carrierInEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): TraceCarrier | undefined {
  return readCarrier((name) => env[name.toUpperCase()]);
}

export function carrierVariables(carrier: TraceCarrier | undefined): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const name of CARRIER_NAMES) {
    const value = carrier?.[name];
    if (value !== undefined) variables[name.toUpperCase()] = value;
  }
  return variables;
}

export function carrierInHeaders(headers: {
  get(name: string): string | null;
}): TraceCarrier | undefined {
  return readCarrier((name) => headers.get(name));
}

/** The context in `_meta` of an MCP request. */
export function carrierInMeta(meta: unknown): TraceCarrier | undefined {
  if (typeof meta !== 'object' || meta === null) return undefined;
  const fields = new Map<string, unknown>(Object.entries(meta));
  return readCarrier((name) => fields.get(name));
}
