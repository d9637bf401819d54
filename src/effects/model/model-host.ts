/**
 * The host's settings for model calls. Applications see these types, so none of them needs an
 * optional package.
 */
import type { ModelTimeouts } from '../../machine/policy/model-timeouts.ts';
import type { CredentialHost } from './credentials.ts';
import type { LoadPackage } from './load-package.ts';

/** A model of an application or of a package, not yet checked. */
export type SdkModel = object;

/** Registered by a host: an AI SDK provider, or a function from a model's name to a model. */
export type RegisteredProvider =
  | { readonly languageModel: (model: string) => SdkModel }
  /** `apiKey`: from its credential source, if it has one. */
  | ((model: string, provided: { readonly apiKey?: string }) => SdkModel);

export interface ModelHost extends CredentialHost {
  /** Providers by name; they win over built-in ones. */
  readonly providers?: Readonly<Record<string, RegisteredProvider>>;
  /** AI SDK models by full name, `provider/model`; they win over providers. */
  readonly models?: Readonly<Record<string, SdkModel>>;
}

export interface ModelEffectOptions extends ModelHost {
  readonly timeouts?: Partial<ModelTimeouts>;
  /** Loads packages. Default: from the folders of the workflow, the process and Errand. */
  readonly loadPackage?: LoadPackage;
}
