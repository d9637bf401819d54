/**
 * Failures of a model call that no provider reports and its caller finds: no content came, or none in time.
 * They are classified by the same rules as what providers send.
 */
import type { ReportDraft, Stamp } from '../errors/report/report.ts';
import { providerNamed } from './known-providers.ts';
import type { ProviderFailure } from './provider-failure.ts';
import { draftFromFailure } from './report-from.ts';

export interface ModelRef {
  readonly provider: string;
  /** Name without the provider. */
  readonly model: string;
}

/** A reply that broke off before its first content: nobody has seen anything, so it may be repeated. */
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

/** A reply that did not come in time; `isBegun` after its first sign of life. */
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
 * The draft, unless it says that its caller cancelled the call. The caller decides that, and asks here only where
 * it did not: then the client of the model gave the request up by itself, as it does after a time.
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
