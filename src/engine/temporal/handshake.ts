/**
 * Finds out why a server cannot be reached when the SDK only reports a timeout: does one TLS
 * handshake with the same certificates.
 */
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { codeOf } from '../../effects/process/system-code.ts';
import type { ConnectionOptions } from './temporal-sdk.ts';

export type Handshake =
  /** Nothing listens there, or the network does not reach it. */
  | { readonly type: 'away' }
  /** A server listens there; the two do not agree on TLS. */
  | { readonly type: 'refused'; readonly code: string }
  /** The handshake succeeds, so the fault comes after it. */
  | { readonly type: 'done' };

const PATIENCE_MS = 3000;

export async function tryHandshake(options: ConnectionOptions): Promise<Handshake> {
  const { host, port } = hostAndPort(options.address);
  const reached = await settled(connectTcp({ host, port }), 'connect');
  if (reached !== undefined) return { type: 'away' };
  const tls = options.tls ?? options.apiKey !== undefined;
  if (tls === false) return { type: 'done' };
  const { serverNameOverride, serverRootCACertificate, clientCertPair } = tls === true ? {} : tls;
  const socket = connectTls({
    host,
    port,
    ALPNProtocols: ['h2'],
    ...(serverNameOverride === undefined ? {} : { servername: serverNameOverride }),
    ...(serverRootCACertificate === undefined ? {} : { ca: serverRootCACertificate }),
    ...(clientCertPair === undefined ? {} : { cert: clientCertPair.crt, key: clientCertPair.key }),
  });
  const refused = await settled(socket, 'secureConnect');
  return refused === undefined ? { type: 'done' } : { type: 'refused', code: refused };
}

/** Undefined when the event came, else the code of the error that came instead. */
function settled(socket: Socket, event: 'connect' | 'secureConnect'): Promise<string | undefined> {
  return new Promise((resolve) => {
    const end = (code: string | undefined): void => {
      socket.destroy();
      resolve(code);
    };
    socket.setTimeout(PATIENCE_MS, () => end('ETIMEDOUT'));
    socket.once(event, () => end(undefined));
    socket.on('error', (thrown) => end(codeOf(thrown)));
  });
}

/** The default port is Temporal's. */
function hostAndPort(address: string): { readonly host: string; readonly port: number } {
  const [, host = address, port = '7233'] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(address) ?? [];
  return { host, port: Number(port) };
}
