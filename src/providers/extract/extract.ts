/**
 * Extracts the `ProviderFailure` for the classifier from any thrown value. Total: it returns a
 * failure or undefined, and never throws.
 */
import { saysNothingCame } from '../nothing-came.ts';
import type {
  Operation,
  Phase,
  ProviderFailure,
  TransportFault,
  Finding,
} from '../provider-failure.ts';
import type { Extracted } from './extractor.ts';
import { linksOf } from './links.ts';
import { phaseOf } from './phase.ts';
import { plainBody } from './plain-body.ts';
import { EXTRACTORS, GENERIC_SOURCES } from './table.ts';
import { ENDED_EARLY } from './transport.ts';

/** Facts from the caller; they win over guesses. */
export interface FailureHints {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly api?: string | undefined;
  readonly operation?: Operation | undefined;
  /** Whether a part of the reply was received; no error says so. */
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
  const recognised = recogniseAll(linksOf(thrown));
  const best = mostTelling(recognised);
  return best === undefined ? undefined : complete(best, recognised, hints);
}

function recogniseAll(links: readonly unknown[]): readonly Recognised[] {
  const recognised: Recognised[] = [];
  for (const link of links) {
    for (const extractor of EXTRACTORS) {
      const found = extractor.extract(link);
      if (found === undefined) continue;
      recognised.push({ source: extractor.source, found });
      break;
    }
  }
  return recognised;
}

/** The outermost of the most informative links. */
function mostTelling(recognised: readonly Recognised[]): Recognised | undefined {
  return recognised.reduce<Recognised | undefined>(
    (best, next) => (best === undefined || weight(next) > weight(best) ? next : best),
    undefined,
  );
}

/** A response beats a finding, a finding beats nothing; an SDK's error beats a common shape. */
function weight({ source, found }: Recognised): number {
  const hasAnswer = found.status !== undefined || found.body !== undefined;
  if (!hasAnswer || found.finding === 'output_unparsable')
    return found.finding === undefined ? 1 : 2;
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
  const { finding, transport } = settle(found, fault, hints.delivered);
  const phase = phaseOf({ ...found, finding, transport }, hints.delivered);
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
    isUnread: found.isUnread,
    transport,
    phase,
    delivered: hints.delivered ?? found.delivered ?? mayHaveDelivered(phase, transport),
    source,
    finding,
  });
}

/** A stream that broke had brought something, unless its fault says that it had not. */
function mayHaveDelivered(phase: Phase, fault: TransportFault | undefined): boolean {
  return phase === 'streaming' && (fault === undefined || !saysNothingCame(fault));
}

/**
 * A client times out by aborting, so the abort under a timeout did not come from the caller; and a
 * code from the wire is better evidence than the client's summary of it.
 */
function settle(
  found: Extracted,
  fault: TransportFault | undefined,
  delivered: boolean | undefined,
): { readonly finding: Finding | undefined; readonly transport: TransportFault | undefined } {
  // the fault that broke the stream says more than the empty stream
  if (found.finding === 'stream_empty' && fault !== undefined)
    return { finding: undefined, transport: fault };
  // a part of the reply was received, so the SDK lost the rest
  if (found.finding === 'connection_closed' && delivered === true)
    return { finding: undefined, transport: fault ?? ENDED_EARLY };
  const isSummary = found.finding === 'timed_out' || found.finding === 'connection_closed';
  if (isSummary && fault?.code !== undefined) return { finding: undefined, transport: fault };
  if (found.finding === 'timed_out' && fault?.name === 'AbortError') {
    return { finding: 'timed_out', transport: undefined };
  }
  return { finding: found.finding, transport: fault };
}

function firstOf<Field extends 'provider' | 'model' | 'api' | 'operation'>(
  all: readonly Extracted[],
  field: Field,
): Extracted[Field] {
  return all.find((found) => found[field] !== undefined)?.[field];
}

type Loose = { readonly [Field in keyof ProviderFailure]: ProviderFailure[Field] | undefined };

/** Leaves absent fields out, as the type of a failure demands. */
function compact(failure: Loose): ProviderFailure {
  const present: Record<string, unknown> = {};
  let name: keyof Loose;
  // `complete` makes it, so each name is an own property
  for (name in failure) if (failure[name] !== undefined) present[name] = failure[name];
  // `complete` sets the required fields, and no others are required
  return present as unknown as ProviderFailure;
}
