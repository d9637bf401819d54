/**
 * One HTTP request to one address that was looked at before: the name is resolved here, every address
 * that it stands for is judged, and the connection goes to one of those and to nothing else, so that
 * a name which changes in between changes nothing.
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

export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether it may be on this machine or its network. */
  readonly mayBePrivate: boolean;
  readonly signal: AbortSignal;
  readonly resolve: ResolveName;
}

/** The name stands for an address that is nobody's business. */
export class PrivateAddress extends Error {}

export const resolveBySystem: ResolveName = (host, done) =>
  systemLookup(host, { all: true }, (error, addresses) => done(error, addresses));

/** Rejects as Node does; what has been connected to by then is the server that was meant. */
export async function sendHop(hop: Hop): Promise<IncomingMessage> {
  const { url, method, headers, body, signal } = hop;
  const host = hostOf(url);
  // an address is not looked up, so it is judged as it stands
  if (isIP(host) !== 0) judge([host], hop);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options: RequestOptions = {
    method,
    headers: {
      ...headers,
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
    },
    signal,
    // a connection of its own: one that is kept could have been made to another address
    agent: false,
    lookup: judgedLookup(hop),
  };
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const sending = send(url, options, resolve);
  // also one that comes after the answer, which the reader of its body hears of
  sending.on('error', reject);
  sending.end(body);
  return promise;
}

function judgedLookup(hop: Hop): LookupFunction {
  return (host, { all }, done) => {
    hop.resolve(host, (error, addresses) => {
      if (error !== null) return done(error, []);
      try {
        judge(
          addresses.map(({ address }) => address),
          hop,
        );
      } catch (refused) {
        // only a refusal is thrown
        return done(refused as Error, []);
      }
      const [first] = addresses;
      if (all === true) return done(null, [...addresses]);
      return done(null, first?.address ?? '', first?.family);
    });
  };
}

function judge(addresses: readonly string[], { mayBePrivate, url }: Hop): void {
  // one bad address among good ones is enough: which one is taken is left to chance
  if (mayBePrivate || (addresses.length > 0 && addresses.every(isPublicAddress))) return;
  throw new PrivateAddress(`${hostOf(url)} does not stand for a public address`);
}
