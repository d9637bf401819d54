/**
 * Keys from a credential source: a function of the host, or a program that the file names. A key is kept
 * in memory until a provider refuses it; then a fresh one is made, once for all concurrent requests.
 */
import { isCarrier } from '../../errors/thrown/cause-reports.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { extractFailure } from '../../providers/extract/extract.ts';
import { providerNamed } from '../../providers/known-providers.ts';
import type { ProviderSettings } from '../../workflow/plan/plan.ts';
import type { ModelRef } from '../../providers/own-findings.ts';
import { factsOf } from './model-failure.ts';
import { commandSource } from './key-command.ts';
import type { Environment } from '../../workflow/yaml/file-port.ts';

export interface CredentialRequest {
  /** Canonical name of the provider. */
  readonly provider: string;
  /** The previous key was refused. */
  readonly isRefresh: boolean;
  /** Aborted when the key is no longer needed. */
  readonly signal: AbortSignal;
}

/** Returns the key of a provider. A thrown error fails the call. */
export type CredentialSource = (request: CredentialRequest) => string | Promise<string>;

export interface CredentialHost {
  readonly env: Environment;
  /** Sources by provider. */
  readonly credentials?: Readonly<Record<string, CredentialSource>>;
}

/** The source of the key of one call. */
export interface Credential {
  /** Throws what the source throws, or `provider.not_configured` if it returns no key. */
  key(request: { readonly isRefresh: boolean; readonly signal: AbortSignal }): Promise<string>;
  /** The provider refused the key. */
  refuse(key: string): void;
}

interface CachedKey {
  readonly key: Promise<string>;
  /** Set once it is known. */
  value: string | undefined;
  isRefused: boolean;
  /** How many calls wait for it. */
  waiting: number;
  /** Ends a request that nobody waits for any more. */
  readonly abandon: (reason: unknown) => void;
}

export type FindCredential = (
  modelRef: ModelRef,
  settings: ProviderSettings | undefined,
  directory: string | undefined,
) => Credential | undefined;

/** Undefined for a provider whose key is in the settings or the environment. */
export function createFindCredential({ env, credentials = {} }: CredentialHost): FindCredential {
  const cached = new Map<string, CachedKey>();
  return (modelRef, settings, directory) => {
    const { name } = providerNamed(modelRef.provider);
    const own = [modelRef.provider, name].find((each) => Object.hasOwn(credentials, each));
    const command = settings?.apiKeyCommand;
    const made =
      command === undefined ? undefined : commandSource(command, { env, directory, modelRef });
    const source = own === undefined ? made : credentials[own];
    if (source === undefined) return undefined;
    const cacheKey = own ?? JSON.stringify([name, directory ?? '', command]);
    const ask = (isAgain: boolean): CachedKey => {
      const controller = new AbortController();
      const forget = (): void => {
        if (cached.get(cacheKey) === fresh) cached.delete(cacheKey);
      };
      const request = { provider: name, isRefresh: isAgain, signal: controller.signal };
      const fresh: CachedKey = {
        key: requestKey(source, request, modelRef),
        value: undefined,
        isRefused: false,
        waiting: 0,
        abandon: (reason) => {
          forget();
          controller.abort(reason);
        },
      };
      cached.set(cacheKey, fresh);
      // a failed request is not kept: the next call asks anew
      fresh.key.then((key) => (fresh.value = key), forget);
      return fresh;
    };
    return {
      key: async ({ isRefresh, signal }) => {
        const before = cached.get(cacheKey);
        if (before !== undefined && !before.isRefused)
          return before.value ?? waited(before, signal);
        return waited(ask(isRefresh || before !== undefined), signal);
      },
      refuse: (key) => {
        const present = cached.get(cacheKey);
        if (present?.value === key) present.isRefused = true;
      },
    };
  };
}

/** A cancelled call leaves the request to the others; it ends with the last of them. */
function waited(cached: CachedKey, signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const left = (): void => {
    cached.waiting--;
    reject(signal.reason);
    if (cached.waiting === 0 && cached.value === undefined) cached.abandon(signal.reason);
  };
  const ended = (): void => signal.removeEventListener('abort', left);
  cached.waiting++;
  cached.key.then(resolve, reject).finally(ended);
  if (signal.aborted) left();
  else signal.addEventListener('abort', left, { once: true });
  return promise;
}

async function requestKey(
  source: CredentialSource,
  request: CredentialRequest,
  modelRef: ModelRef,
): Promise<string> {
  const who = providerNamed(modelRef.provider).display;
  const refused = (message: string, detail: string, cause?: unknown): ErrandError =>
    new ErrandError(
      {
        kind: 'provider.not_configured',
        outcome: 'not_started',
        message,
        provider: factsOf(modelRef),
        action: { kind: 'check_credentials', detail },
      },
      cause === undefined ? {} : { cause },
    );
  let value: unknown;
  try {
    value = await source(request);
  } catch (thrown) {
    // a failure that `reportFrom` recognises describes itself best
    if (isCarrier(thrown) || extractFailure(thrown) !== undefined) throw thrown;
    throw refused(
      `The credential source of ${who} failed`,
      `Look at the error that the credential source of ${request.provider} threw.`,
      thrown,
    );
  }
  const key = typeof value === 'string' ? value.trim() : '';
  if (key !== '') return key;
  throw refused(
    `The credential source of ${who} returned no key`,
    'Make it return the key as a string.',
  );
}
