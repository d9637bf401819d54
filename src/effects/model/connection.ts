/**
 * Addresses, keys and headers, from the settings of the plan or from the environment. They are looked
 * up for one call and kept nowhere; what is not there is collected, so that a person is told all of it
 * at once.
 */
import { expandEnvironment } from '../../workflow/load/environment.ts';
import type { ProviderSettings } from '../../workflow/model.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export class Connection {
  readonly #env: Environment;
  readonly #settings: ProviderSettings | undefined;
  readonly #missing: string[] = [];
  readonly #key: string | undefined;

  /** `key`: what a source of credentials gave, which wins over all else. */
  constructor(env: Environment, settings: ProviderSettings | undefined, key?: string) {
    this.#env = env;
    this.#settings = settings;
    this.#key = key;
  }

  /** What to do, in whole sentences: `Set OPENAI_API_KEY.` */
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
    return set === undefined ? this.variable(...variables) : this.expand(set);
  }

  /** The key of the settings, or the first of the variables that is set. */
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

  /** `${VAR}` and its defaults filled in. */
  expand(written: string): string {
    if (!written.includes('${')) return written.trim();
    const { text, missing, unresolved } = expandEnvironment(written, definedIn(this.#env));
    for (const name of missing) this.lacks(`Set ${name}.`);
    if (unresolved !== undefined) this.lacks(`Correct ${unresolved.name}.`);
    return text.trim();
  }
}

function definedIn(env: Environment): Record<string, string> {
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}
