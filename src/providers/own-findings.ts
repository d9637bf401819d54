/**
 * Failures of a model call that its caller finds and no provider reports: no content, or none in
 * time. The rules for providers' errors classify them too.
 */
import type { ReportDraft, Stamp } from '../errors/report/report.ts';
import { providerNamed } from './known-providers.ts';
import type { ProviderFailure } from './provider-failure.ts';
import { draftFromFailure } from './report-from.ts';

export interface ModelRef {
  readonly provider: string;
  /** The name without the provider. */
  readonly model: string;
}

/**
 * A reply that broke off before its first content: nobody has seen anything, so the call may be
 * repeated.
 */
export function brokenBeforeContent(modelRef: ModelRef, stamp: Stamp): ReportDraft {
  const draft = found(modelRef, stamp, {
    transport: { name: 'Error', message: 'The stream broke before its first content' },
    phase: 'sent',
    delivered: false,
    finding: 'connection_closed',
  });
  const who = providerNamed(modelRef.provider).display;
  return { ...draft, message: `${who} broke off before it sent any content.` };
}

/** A reply that did not arrive in time; `isBegun` after its first sign of life. */
export function notInTime(
  modelRef: ModelRef,
  stamp: Stamp,
  { isBegun, isDelivered }: { readonly isBegun: boolean; readonly isDelivered: boolean },
): ReportDraft {
  return found(modelRef, stamp, {
    phase: isBegun ? 'streaming' : 'sent',
    delivered: isDelivered,
    finding: 'timed_out',
  });
}

/**
 * The draft, unless it says that the caller cancelled the call. The caller knows whether it did,
 * and asks here only if not: then the model's client gave up the request by itself, as it does
 * after a time.
 */
export function unlessGivenUp(
  draft: ReportDraft,
  modelRef: ModelRef,
  {
    stamp,
    ...seen
  }: { readonly stamp: Stamp; readonly isBegun: boolean; readonly isDelivered: boolean },
): ReportDraft {
  return draft.kind === 'cancelled.call' ? notInTime(modelRef, stamp, seen) : draft;
}

function found(
  modelRef: ModelRef,
  stamp: Stamp,
  finding: Pick<ProviderFailure, 'phase' | 'delivered' | 'finding' | 'transport'>,
): ReportDraft {
  const { provider, model } = modelRef;
  return draftFromFailure(
    { provider, model, operation: 'generate', headers: {}, source: 'errand', ...finding },
    { stamp },
  );
}
