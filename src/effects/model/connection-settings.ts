/**
 * Addresses, keys and headers, from the settings of the plan or the environment. They are read for one
 * call and not kept. Missing ones are collected, so that one message names them all.
 */
import type { Environment } from '../../workflow/yaml/file-port.ts';
import { expandEnvironment } from '../../workflow/yaml/environment.ts';
import type { ProviderSettings } from '../../workflow/plan/plan.ts';

const CREDENTIALS_IN_ADDRESS =
  'Take the user name and the password out of the base URL, and send them as a header (`runtime.provider.headers`).';

export class ConnectionSettings {
  readonly #env: Environment;
  readonly #settings: ProviderSettings | undefined;
  readonly #missing: string[] = [];
  readonly #key: string | undefined;

  /** `key`: from a credential source; wins over all others. */
  constructor(env: Environment, settings: ProviderSettings | undefined, key?: string) {
    this.#env = env;
    this.#settings = settings;
    this.#key = key;
  }

  /** Steps to do, as sentences: `Set OPENAI_API_KEY.` */
  get missing(): readonly string[] {
    return this.#missing;
  }

  get headers(): Record<string, string> | undefined {
    const { headers } = this.#settings ?? {};
    if (headers === undefined) return undefined;
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, this.expand(value)]),
    );
  }

  baseUrl(...variables: readonly string[]): string | undefined {
    const set = this.#settings?.baseUrl;
    const address = set === undefined ? this.variable(...variables) : this.expand(set);
    const { username = '', password = '' } = URL.parse(address ?? '') ?? {};
    // no request can be made to such an address
    if (username !== '' || password !== '') this.lacks(CREDENTIALS_IN_ADDRESS);
    return address;
  }

  /** The key of the settings, or of the first variable that is set. */
  apiKey(...variables: readonly string[]): string | undefined {
    if (this.#key !== undefined) return this.#key;
    const set = this.#settings?.apiKey;
    return set === undefined ? this.variable(...variables) : this.expand(set);
  }

  requiredKey(first: string, ...others: readonly string[]): string | undefined {
    const key = this.apiKey(first, ...others);
    if (key === undefined) this.lacks(`Set ${first}.`);
    return key;
  }

  variable(...names: readonly string[]): string | undefined {
    for (const name of names) {
      const value = Object.hasOwn(this.#env, name) ? this.#env[name]?.trim() : undefined;
      if (value !== undefined && value !== '') return value;
    }
    return undefined;
  }

  lacks(step: string): void {
    if (!this.#missing.includes(step)) this.#missing.push(step);
  }

  /** Fills in `${VAR}` and its default. */
  expand(written: string): string {
    if (!written.includes('${')) return written.trim();
    const { text, missing, unresolved } = expandEnvironment(written, this.#env);
    for (const name of missing) this.lacks(`Set ${name}.`);
    if (unresolved !== undefined) this.lacks(`Correct ${unresolved.name}.`);
    return text.trim();
  }
}
