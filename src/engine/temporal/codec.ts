/**
 * Compresses large payloads on their way to Temporal, which accepts at most 2 MB. Small ones stay
 * readable in Temporal's own pages.
 */
import { deflateRaw, inflateRaw } from 'node:zlib';
import { promisify } from 'node:util';
import type { DataConverter, Payload } from './temporal-sdk.ts';

const ENCODING = 'binary/errand-deflate';
const LARGE_BYTES = 128 * 1024;
/** Most bytes that a payload may unpack to; a stored bomb must not take a worker down. */
const MAX_INFLATED_BYTES = 64 * 1024 * 1024;

const deflate = promisify<Uint8Array, Buffer>(deflateRaw);
const inflate = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(inflateRaw);

export const DATA_CONVERTER: DataConverter = {
  payloadCodecs: [
    {
      encode: (payloads) => Promise.all(payloads.map(encode)),
      decode: (payloads) => Promise.all(payloads.map(decode)),
    },
  ],
};

/** How much of Temporal's room these values take. */
export async function sentBytes(values: readonly unknown[]): Promise<number> {
  const sizes = values.map(async (value) => {
    const data = Buffer.from(JSON.stringify(value));
    return data.length < LARGE_BYTES ? data.length : (await deflate(data)).length;
  });
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}

async function encode(payload: Payload): Promise<Payload> {
  const { data, metadata } = payload;
  if (data === undefined || data === null || data.length < LARGE_BYTES) return payload;
  return {
    metadata: {
      encoding: new TextEncoder().encode(ENCODING),
      original: metadata?.['encoding'] ?? new Uint8Array(),
    },
    data: await deflate(data),
  };
}

async function decode(payload: Payload): Promise<Payload> {
  const { data, metadata } = payload;
  const encoding = new TextDecoder().decode(metadata?.['encoding']);
  if (encoding !== ENCODING || data === undefined || data === null) return payload;
  return {
    metadata: { encoding: metadata?.['original'] ?? new Uint8Array() },
    data: await inflate(data, { maxOutputLength: MAX_INFLATED_BYTES }),
  };
}
