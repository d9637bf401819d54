/**
 * One HTTP request that is guarded against private addresses: resolves the name, checks all its
 * addresses, and connects only to a checked one. A name that changes in between cannot redirect it.
 */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { hostOf } from './allow-list.ts';
import { isPublicAddress } from './addresses.ts';

export type ResolveName = (
  host: string,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

export interface GuardedRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether it may be on this machine or its network. */
  readonly mayBePrivate: boolean;
  readonly signal: AbortSignal;
  readonly resolve: ResolveName;
}

/** The name resolves to a private address. */
export class PrivateAddress extends Error {}

export const resolveBySystem: ResolveName = (host, done) =>
  systemLookup(host, { all: true }, (error, addresses) => done(error, addresses));

/** Rejects as Node does; a connection that was made leads to the intended server. */
export async function sendGuarded(guarded: GuardedRequest): Promise<IncomingMessage> {
  const { url, method, headers, body, signal } = guarded;
  const host = hostOf(url);
  // a literal address is never looked up, so it is checked here
  if (isIP(host) !== 0) refusePrivate([host], guarded);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options: RequestOptions = {
    method,
    headers: {
      ...headers,
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
    },
    signal,
    // no connection pool: a pooled connection may lead to another address
    agent: false,
    lookup: guardedLookup(guarded),
  };
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  let response: IncomingMessage | undefined;
  const sending = send(url, options, (received) => {
    response = received;
    resolve(received);
  });
  sending.on('error', (error) => {
    // Node ends a body without a declared length as if it were whole, so the error is passed to its
    // reader here
    response?.destroy(error);
    reject(error);
  });
  sending.end(body);
  return promise;
}

function guardedLookup(guarded: GuardedRequest): LookupFunction {
  return (host, { all }, done) => {
    guarded.resolve(host, (error, addresses) => {
      if (error !== null) return done(error, []);
      try {
        refusePrivate(
          addresses.map(({ address }) => address),
          guarded,
        );
      } catch (refused) {
        // only `refusePrivate` throws here
        return done(refused as Error, []);
      }
      const [first] = addresses;
      if (all === true) return done(null, [...addresses]);
      return done(null, first?.address ?? '', first?.family);
    });
  };
}

function refusePrivate(addresses: readonly string[], { mayBePrivate, url }: GuardedRequest): void {
  // one private address is enough, because any of them may be used
  if (mayBePrivate || (addresses.length > 0 && addresses.every(isPublicAddress))) return;
  throw new PrivateAddress(`${hostOf(url)} resolves to a private address`);
}
