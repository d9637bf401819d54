/** Profiles in the configuration file of Temporal's own tools say where the server is. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  connectionSecrets,
  temporalConfig,
  type TemporalConfig,
} from '../../src/engine/temporal/config.ts';
import { toReport } from '../../src/errors/thrown/to-report.ts';
import type { ErrorReport } from '../../src/errors/report/report.ts';
import { hasPackages, PACKAGES } from './stage.ts';

const FILE = `
[profile.default]
address = "home.example:7233"

[profile.prod]
address = "prod.example:7233"
namespace = "agents"
api_key = "key-of-the-file-42"
[profile.prod.tls]
server_name = "server.errand.test"
client_cert_path = "client.pem"
client_key_data = "PEM-of-the-file"
[profile.prod.grpc_meta]
x-team = "blue"
x-vault-token = "header-of-the-file"

[profile.plain]
address = "plain.example:7233"
api_key = "k"
[profile.plain.tls]
disabled = true
`;

let folder = '';
let file = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'errand-profiles-'));
  file = join(folder, 'temporal.toml');
  writeFileSync(file, FILE);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Settings = Readonly<Record<string, string | undefined>>;

function configFrom(settings: Settings, flags: Partial<TemporalConfig> = {}): TemporalConfig {
  return temporalConfig(flags, { TEMPORAL_CONFIG_FILE: file, ...settings }, PACKAGES);
}

function refusalOf(settings: Settings): ErrorReport | undefined {
  try {
    configFrom(settings);
    return undefined;
  } catch (thrown) {
    return toReport(thrown);
  }
}

describe.skipIf(!hasPackages())('a profile', () => {
  it('is read from the file that the environment names', () => {
    expect(configFrom({ TEMPORAL_PROFILE: 'prod' })).toEqual({
      address: 'prod.example:7233',
      namespace: 'agents',
      taskQueue: 'errand',
      apiKey: 'key-of-the-file-42',
      tls: {
        serverName: 'server.errand.test',
        client: { certificate: { path: 'client.pem' }, key: { data: 'PEM-of-the-file' } },
      },
      metadata: { 'x-team': 'blue', 'x-vault-token': 'header-of-the-file' },
      directory: PACKAGES,
    });
    expect(configFrom({ TEMPORAL_PROFILE: 'plain' }).tls).toBe(false);
  });

  it('named default counts where none is named', () => {
    expect(configFrom({}).address).toBe('home.example:7233');
    expect(configFrom({ TEMPORAL_PROFILE: ' ' }).address).toBe('home.example:7233');
  });

  it.skipIf(process.platform !== 'linux')('is found in the folder of the user', () => {
    const own = join(folder, 'home', '.config', 'temporalio', 'temporal.toml');
    mkdirSync(dirname(own), { recursive: true });
    writeFileSync(own, FILE);
    const home = { HOME: join(folder, 'home') };
    expect(temporalConfig({}, home, PACKAGES).address).toBe('home.example:7233');
    expect(temporalConfig({}, { HOME: folder }, PACKAGES).address).toBe('127.0.0.1:7233');
  });

  it('gives way to variables, and both give way to flags', () => {
    const settings = {
      TEMPORAL_PROFILE: 'prod',
      TEMPORAL_ADDRESS: 'variable.example:7233',
      TEMPORAL_NAMESPACE: 'variable',
      TEMPORAL_GRPC_META_X_TEAM: 'red',
      TEMPORAL_GRPC_META_X_VAULT_TOKEN: '',
    };
    expect(configFrom(settings, { namespace: 'flag' })).toMatchObject({
      address: 'variable.example:7233',
      namespace: 'flag',
      apiKey: 'key-of-the-file-42',
      metadata: { 'x-team': 'red' },
    });
    expect(configFrom(settings).metadata).toEqual({ 'x-team': 'red' });
  });

  it('has secrets that are redacted like those of variables', () => {
    expect(connectionSecrets(configFrom({ TEMPORAL_PROFILE: 'prod' }))).toEqual([
      'key-of-the-file-42',
      'PEM-of-the-file',
      'header-of-the-file',
    ]);
  });

  it.each<readonly [string, string, Settings]>([
    ['does not exist', 'has no usable profile staging', { TEMPORAL_PROFILE: 'staging' }],
    [
      'has a certificate twice',
      'has no usable profile prod',
      { TEMPORAL_PROFILE: 'prod', TEMPORAL_TLS_CLIENT_CERT_DATA: 'PEM' },
    ],
    [
      'is in no file',
      'names gone.toml, which does not exist',
      { TEMPORAL_CONFIG_FILE: '/x/gone.toml' },
    ],
    ['is in a folder', 'cannot be read (EISDIR)', { TEMPORAL_CONFIG_FILE: tmpdir() }],
  ])('is refused when it %s', (_, message, settings) => {
    const refusal = refusalOf(settings);
    expect(refusal).toMatchObject({ kind: 'validation.input', action: { kind: 'fix_setup' } });
    expect(refusal?.message).toContain(message);
    expect(JSON.stringify(refusal)).not.toMatch(/of-the-file|\/x\//);
  });

  it.each([
    ['api_key = secret-in-the-file', 'is not valid TOML in line 2'],
    ['address = 7233', 'address in the profile default'],
    ['api_key = 42', 'api_key in the profile default'],
    ['tls = { disabled = "true" }', 'disabled in the profile default'],
    ['tls = { client_key_path = 1, client_cert_path = "a" }', 'client_key_path in the profile'],
    ['grpc_meta = { x-team = 1 }', 'x-team in the profile default'],
    ['api_key = "secret-in-the-file secret"', 'The API key for Temporal contains a character'],
  ])('is refused with %s', (line, message) => {
    const odd = join(folder, 'odd.toml');
    writeFileSync(odd, `[profile.default]\n${line}\n`);
    const refusal = refusalOf({ TEMPORAL_CONFIG_FILE: odd });
    expect(refusal).toMatchObject({ kind: 'validation.input', action: { kind: 'fix_setup' } });
    expect(refusal?.message).toContain(message);
    expect(JSON.stringify(refusal)).not.toContain('secret-in-the-file');
  });
});

describe('without Temporal’s packages', () => {
  it('the missing one is named, with the command that installs them all', () => {
    const missing = (): TemporalConfig =>
      temporalConfig({}, { TEMPORAL_PROFILE: 'default' }, folder);
    expect(missing).toThrow('needs the package @temporalio/envconfig, which is not installed');
    try {
      missing();
    } catch (thrown) {
      expect(toReport(thrown)).toMatchObject({
        kind: 'extension.missing',
        details: { package: '@temporalio/envconfig' },
        action: { kind: 'install_package' },
      });
    }
  });

  it('an address and a namespace are read all the same', () => {
    const env = { TEMPORAL_ADDRESS: '127.0.0.1:7', TEMPORAL_NAMESPACE: 'mine' };
    expect(temporalConfig({}, env, folder)).toMatchObject({
      address: '127.0.0.1:7',
      namespace: 'mine',
    });
  });
});
