/**
 * From whatever was thrown to the one envelope that the classifier reads. Total: any value gives an
 * envelope or undefined, never an exception.
 */
import type { Operation, ProviderFailure, TransportFault, Verdict } from '../envelope.ts';
import type { Extracted } from './extractor.ts';
import { linksOf } from './links.ts';
import { phaseOf } from './phase.ts';
import { plainBody } from './plain-body.ts';
import { EXTRACTORS, GENERIC_SOURCES } from './table.ts';

/** What the caller knows; it wins over what can be guessed. */
export interface FailureHints {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly api?: string | undefined;
  readonly operation?: Operation | undefined;
  /** Whether a part of the answer was received, which no error tells. */
  readonly delivered?: boolean | undefined;
}

interface Recognised {
  readonly source: string;
  readonly found: Extracted;
}

export function extractFailure(
  thrown: unknown,
  hints: FailureHints = {},
): ProviderFailure | undefined {
  const recognised = linksOf(thrown).flatMap(recognise);
  const best = mostTelling(recognised);
  return best === undefined ? undefined : complete(best, recognised, hints);
}

function recognise(link: unknown): readonly Recognised[] {
  for (const extractor of EXTRACTORS) {
    const found = extractor.extract(link);
    if (found !== undefined) return [{ source: extractor.source, found }];
  }
  return [];
}

/** The outermost of those that know most. */
function mostTelling(recognised: readonly Recognised[]): Recognised | undefined {
  return recognised.reduce<Recognised | undefined>(
    (best, next) => (best === undefined || weight(next) > weight(best) ? next : best),
    undefined,
  );
}

/** An answer beats a conclusion, a conclusion beats silence; an SDK's word beats a common shape. */
function weight({ source, found }: Recognised): number {
  const hasAnswer = found.status !== undefined || found.body !== undefined;
  if (!hasAnswer || found.verdict === 'output_unparsable')
    return found.verdict === undefined ? 1 : 2;
  const certainty = GENERIC_SOURCES.has(source) ? 3 : 5;
  return certainty + (found.body === undefined ? 0 : 1);
}

function complete(
  { source, found }: Recognised,
  recognised: readonly Recognised[],
  hints: FailureHints,
): ProviderFailure {
  const all = recognised.map((other) => other.found);
  const fault = found.transport ?? all.find((other) => other.transport !== undefined)?.transport;
  const { verdict, transport } = settle(found, fault);
  const phase = phaseOf({ ...found, verdict, transport }, hints.delivered);
  return compact({
    provider: hints.provider ?? firstOf(all, 'provider'),
    model: hints.model ?? firstOf(all, 'model'),
    api: hints.api ?? firstOf(all, 'api'),
    operation: hints.operation ?? firstOf(all, 'operation') ?? 'generate',
    status: found.status,
    headers: found.headers ?? {},
    code: found.code,
    type: found.type,
    message: found.message,
    body: plainBody(found.body),
    transport,
    phase,
    delivered: hints.delivered ?? found.delivered ?? phase === 'streaming',
    source,
    verdict,
  });
}

/**
 * A client's timeout is done by aborting, so the abort under it is no wish of the caller; and a code
 * from the wire is better evidence than the client's summary of it.
 */
function settle(
  found: Extracted,
  fault: TransportFault | undefined,
): { readonly verdict: Verdict | undefined; readonly transport: TransportFault | undefined } {
  // what broke a stream says more than that nothing came of it
  if (found.verdict === 'stream_empty' && fault !== undefined)
    return { verdict: undefined, transport: fault };
  const isSummary = found.verdict === 'timed_out' || found.verdict === 'connection_closed';
  if (isSummary && fault?.code !== undefined) return { verdict: undefined, transport: fault };
  if (found.verdict === 'timed_out' && fault?.name === 'AbortError') {
    return { verdict: 'timed_out', transport: undefined };
  }
  return { verdict: found.verdict, transport: fault };
}

function firstOf<Field extends 'provider' | 'model' | 'api' | 'operation'>(
  all: readonly Extracted[],
  field: Field,
): Extracted[Field] {
  return all.find((found) => found[field] !== undefined)?.[field];
}

type Loose = { readonly [Field in keyof ProviderFailure]: ProviderFailure[Field] | undefined };

/** Absent fields are left out, as the envelope's type demands. */
function compact(failure: Loose): ProviderFailure {
  const entries = Object.entries(failure).filter(([, value]) => value !== undefined);
  // the fields that must be present are set by `complete`, and no others are required
  return Object.fromEntries(entries) as unknown as ProviderFailure;
}
