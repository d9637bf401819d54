import { describe, expect, it } from 'vitest';
import { builtInProvider } from './built-in.ts';
import { ConnectionSettings } from './connection-settings.ts';
import { HOSTS } from './hosts.ts';
import { keyValuesIn } from './key-values.ts';

const PROVIDERS = [
  'openai',
  'anthropic',
  'google',
  'mistral',
  'azure',
  'bedrock',
  ...Object.keys(HOSTS),
];

/** Every variable is set to a different value. */
const ALL = new Proxy<Record<string, string>>(
  {},
  {
    get: (_target, name) => `value of ${String(name)}`,
    getOwnPropertyDescriptor: (_target, name) => ({
      value: `value of ${String(name)}`,
      configurable: true,
      enumerable: true,
      writable: true,
    }),
  },
);

describe('the keys in an environment', () => {
  it.each(PROVIDERS)('are all that %s would be called with', (name) => {
    const options = builtInProvider(name)?.options(new ConnectionSettings(ALL, undefined)) ?? {};
    const known = new Set(keyValuesIn(ALL));
    for (const field of ['apiKey', 'accessKeyId', 'secretAccessKey', 'sessionToken']) {
      if (options[field] !== undefined) expect(known).toContain(options[field]);
    }
    expect(Object.keys(options).length).toBeGreaterThan(0);
  });

  it('are none where none is set', () => {
    expect(keyValuesIn({ OPENAI_API_KEY: ' ', PATH: '/bin' })).toEqual([]);
  });
});
