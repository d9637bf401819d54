/** Distinguishes the reasons that keep us from a server, without one: TLS that does not fit, and keys. */
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { connectionOptions } from '../../src/engine/temporal/connect.ts';
import { openTemporal } from '../../src/engine/temporal/client.ts';
import { tryHandshake } from '../../src/engine/temporal/handshake.ts';
import { temporalConfig } from '../../src/engine/temporal/config.ts';
import { toReport } from '../../src/errors/thrown/to-report.ts';
import type { ErrorReport } from '../../src/errors/report/report.ts';
import { hasPackages, PACKAGES } from './stage.ts';
import { gatekeeper, mutualTls, pemFile, type Front } from './tls.ts';

const open: Front[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const WHOLE = {
  TEMPORAL_TLS_SERVER_NAME: 'server.errand.test',
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: pemFile('ca.pem'),
  TEMPORAL_TLS_CLIENT_CERT_PATH: pemFile('client.pem'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: pemFile('client.key'),
};

type Settings = Readonly<Record<string, string | undefined>>;

function refusalOf(settings: Settings): ErrorReport | undefined {
  try {
    connectionOptions(temporalConfig({}, settings, PACKAGES));
    return undefined;
  } catch (thrown) {
    return toReport(thrown);
  }
}

describe.skipIf(!hasPackages())('the settings of a connection', () => {
  it('are those of Temporal’s own tools', () => {
    const config = temporalConfig(
      {},
      {
        ...WHOLE,
        TEMPORAL_ADDRESS: 'eu.api.temporal.example:7233',
        TEMPORAL_NAMESPACE: 'agents',
        TEMPORAL_API_KEY: ' a-key\n',
        TEMPORAL_GRPC_META_X_TEAM_NAME: 'blue',
      },
      PACKAGES,
    );
    expect(connectionOptions(config)).toEqual({
      address: 'eu.api.temporal.example:7233',
      apiKey: 'a-key',
      metadata: { 'x-team-name': 'blue' },
      tls: {
        serverNameOverride: 'server.errand.test',
        serverRootCACertificate: readFileSync(pemFile('ca.pem')),
        clientCertPair: {
          crt: readFileSync(pemFile('client.pem')),
          key: readFileSync(pemFile('client.key')),
        },
      },
    });
    expect(config.namespace).toBe('agents');
  });

  it('may have certificates as they are, and TLS said outright', () => {
    const data = readFileSync(pemFile('ca.pem'), 'utf8').trim();
    const tlsOf = (settings: Settings): unknown =>
      connectionOptions(temporalConfig({}, settings, PACKAGES)).tls;
    expect(tlsOf({ TEMPORAL_TLS_SERVER_CA_CERT_DATA: data })).toEqual({
      serverRootCACertificate: Buffer.from(data),
    });
    expect(tlsOf({ TEMPORAL_TLS: 'TRUE' })).toEqual({});
    expect(tlsOf({ TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: 'false' })).toBeUndefined();
    expect(tlsOf({ TEMPORAL_TLS: 'FALSE', TEMPORAL_API_KEY: 'k' })).toBe(false);
    expect(tlsOf({ TEMPORAL_API_KEY: 'k' })).toBeUndefined();
    expect(tlsOf({ TEMPORAL_TLS: '', TEMPORAL_TLS_SERVER_NAME: '' })).toBeUndefined();
  });

  it.each<readonly [string, Settings]>([
    ['a certificate without its key', { TEMPORAL_TLS_CLIENT_CERT_PATH: 'client.pem' }],
    ['a key without its certificate', { TEMPORAL_TLS_CLIENT_KEY_DATA: 'PEM' }],
    [
      'a file and a text for one thing',
      { TEMPORAL_TLS_SERVER_CA_CERT_PATH: 'ca.pem', TEMPORAL_TLS_SERVER_CA_CERT_DATA: 'PEM' },
    ],
    ['a switch that is neither on nor off', { TEMPORAL_TLS: 'maybe' }],
    ['what the SDK cannot do', { TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: 'true' }],
    ['a key with a line break in it', { TEMPORAL_API_KEY: 'half-a-key\nother-half' }],
    ['a file that is not there', { ...WHOLE, TEMPORAL_TLS_CLIENT_KEY_PATH: '/nowhere/a.key' }],
  ])('are refused with %s', (_, settings) => {
    const refusal = refusalOf(settings);
    expect(refusal).toMatchObject({ kind: 'validation.input', action: { kind: 'fix_setup' } });
    expect(JSON.stringify(refusal)).not.toContain('/nowhere');
    expect(JSON.stringify(refusal)).not.toContain('other-half');
  });
});

describe.skipIf(!hasPackages())('a handshake', () => {
  const from = (address: string, settings: Settings = {}): ReturnType<typeof tryHandshake> =>
    tryHandshake(
      connectionOptions(temporalConfig({}, { ...settings, TEMPORAL_ADDRESS: address }, PACKAGES)),
    );

  it('tells a certificate that nobody vouches for from a name that is not in it', async () => {
    const front = await mutualTls('127.0.0.1:1');
    open.push(front);
    expect(await from(front.address, WHOLE)).toEqual({ type: 'done' });
    expect(
      await from(front.address, { ...WHOLE, TEMPORAL_TLS_SERVER_CA_CERT_PATH: undefined }),
    ).toEqual({ type: 'refused', code: 'SELF_SIGNED_CERT_IN_CHAIN' });
    expect(
      await from(front.address, { ...WHOLE, TEMPORAL_TLS_SERVER_NAME: 'other.errand.test' }),
    ).toEqual({ type: 'refused', code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  it('tells a server without TLS from no server', async () => {
    const plain = createServer((socket) => {
      socket.on('error', () => socket.destroy()).once('data', () => socket.end('what?'));
    }).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    // a server that listens on a port
    const { port } = plain.address() as AddressInfo;
    const address = `127.0.0.1:${port}`;
    expect(await from(address)).toEqual({ type: 'done' });
    expect(await from(address, { TEMPORAL_TLS: 'true' })).toMatchObject({ type: 'refused' });
    plain.close();
    await once(plain, 'close');
    expect(await from(address)).toEqual({ type: 'away' });
  });
});

describe.skipIf(!hasPackages())('a key', () => {
  it('goes out as a header over TLS, and a refusal says so', async () => {
    const keeper = await gatekeeper();
    open.push(keeper);
    const { TEMPORAL_TLS_SERVER_NAME, TEMPORAL_TLS_SERVER_CA_CERT_PATH } = WHOLE;
    const config = temporalConfig(
      {},
      {
        TEMPORAL_TLS_SERVER_NAME,
        TEMPORAL_TLS_SERVER_CA_CERT_PATH,
        TEMPORAL_ADDRESS: keeper.address,
        TEMPORAL_API_KEY: 'key-of-the-cloud-42',
      },
      PACKAGES,
    );
    const refusal = await openTemporal({ config }).then(() => undefined, toReport);
    expect(keeper.headers[0]).toMatchObject({ authorization: 'Bearer key-of-the-cloud-42' });
    expect(refusal).toMatchObject({ kind: 'store.unavailable' });
    expect(refusal?.message).toContain('refuses access');
    expect(JSON.stringify(refusal)).not.toContain('key-of-the-cloud');
  });
});
