/**
 * The interface of extractors, and the reads that they share. An extractor knows one SDK by the shapes it
 * throws; it reads one link of a cause chain at a time and must survive any value.
 */
import { isPlainObject, readProperty } from '../../errors/support/safe-json.ts';
import type { ProviderFailure } from '../provider-failure.ts';
import { MAX_BODY_CHARS, parseJsonText } from '../json-text.ts';

/** The failure as far as one link shows it; `extract.ts` completes it. */
export type Extracted = {
  readonly [Field in Exclude<keyof ProviderFailure, 'source'>]?: ProviderFailure[Field] | undefined;
};

export interface Extractor {
  /** The name in the receipt. */
  readonly source: string;
  /** Undefined if the link is no failure of this SDK. */
  extract(link: unknown): Extracted | undefined;
}

/** Longer messages repeat a body, and the body is kept by itself. */
const MAX_MESSAGE_CHARS = 4096;

export function readText(value: unknown, key: PropertyKey): string | undefined {
  const text = readProperty(value, key);
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** An HTTP status, which some SDKs and many gateways write as a string. */
export function readStatus(value: unknown, key: PropertyKey): number | undefined {
  const found = readProperty(value, key);
  const status = typeof found === 'string' && /^\d{3}$/.test(found) ? Number(found) : found;
  if (typeof status !== 'number' || !Number.isInteger(status)) return undefined;
  return status >= 100 && status <= 599 ? status : undefined;
}

export function readMessage(value: unknown): string | undefined {
  return readText(value, 'message')?.slice(0, MAX_MESSAGE_CHARS);
}

export function readName(value: unknown): string {
  return readText(value, 'name') ?? '';
}

/** Several SDKs leave `name` at "Error", so only the class distinguishes errors. */
export function readClassName(value: unknown): string {
  return readName(readProperty(value, 'constructor'));
}

/** `in` may be trapped and throw. */
export function hasKey(value: unknown, key: PropertyKey): boolean {
  if (typeof value !== 'object' || value === null) return false;
  try {
    return Reflect.has(value, key);
  } catch {
    // a trap that throws hides the key
    return false;
  }
}

/** The body for a failure: parsed if the text is JSON, else the text. */
export function parseBody(body: unknown): unknown {
  if (typeof body === 'string')
    return withoutOutput(parseJsonText(body)) ?? body.slice(0, MAX_BODY_CHARS);
  return body === null || !isReadable(body) ? undefined : withoutOutput(body);
}

/**
 * A failed response of OpenAI: the output before the error is not the reason, even if unfinished.
 */
function withoutOutput(body: unknown): unknown {
  const error = readProperty(body, 'error');
  return readProperty(body, 'object') === 'response' && isPlainObject(error) ? { error } : body;
}

/** Streams, buffers and functions cannot be classified. */
function isReadable(body: unknown): boolean {
  if (typeof body !== 'object') return false;
  const isStream = ['getReader', 'pipe', 'byteLength', 'arrayBuffer'].some(
    (key) => readProperty(body, key) !== undefined,
  );
  return !isStream;
}

/** True for an object that holds at least one of the keys. */
export function hasAnyKey(value: unknown, keys: readonly string[]): boolean {
  return isPlainObject(value) && keys.some((key) => hasKey(value, key));
}
