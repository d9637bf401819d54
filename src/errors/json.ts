/**
 * Any value at all as bounded JSON. Total: getters that throw, cycles, proxies and functions become
 * words. The result is a fixed point, so bounding it again changes nothing. The only cost without a
 * bound is the language's own: listing the keys of an object lists all of them.
 */
import { boundText, REDACTED, type TextFilter } from './bounded-text.ts';

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

export interface JsonBounds {
  readonly maxDepth: number;
  /** Values of any type, containers included. */
  readonly maxNodes: number;
  /** At least 10. */
  readonly maxStringChars: number;
  /** All strings and keys together. */
  readonly maxChars: number;
}

export interface BoundedJson {
  readonly value: JsonValue;
  /** Values left out or shortened. */
  readonly cut: number;
}

/** What a value has to pass on its way in. */
export interface JsonFilter {
  /** Applied to each string and key before it is shortened. */
  readonly text: TextFilter;
  /** True for a key whose value must not be shown, whatever it is. */
  readonly hides: (key: string) => boolean;
}

const EVERYTHING: JsonFilter = { text: (text) => text, hides: () => false };

const CUT = '[cut]';
const UNREADABLE = '[unreadable]';

/** Writing out a longer number takes time that grows with its square. */
const MAX_BIGINT = 10n ** 40n;

interface Walk {
  readonly bounds: JsonBounds;
  readonly filter: JsonFilter;
  readonly ancestors: Set<object>;
  nodes: number;
  chars: number;
  cut: number;
}

export function toBoundedJson(
  value: unknown,
  bounds: JsonBounds,
  filter: JsonFilter = EVERYTHING,
): BoundedJson {
  const walk: Walk = { bounds, filter, ancestors: new Set(), nodes: 0, chars: 0, cut: 0 };
  const converted = convert(value, walk);
  return { value: converted, cut: walk.cut };
}

/** Reads a property of anything; a getter or a trap that throws counts as absent. */
export function readProperty(value: unknown, key: PropertyKey): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null)
    return undefined;
  try {
    return Reflect.get(value, key);
  } catch {
    return undefined;
  }
}

/** The value's own enumerable names; none for what has none or does not tell. */
export function keysOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  try {
    return Object.keys(value);
  } catch {
    return [];
  }
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !isArray(value);
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isArray(value);
}

