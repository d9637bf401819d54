/**
 * From `provider/model` to something the AI SDK can call: what the host registered, else a built-in
 * provider. What is not set up is one failure that names every step left to do.
 */
import { ErrandError } from '../../errors/errand-error.ts';
import { readProperty } from '../../errors/json.ts';
import type { ReportDraft } from '../../errors/report.ts';
import { describe } from '../../errors/to-report.ts';
import { hideHostPaths } from '../../errors/host-paths.ts';
import { providerNamed } from '../../providers/names.ts';
import { given } from '../../workflow/given.ts';
import type { ProviderSettings } from '../../workflow/model.ts';
import { builtInProvider, compatible, type BuiltIn } from './built-in.ts';
import { Connection } from './connection.ts';
import type { CredentialHost } from './credentials.ts';
import { factsOf, type Asked } from './failure.ts';
import type { LoadPackage } from './load-package.ts';
import { oneRequest } from './one-request.ts';
import type { Target } from './prompt.ts';
import { toSdk, type Sdk, type SdkModel } from './sdk.ts';

/** What a host registers: an AI SDK provider, or a function from the name of a model to a model. */
export type RegisteredProvider =
  | { readonly languageModel: (model: string) => SdkModel }
  /** `apiKey`: what the source of its credential gave, where it has one. */
  | ((model: string, given: { readonly apiKey?: string }) => SdkModel);

export interface ModelHost extends CredentialHost {
  /** By name; wins over a built-in one. */
  readonly providers?: Readonly<Record<string, RegisteredProvider>>;
  /** AI SDK models by their whole name, `provider/model`; win over providers. */
  readonly models?: Readonly<Record<string, SdkModel>>;
}

export interface FoundModel extends Target {
  readonly model: SdkModel;
}

export interface Wanted {
  /** The whole name. */
  readonly name: string;
  readonly asked: Asked;
  readonly settings?: ProviderSettings;
  readonly directory?: string;
  /** What a source of credentials gave. */
  readonly apiKey?: string;
}

export type FindModel = (wanted: Wanted) => FoundModel;

