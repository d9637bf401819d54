/**
 * Finds the AI SDK model for `provider/model`: one that the host registered, else one of a built-in
 * provider. An incomplete setup is one failure that names every missing step.
 */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { readProperty } from '../../errors/support/safe-json.ts';
import type { ReportDraft } from '../../errors/report/report.ts';
import { describe } from '../../errors/thrown/to-report.ts';
import { hideHostPaths } from '../../errors/redaction/host-paths.ts';
import { providerNamed } from '../../providers/known-providers.ts';
import { omitUndefined } from '../../workflow/plan/omit-undefined.ts';
import type { ProviderSettings } from '../../workflow/plan/plan.ts';
import { builtInProvider, compatible, type BuiltIn } from './built-in.ts';
import { ConnectionSettings } from './connection-settings.ts';
import type { ModelRef } from '../../providers/own-findings.ts';
import { factsOf } from './model-failure.ts';
import type { LoadPackage } from './load-package.ts';
import type { ModelHost } from './model-host.ts';
import { oneRequest } from './one-request.ts';
import type { Target } from './prompt.ts';
import type { TakeEventsOf } from './stream/raw-events.ts';
import {
  isLanguageModel,
  toLanguageModel,
  unsupported,
  type LanguageModel,
} from './language-model.ts';

export interface FoundModel extends Target, MadeModel {}

interface MadeModel {
  readonly model: LanguageModel;
  /** Absent if the request is not ours, or its events are frames of bytes. */
  readonly takeEventsOf?: TakeEventsOf;
}

export interface ModelLookup {
  /** Full name, `provider/model`. */
  readonly name: string;
  readonly modelRef: ModelRef;
  readonly settings?: ProviderSettings;
  readonly directory?: string;
  /** From a credential source. */
  readonly apiKey?: string;
}

export type FindModel = (lookup: ModelLookup) => FoundModel;

/** Splits a model's name. Throws for a name without a provider. */
export function modelRefOf(name: string): ModelRef {
  const slash = name.indexOf('/');
  if (slash < 1 || slash === name.length - 1) {
    throw new ErrandError({
      kind: 'provider.not_configured',
      outcome: 'not_started',
      message: `The model ${name} names no provider`,
      action: { kind: 'fix_file', detail: 'Write it as `provider/model`.' },
    });
  }
  return { provider: name.slice(0, slash), model: name.slice(slash + 1) };
}

/** Throws `provider.not_configured`, `provider.unsupported`, or what a registered provider throws. */
export function createFindModel(host: ModelHost, load: LoadPackage): FindModel {
  const made = new Map<string, MadeModel>();
  return (lookup) => {
    const { name, modelRef, directory, apiKey } = lookup;
    const registered = registeredModel(host, lookup);
    const builtIn = registered === undefined ? builtInFor(lookup) : undefined;
    const connection = new ConnectionSettings(
      host.env,
      settingsFor(lookup.settings, lookup.modelRef),
      apiKey,
    );
    const options = omitUndefined(builtIn?.options(connection) ?? {});
    const loader = new Loader(load, directory);
    const packageExports = builtIn === undefined ? undefined : loader.load(builtIn.package);
    if (connection.missing.length > 0 || loader.steps.length > 0) {
      throw notConfigured(modelRef, [...loader.steps, ...connection.missing], loader.thrown);
    }
    const provider = providerNamed(modelRef.provider).name;
    if (builtIn === undefined || packageExports === undefined) {
      const given = registered?.model;
      const object = typeof given === 'string' ? modelByName(given, modelRef, loader) : given;
      const model = toLanguageModel(object, modelRef);
      return { model, provider, schemas: 'schema', takesThoughts: true };
    }
    const { schemas, takesThoughts = false } = builtIn;
    // creating a model is slow, so it is cached; the key stays in memory
    const key = JSON.stringify([name, directory ?? '', options]);
    const model = made.get(key) ?? makeModel(packageExports, builtIn, { options, modelRef });
    if (made.size >= MAX_MADE) made.clear();
    made.set(key, model);
    return { ...model, provider, schemas, takesThoughts };
  };
}

/** Refreshed keys leave unused models in the cache. */
const MAX_MADE = 256;

/** Undefined if the host registers nothing of that name; otherwise its value, even an empty one. */
function registeredModel(
  host: ModelHost,
  { name, modelRef, apiKey }: ModelLookup,
): { readonly model: unknown } | undefined {
  const { models = {}, providers = {} } = host;
  if (Object.hasOwn(models, name)) return { model: models[name] };
  const canonical = providerNamed(modelRef.provider).name;
  const known = [modelRef.provider, canonical].find((spelling) =>
    Object.hasOwn(providers, spelling),
  );
  if (known === undefined) return undefined;
  const provider = providers[known];
  // a provider of the SDK is a function with methods
  const method: unknown = readProperty(provider, 'languageModel');
  if (typeof method === 'function')
    return { model: Reflect.apply(method, provider, [modelRef.model]) };
  if (typeof provider !== 'function') return { model: undefined };
  return { model: provider(modelRef.model, apiKey === undefined ? {} : { apiKey }) };
}

