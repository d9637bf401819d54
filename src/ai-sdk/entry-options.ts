/** The options of a call for one entry, and the record of the call in an answer's metadata. */
import type { SharedV4ProviderMetadata, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { Ending } from './attempt-failure.ts';
import type { CallRecord, OpenAttempt } from './chain-call.ts';
import type { Chain, Entry, NamedModel, ProviderOptions } from './chain-options.ts';

interface CallOptions {
  providerOptions?: SharedV4ProviderOptions | undefined;
  abortSignal?: AbortSignal | undefined;
}

/** With the signal of the attempt, and the provider's options of the entry over those of the call. */
export function optionsFor<Model, Options extends CallOptions>(
  { providerOptions: own }: Entry<Model>,
  options: Options,
  abortSignal: AbortSignal,
): Options {
  const { providerOptions } = options;
  if (own === undefined) return { ...options, abortSignal };
  return { ...options, abortSignal, providerOptions: merged(providerOptions ?? {}, own) };
}

function merged(call: SharedV4ProviderOptions, own: ProviderOptions): SharedV4ProviderOptions {
  const entries = Object.entries(own).map(([provider, values]) => [
    provider,
    { ...call[provider], ...values },
  ]);
  // true: the entry's options are passed to its own provider, which reads them as JSON
  return { ...call, ...(Object.fromEntries(entries) as SharedV4ProviderOptions) };
}

export function withRecord(
  metadata: SharedV4ProviderMetadata | undefined,
  record: CallRecord,
): SharedV4ProviderMetadata {
  // true: a record is plain JSON
  const errand = { ...record } as unknown as SharedV4ProviderMetadata[string];
  return { ...metadata, errand };
}

/** Facts that decide about the ending of an attempt, besides its words. */
export function endingFor<Model extends NamedModel>(
  chain: Chain<Model>,
  { entry, hasCalls }: OpenAttempt<Model>,
  { isStream }: Pick<Ending, 'isStream'>,
): Ending {
  const { provider } = entry.ref;
  return { provider, isStream, hasCalls, isTruncationNamed: namesTruncation(chain, entry) };
}

/** Whether a later entry asks for answers that were cut by their length. */
function namesTruncation<Model extends NamedModel>(
  { entries }: Chain<Model>,
  entry: Entry<Model>,
): boolean {
  return entries
    .slice(entries.indexOf(entry) + 1)
    .some(({ on }) => on !== 'any' && on?.includes(TRUNCATED) === true);
}

const TRUNCATED = 'provider.truncated';
