/**
 * Keeps the response headers that describe a failure. The others are dropped at once, because
 * headers also carry cookies and account names.
 */
import { isArray, isPlainObject, keysOf, readProperty } from '../../errors/support/safe-json.ts';

const KEPT: ReadonlySet<string> = new Set([
  'retry-after',
  'ratelimit',
  'retry-after-ms',
  'x-ms-retry-after-ms',
  'x-should-retry',
  'date',
  'content-type',
  'x-request-id',
  'request-id',
  'apim-request-id',
  'x-ms-request-id',
  'x-amzn-requestid',
  'x-amzn-errortype',
  // Lambda: the function failed, under a good status
  'x-amz-function-error',
  'x-goog-request-id',
  'cf-ray',
  'server',
  'policy-id',
  ':exception-type',
  ':message-type',
  ':error-code',
]);

const KEPT_PREFIXES = ['x-fal-', 'x-openai-'];

/** Every vendor names its limits and waits differently: `x-ai-ratelimit-reset-300-llama2`. */
const OF_A_LIMIT = /rate-?limit|retry-?after|reset-(?:after|in)(?:-|$)/;

const MAX_HEADERS = 256;
const MAX_VALUE_CHARS = 1024;

type Pair = readonly [name: unknown, value: unknown];

/**
 * Reads a `Headers`, a plain object, a `Map`, pairs, or Node's flat list; returns lower-case names.
 */
export function keepHeaders(bag: unknown): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  let left = MAX_HEADERS;
  for (const [name, value] of pairsOf(bag)) {
    if (left-- <= 0) break;
    if (typeof name !== 'string') continue;
    const key = name.toLowerCase();
    // no kept name is a property of `Object.prototype`
    const text = isKept(key) ? valueText(value) : undefined;
    if (text !== undefined) kept[key] = text.slice(0, MAX_VALUE_CHARS);
  }
  return kept;
}

function isKept(name: string): boolean {
  return (
    KEPT.has(name) ||
    OF_A_LIMIT.test(name) ||
    KEPT_PREFIXES.some((prefix) => name.startsWith(prefix))
  );
}

function pairsOf(bag: unknown): readonly Pair[] {
  if (isArray(bag)) return pairsOfList(bag);
  if (!isPlainObject(bag)) return [];
  return pairsByVisiting(bag) ?? keysOf(bag).map((key) => [key, readProperty(bag, key)]);
}

/** `Headers` and `Map` both call back with the value first. */
function pairsByVisiting(bag: object): readonly Pair[] | undefined {
  const forEach = readProperty(bag, 'forEach');
  if (typeof forEach !== 'function') return undefined;
  const pairs: Pair[] = [];
  const visit = (value: unknown, name: unknown): void => {
    if (pairs.length < MAX_HEADERS) pairs.push([name, value]);
  };
  try {
    Reflect.apply(forEach, bag, [visit]);
  } catch {
    // headers read before the failure still count
    return pairs;
  }
  return pairs;
}

function pairsOfList(list: readonly unknown[]): readonly Pair[] {
  const items = Array.from({ length: Math.min(lengthOf(list), 2 * MAX_HEADERS) }, (_, index) =>
    readProperty(list, index),
  );
  // Node's `rawHeaders` alternates names and values
  if (items.every((item) => typeof item === 'string')) {
    return items.flatMap((name, index) =>
      index % 2 === 0 ? [[name, items[index + 1]] as const] : [],
    );
  }
  return items.map((pair) => [readProperty(pair, 0), readProperty(pair, 1)]);
}

function lengthOf(list: readonly unknown[]): number {
  const length = readProperty(list, 'length');
  return typeof length === 'number' && length > 0 ? length : 0;
}

function valueText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (!isArray(value)) return undefined;
  const parts = [0, 1, 2, 3].map((index) => readProperty(value, index));
  const texts = parts.filter((part) => typeof part === 'string');
  return texts.length === 0 ? undefined : texts.join(', ');
}
