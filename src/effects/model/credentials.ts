/**
 * Keys that somebody makes when they are needed: a function of the host, or a program that the file
 * names. A key is kept in memory until a provider refuses it; whoever asks then gets a fresh one, and
 * all who ask at once get the same.
 */
import { isCarrier } from '../../errors/carried.ts';
import { ErrandError } from '../../errors/errand-error.ts';
import { extractFailure } from '../../providers/extract/extract.ts';
import { providerNamed } from '../../providers/names.ts';
import type { ProviderSettings } from '../../workflow/model.ts';
import { factsOf, type Asked } from './failure.ts';
import { commandSource } from './key-command.ts';
import type { Environment } from './connection.ts';

export interface CredentialRequest {
  /** By its usual name. */
  readonly provider: string;
  /** The key that was given last is refused. */
  readonly isRefresh: boolean;
  /** Aborted when nobody waits for the key any more. */
  readonly signal: AbortSignal;
}

/** Gives the key of a provider. What it throws is what the call fails with. */
export type CredentialSource = (request: CredentialRequest) => string | Promise<string>;

export interface CredentialHost {
  readonly env: Environment;
  /** By the name of the provider. */
  readonly credentials?: Readonly<Record<string, CredentialSource>>;
}

/** Where the key of one call comes from. */
export interface Credential {
  /** Throws what the source throws, and `provider.not_configured` where it gives no key. */
  key(request: { readonly isRefresh: boolean; readonly signal: AbortSignal }): Promise<string>;
  /** The provider does not take it. */
  refuse(key: string): void;
}

interface Known {
  key: Promise<string>;
  /** Once it is there. */
  value: string | undefined;
  isRefused: boolean;
}

export type FindCredential = (
  asked: Asked,
  settings: ProviderSettings | undefined,
  directory: string | undefined,
) => Credential | undefined;

/** Undefined for a provider whose key is a setting or a variable. */
export function createFindCredential({ env, credentials = {} }: CredentialHost): FindCredential {
  const known = new Map<string, Known>();
  return (asked, settings, directory) => {
    const { name } = providerNamed(asked.provider);
    const own = [asked.provider, name].find((each) => Object.hasOwn(credentials, each));
    const command = settings?.apiKeyCommand;
    const made =
      command === undefined ? undefined : commandSource(command, { env, directory, asked });
    const source = own === undefined ? made : credentials[own];
    if (source === undefined) return undefined;
    const place = own ?? JSON.stringify([name, directory ?? '', command]);
    return {
      key: ({ isRefresh, signal }) => {
        const before = known.get(place);
        if (before !== undefined && !before.isRefused) return before.key;
        const isAgain = isRefresh || before !== undefined;
        const fresh: Known = {
          key: ask(source, { provider: name, isRefresh: isAgain, signal }, asked),
          value: undefined,
          isRefused: false,
        };
        known.set(place, fresh);
        return settled(fresh, () => {
          if (known.get(place) === fresh) known.delete(place);
        });
      },
      refuse: (key) => {
        const present = known.get(place);
        if (present?.value === key) present.isRefused = true;
      },
    };
  };
}

/** A key that could not be had is asked for anew by whoever needs it next. */
async function settled(fresh: Known, forget: () => void): Promise<string> {
  try {
    fresh.value = await fresh.key;
    return fresh.value;
  } catch (thrown) {
    forget();
    throw thrown;
  }
}

async function ask(
  source: CredentialSource,
  request: CredentialRequest,
  asked: Asked,
): Promise<string> {
  const who = providerNamed(asked.provider).display;
  const refused = (message: string, detail: string, cause?: unknown): ErrandError =>
    new ErrandError(
      {
        kind: 'provider.not_configured',
        outcome: 'not_started',
        message,
        provider: factsOf(asked),
        action: { kind: 'check_credentials', detail },
      },
      cause === undefined ? {} : { cause },
    );
  let given: unknown;
  try {
    given = await source(request);
  } catch (thrown) {
    // a typed failure, or one of the network or of an SDK, says best itself what it is
    if (isCarrier(thrown) || extractFailure(thrown) !== undefined) throw thrown;
    throw refused(
      `The key of ${who} could not be had`,
      `Look at what the source of the credential of ${request.provider} threw.`,
      thrown,
    );
  }
  const key = typeof given === 'string' ? given.trim() : '';
  if (key !== '') return key;
  throw refused(
    `The source of the credential of ${who} gave no key`,
    'Make it give the key as text.',
  );
}
