/**
 * Gives chosen spans ids of our own. The API has no way to set them, but an SDK accepts a generator
 * of ids, and calls it while it makes a span. With any other generator spans get the host's ids.
 */

export interface ChosenIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** The interface that OpenTelemetry's SDK accepts. */
export interface SpanIdGenerator {
  generateTraceId(): string;
  generateSpanId(): string;
}

let chosen: Partial<ChosenIds> | undefined;

/** The span made inside gets these ids, and the trace id only if it has no parent. */
export function withIds<T>(ids: ChosenIds | undefined, make: () => T): T {
  if (ids === undefined) return make();
  chosen = ids;
  try {
    return make();
  } finally {
    chosen = undefined;
  }
}

/** Takes an id once: a processor of the host may make spans of its own while ours is made. */
function take(name: keyof ChosenIds): string | undefined {
  const { [name]: id, ...rest } = chosen ?? {};
  if (chosen !== undefined) chosen = rest;
  return id;
}

export function createIdGenerator(): SpanIdGenerator {
  return {
    generateTraceId: () => take('traceId') ?? randomId(16),
    generateSpanId: () => take('spanId') ?? randomId(8),
  };
}

/** Never all zeros, which means "no id". */
function randomId(bytes: number): string {
  // on demand: most processes load this file and make no id
  const id = process.getBuiltinModule('node:crypto').randomBytes(bytes).toString('hex');
  return /[1-9a-f]/.test(id) ? id : randomId(bytes);
}