/** The parts of a model's name. Throws for a name without a provider. */
export function askedFor(name: string): Asked {
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

/** Throws `provider.not_configured`, or what a registered provider throws. */
export function createFindModel(host: ModelHost, load: LoadPackage): FindModel {
  const sdks = new Map<string, Sdk>();
  const made = new Map<string, SdkModel>();
  return (wanted) => {
    const { name, asked, directory, apiKey } = wanted;
    const registered = registeredModel(host, wanted);
    const builtIn = registered === undefined ? builtInFor(wanted) : undefined;
    const connection = new Connection(host.env, settingsFor(wanted.settings, wanted.asked), apiKey);
    const options = given(builtIn?.options(connection) ?? {});
    const loader = new Loader(load, directory);
    const packageExports = builtIn === undefined ? undefined : loader.load(builtIn.package);
    const sdk = loadSdk(loader, sdks, directory);
    if (sdk === undefined || connection.missing.length > 0 || loader.steps.length > 0) {
      throw notConfigured(asked, [...loader.steps, ...connection.missing], loader.thrown);
    }
    const provider = providerNamed(asked.provider).name;
    if (builtIn === undefined || packageExports === undefined) {
      const model = registered ?? {};
      return { sdk, model, provider, schemas: 'schema', takesThoughts: true };
    }
    const { schemas, takesThoughts = false } = builtIn;
    // the packages prepare a lot for each model; the key in here stays in memory
    const key = JSON.stringify([name, directory ?? '', options]);
    const model = made.get(key) ?? makeModel(packageExports, builtIn, { options, asked });
    if (made.size >= MAX_MADE) made.clear();
    made.set(key, model);
    return { sdk, model, provider, schemas, takesThoughts };
  };
}

/** Keys that are made anew again and again leave models behind that nobody will use. */
const MAX_MADE = 256;

function registeredModel(host: ModelHost, { name, asked, apiKey }: Wanted): SdkModel | undefined {
  const { models = {}, providers = {} } = host;
  if (Object.hasOwn(models, name)) return models[name];
  const canonical = providerNamed(asked.provider).name;
  const known = [asked.provider, canonical].find((spelling) => Object.hasOwn(providers, spelling));
  const provider = known === undefined ? undefined : providers[known];
  if (provider === undefined) return undefined;
  // a provider of the SDK is a function that has methods too
  const method: unknown = readProperty(provider, 'languageModel');
  if (typeof method === 'function')
    return Reflect.apply(method, provider, [asked.model]) as SdkModel;
  if (typeof provider !== 'function') return undefined;
  return provider(asked.model, apiKey === undefined ? {} : { apiKey });
}

function builtInFor(wanted: Wanted): BuiltIn {
  const { asked } = wanted;
  const { name, display } = providerNamed(asked.provider);
  const builtIn = builtInProvider(name);
  if (builtIn !== undefined) return builtIn;
  if (settingsFor(wanted.settings, wanted.asked)?.baseUrl !== undefined) return compatible(name);
  throw new ErrandError({
    kind: 'provider.not_configured',
    outcome: 'not_started',
    message: `Errand cannot call ${display} by its name alone`,
    details: { provider: name },
    provider: factsOf(asked),
    action: {
      kind: 'fix_setup',
      detail: `Set \`runtime.provider\` with \`name: ${name}\` and a \`base_url\` that speaks OpenAI's protocol, or register an AI SDK provider called ${asked.provider} in code.`,
    },
  });
}

export function settingsFor(
  settings: ProviderSettings | undefined,
  asked: Asked,
): ProviderSettings | undefined {
  if (settings === undefined) return undefined;
  const isMeant = providerNamed(settings.name).name === providerNamed(asked.provider).name;
  return isMeant ? settings : undefined;
}

/** Collects what is not installed, so that one command installs all of it. */
class Loader {
  readonly #load: LoadPackage;
  readonly #directory: string | undefined;
  readonly #missing: string[] = [];
  readonly #broken: string[] = [];
  thrown: unknown;

  constructor(load: LoadPackage, directory: string | undefined) {
    this.#load = load;
    this.#directory = directory;
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
      this.thrown = loading.thrown;
      const [why = ''] = hideHostPaths(describe(loading.thrown)).split('\n');
      this.#broken.push(`Reinstall ${name}, which does not load: ${why}.`);
    }
    return undefined;
  }

  isTooOld(name: string): void {
    this.#broken.push(`Run \`npm install ${name}@latest\`: the installed version is too old.`);
  }
}

function loadSdk(
  loader: Loader,
  sdks: Map<string, Sdk>,
  directory: string | undefined,
): Sdk | undefined {
  const known = sdks.get(directory ?? '');
  if (known !== undefined) return known;
  const exports = loader.load('ai');
  if (exports === undefined) return undefined;
  const sdk = toSdk(exports);
  if (sdk === undefined) loader.isTooOld('ai');
  else sdks.set(directory ?? '', sdk);
  return sdk;
}

function makeModel(
  packageExports: unknown,
  builtIn: BuiltIn,
  { options, asked }: { readonly options: object; readonly asked: Asked },
): SdkModel {
  const create = readProperty(packageExports, builtIn.create);
  if (typeof create !== 'function') {
    throw notConfigured(asked, [
      `Run \`npm install ${builtIn.package}@latest ai@latest\`: the installed version is too old.`,
    ]);
  }
  const provider: unknown = Reflect.apply(create, undefined, [
    { ...options, fetch: oneRequest(asked) },
  ]);
  const languageModel: unknown = readProperty(provider, 'languageModel');
  // every provider of the SDK has this method
  return Reflect.apply(languageModel as () => SdkModel, provider, [asked.model]) as SdkModel;
}

function notConfigured(asked: Asked, steps: readonly string[], thrown?: unknown): ErrandError {
  const who = providerNamed(asked.provider).display;
  const isPackage = steps.some(
    (step) => step.includes('npm install') || step.includes('Reinstall'),
  );
  const draft: ReportDraft = {
    kind: 'provider.not_configured',
    outcome: 'not_started',
    message: `${who} is not set up, so ${asked.model} was not called`,
    details: { steps: [...steps] },
    provider: factsOf(asked),
    action: { kind: isPackage ? 'install_package' : 'check_credentials', detail: steps.join(' ') },
  };
  return new ErrandError(draft, thrown === undefined ? {} : { cause: thrown });
}