/** `Array.isArray` throws on a revoked proxy. */
export function isArray(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

function convert(value: unknown, walk: Walk): JsonValue {
  walk.nodes++;
  switch (typeof value) {
    case 'string':
      return text(value, walk);
    case 'number':
      return Number.isFinite(value) ? number(value, walk) : text(String(value), walk);
    case 'boolean':
      return value;
    case 'bigint':
      return text(isShort(value) ? String(value) : '[bigint]', walk);
    case 'undefined':
      return null;
    case 'symbol':
    case 'function':
      return text(`[${typeof value}]`, walk);
    case 'object':
      return value === null ? null : container(value, walk);
    default:
      return text(UNREADABLE, walk);
  }
}

function isShort(value: bigint): boolean {
  return value < MAX_BIGINT && value > -MAX_BIGINT;
}

/** A number can be a secret too, when it is a configured value. */
function number(value: number, walk: Walk): JsonValue {
  const written = String(value);
  // plus zero: JSON has no negative zero
  return walk.filter.text(written) === written ? value + 0 : text(written, walk);
}

function text(value: string, walk: Walk): string {
  // the words that stand for something else always fit
  const room = Math.max(REDACTED.length, walk.bounds.maxChars - walk.chars);
  const bounded = boundText(value, Math.min(walk.bounds.maxStringChars, room), walk.filter.text);
  if (bounded.cutChars > 0) walk.cut++;
  walk.chars += bounded.text.length;
  return bounded.text;
}

function container(value: object, walk: Walk): JsonValue {
  if (walk.ancestors.has(value)) return text('[circular]', walk);
  if (walk.ancestors.size >= walk.bounds.maxDepth || isSpent(walk)) {
    walk.cut++;
    return text(CUT, walk);
  }
  walk.ancestors.add(value);
  try {
    return contents(value, walk);
  } catch {
    // a proxy may throw from any trap; the rest of the report must survive it
    return text(UNREADABLE, walk);
  } finally {
    walk.ancestors.delete(value);
  }
}

function contents(value: object, walk: Walk): JsonValue {
  if (isArray(value)) return items(value, walk);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
    return text(`[${value.byteLength} bytes]`, walk);
  const toJson = readProperty(value, 'toJSON');
  if (typeof toJson === 'function') return written(Reflect.apply(toJson, value, []), walk);
  if (value instanceof String || value instanceof Number || value instanceof Boolean)
    return convert(value.valueOf(), walk);
  if (value instanceof Map) return entries(value, walk);
  if (value instanceof Set) return items([...firstOf(value, walk)], walk);
  const message = readProperty(value, 'message');
  if (value instanceof Error && typeof message === 'string') {
    const own = keysOf(value).map((key) => [key, readProperty(value, key)] as const);
    const told = [
      ['name', readProperty(value, 'name')],
      ['message', message],
    ] as const;
    return entries(new Map([...told, ...own]), walk);
  }
  return entries(pairsOf(value), walk);
}

/** What `toJSON` gave is not asked for its own `toJSON`, as in JSON.stringify. */
function written(json: unknown, walk: Walk): JsonValue {
  if (isArray(json)) return items(json, walk);
  return isPlainObject(json) ? entries(pairsOf(json), walk) : convert(json, walk);
}

function items(list: readonly unknown[], walk: Walk): JsonValue {
  const kept: JsonValue[] = [];
  for (let index = 0; index < list.length; index++) {
    if (isSpent(walk)) {
      walk.cut += list.length - index;
      break;
    }
    kept.push(convert(list[index], walk));
  }
  return kept;
}

interface Pairs {
  readonly size: number;
  [Symbol.iterator](): Iterator<readonly [unknown, unknown]>;
}

function entries(pairs: Pairs, walk: Walk): JsonValue {
  const kept = new Map<string, JsonValue>();
  let read = 0;
  for (const [key, item] of pairs) {
    if (isSpent(walk)) {
      walk.cut += pairs.size - read;
      break;
    }
    read++;
    const name = typeof key === 'string' ? key : `[${typeof key}]`;
    const shown = item === undefined ? undefined : text(name, walk);
    // two keys can become one by what was taken out of them; the first stays, the other is counted
    if (shown !== undefined && kept.has(shown)) walk.cut++;
    else if (shown !== undefined) kept.set(shown, entry([name, shown], item, walk));
    else walk.nodes++;
  }
  return Object.fromEntries(kept);
}

/** Under a name as it was, or as it is shown once control characters are gone. */
function entry(names: readonly string[], item: unknown, walk: Walk): JsonValue {
  const isEmpty = item === null || item === '' || typeof item === 'boolean';
  if (isEmpty || !names.some(walk.filter.hides)) return convert(item, walk);
  walk.nodes++;
  walk.chars += REDACTED.length;
  return REDACTED;
}

/** The values are read one by one, as far as there is room for them. */
function pairsOf(value: object): Pairs {
  const keys = Object.keys(value);
  return {
    size: keys.length,
    *[Symbol.iterator]() {
      for (const key of keys) yield [key, readProperty(value, key)] as const;
    },
  };
}

function* firstOf(values: Iterable<unknown>, walk: Walk): Generator<unknown> {
  let left = walk.bounds.maxNodes;
  for (const value of values) {
    if (left-- <= 0) return;
    yield value;
  }
}

function isSpent(walk: Walk): boolean {
  return walk.nodes >= walk.bounds.maxNodes || walk.chars >= walk.bounds.maxChars;
}
