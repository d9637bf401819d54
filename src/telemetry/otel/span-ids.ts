/**
 * Gives chosen spans ids of our own. The API has no way to say them, but an SDK takes a generator of ids, and asks it
 * while a span is made. With any other generator spans have the ids that the host gives them.
 */

export interface ChosenIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** As OpenTelemetry's SDK takes it. */
export interface SpanIdGenerator {
  generateTraceId(): string;
  generateSpanId(): string;
}

let chosen: Partial<ChosenIds> | undefined;

/** The span that is made inside gets these ids; its trace only where it has no parent. */
export function withIds<T>(ids: ChosenIds | undefined, make: () => T): T {
  if (ids === undefined) return make();
  chosen = ids;
  try {
    return make();
  } finally {
    chosen = undefined;
  }
}

/** Taken once: a processor of the host may make spans of its own while ours is made. */
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