function builtInFor(lookup: ModelLookup): BuiltIn {
  const { modelRef } = lookup;
  const { name, display } = providerNamed(modelRef.provider);
  const builtIn = builtInProvider(name);
  if (builtIn !== undefined) return builtIn;
  if (settingsFor(lookup.settings, lookup.modelRef)?.baseUrl !== undefined) return compatible(name);
  throw new ErrandError({
    kind: 'provider.not_configured',
    outcome: 'not_started',
    message: `Errand cannot call ${display} by its name alone`,
    details: { provider: name },
    provider: factsOf(modelRef),
    action: {
      kind: 'fix_setup',
      detail: `Set \`runtime.provider\` with \`name: ${name}\` and a \`base_url\` that speaks OpenAI's protocol, or register an AI SDK provider called ${modelRef.provider} in code.`,
    },
  });
}

export function settingsFor(
  settings: ProviderSettings | undefined,
  modelRef: ModelRef,
): ProviderSettings | undefined {
  if (settings === undefined) return undefined;
  const isMeant = providerNamed(settings.name).name === providerNamed(modelRef.provider).name;
  return isMeant ? settings : undefined;
}

/** Collects the missing packages, so that one command installs all of them. */
class Loader {
  readonly #load: LoadPackage;
  readonly #directory: string | undefined;
  readonly #missing: string[] = [];
  readonly #broken: string[] = [];
  #thrown: unknown;

  constructor(load: LoadPackage, directory: string | undefined) {
    this.#load = load;
    this.#directory = directory;
  }

  /** The error of the last broken package. */
  get thrown(): unknown {
    return this.#thrown;
  }

  get steps(): readonly string[] {
    const install = this.#missing.join(' ');
    return [...(install === '' ? [] : [`Run \`npm install ${install}\`.`]), ...this.#broken];
  }

  load(name: string): unknown {
    const loading = this.#load(name, this.#directory);
    if (loading.type === 'loaded') return loading.exports;
    if (loading.type === 'missing') this.#missing.push(name);
    else {
      this.#thrown = loading.thrown;
      const [why = ''] = hideHostPaths(describe(loading.thrown)).split('\n');
      this.#broken.push(`Reinstall ${name}, which does not load: ${why}.`);
    }
    return undefined;
  }

  /** Undefined if it is not installed, which is not a missing step. */
  optional(name: string): unknown {
    const loading = this.#load(name, this.#directory);
    return loading.type === 'loaded' ? loading.exports : undefined;
  }
}

/**
 * A model given only by name belongs to the provider that the application set for the whole SDK, or
 * to its gateway.
 */
function modelByName(name: string, modelRef: ModelRef, loader: Loader): unknown {
  const provider =
    readProperty(globalThis, 'AI_SDK_DEFAULT_PROVIDER') ??
    readProperty(loader.optional('ai'), 'gateway');
  const languageModel = readProperty(provider, 'languageModel');
  if (typeof languageModel !== 'function')
    throw unsupported(modelRef, 'is only a name, and no provider is set that knows it');
  return Reflect.apply(languageModel, provider, [name]);
}

function makeModel(
  packageExports: unknown,
  builtIn: BuiltIn,
  { options, modelRef }: { readonly options: object; readonly modelRef: ModelRef },
): MadeModel {
  const create = readProperty(packageExports, builtIn.create);
  const { fetch, ...events } = oneRequest(modelRef, builtIn);
  const provider: unknown =
    typeof create === 'function' && Reflect.apply(create, undefined, [{ ...options, fetch }]);
  const languageModel = readProperty(provider, 'languageModel');
  const model: unknown =
    typeof languageModel === 'function' && Reflect.apply(languageModel, provider, [modelRef.model]);
  if (!isLanguageModel(model)) {
    throw notConfigured(modelRef, [
      `Run \`npm install ${builtIn.package}@latest\`: the installed version is too old.`,
    ]);
  }
  return { model: toLanguageModel(model, modelRef), ...events };
}

function notConfigured(
  modelRef: ModelRef,
  steps: readonly string[],
  thrown?: unknown,
): ErrandError {
  const who = providerNamed(modelRef.provider).display;
  const isPackage = steps.some(
    (step) => step.includes('npm install') || step.includes('Reinstall'),
  );
  const draft: ReportDraft = {
    kind: 'provider.not_configured',
    outcome: 'not_started',
    message: `${who} is not set up, so ${modelRef.model} was not called`,
    details: { steps: [...steps] },
    provider: factsOf(modelRef),
    action: { kind: isPackage ? 'install_package' : 'check_credentials', detail: steps.join(' ') },
  };
  return new ErrandError(draft, thrown === undefined ? {} : { cause: thrown });
}
