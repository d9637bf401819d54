import { describe, expect, it } from 'vitest';
import { builtInProvider } from './built-in.ts';
import { ConnectionSettings } from './connection-settings.ts';
import { HOSTS } from './openai-compatible-hosts.ts';
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
  it('are those of a receiver of spans, too, and not the names of its tenants', () => {
    const known = keyValuesIn({
      OTEL_EXPORTER_OTLP_HEADERS:
        'authorization=Bearer%20planted-1, x-honeycomb-team=0123456789abcdefghij,x-scope-orgid=tenant',
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'api-key=planted-2,broken',
    });
    expect([...known].toSorted()).toEqual(['0123456789abcdefghij', 'planted-1', 'planted-2']);
  });

  it.each(PROVIDERS)('are all that %s would be called with', (name) => {
    const options = builtInProvider(name)?.options(new ConnectionSettings(ALL, undefined)) ?? {};
    const known = new Set(keyValuesIn(ALL));
    for (const field of ['apiKey', 'accessKeyId', 'secretAccessKey', 'sessionToken']) {
      if (options[field] !== undefined) expect(known).toContain(options[field]);
    }
    expect(Object.keys(options).length).toBeGreaterThan(0);
  });

  it.each([
    ['OPENAI_BASE_URL', 'https://gw:pass%2Fword@host/v1', ['pass%2Fword', 'pass/word']],
    ['MY_COMPANY_BASE_URL', 'https://gw-token-12@host/v1', ['gw-token-12']],
    ['AZURE_OPENAI_ENDPOINT', 'https://host/v1?api_key=in-the-query', ['in-the-query']],
    ['https_proxy', 'http://me:proxy-pass@proxy:3128', ['proxy-pass']],
    ['ALL_PROXY', 'socks5://me:proxy-pass@proxy', ['proxy-pass']],
    ['OPENAI_BASE_URL', 'https://host:8080/v1/chat?version=2026-01-01', []],
    ['HTTP_PROXY', 'proxy:3128', []],
    ['NO_PROXY', 'localhost,.example.com', []],
    ['HOMEPAGE', 'https://me:not-ours@host', []],
  ])('are the credentials in %s=%s', (name, address, expected) => {
    expect([...new Set(keyValuesIn({ [name]: address }))]).toEqual(expected);
  });

  it('are none where none is set', () => {
    expect(keyValuesIn({ OPENAI_API_KEY: ' ', PATH: '/bin' })).toEqual([]);
  });
});
