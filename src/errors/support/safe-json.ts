/**
 * Safe JSON: any value at all as bounded JSON. Total: getters that throw, cycles, proxies and functions
 * become words. The result is a fixed point: bounding it again changes nothing, in any order of its keys.
 * Only one cost has no bound, because the language has none: listing the keys of an object.
 */
import { boundText, REDACTED, type TextFilter } from '../report/bounded-text.ts';

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

/** Filters that each value passes on its way in. */
export interface JsonFilter {
  /** Applied to each string and key before it is shortened. */
  readonly text: TextFilter;
  /** True for a key whose value must not be shown, whatever it is. */
  readonly hides: (key: string) => boolean;
}

const EVERYTHING: JsonFilter = { text: (text) => text, hides: () => false };

const CUT = '[cut]';
const UNREADABLE = '[unreadable]';

/** The words that replace other values fit into this. */
const MIN_STRING_CHARS = REDACTED.length;

/** Writing out a longer number takes time that grows with its square. */
const MAX_BIGINT = 10n ** 40n;

interface Walk {
  readonly bounds: JsonBounds;
  readonly filter: JsonFilter;
  readonly ancestors: Set<object>;
  nodes: number;
  chars: number;
  cut: number;
  /** Set when something did not fit; from then on nothing is read. */
  isFull: boolean;
}

export function toBoundedJson(
  value: unknown,
  bounds: JsonBounds,
  filter: JsonFilter = EVERYTHING,
): BoundedJson {
  const ancestors = new Set<object>();
  const walk: Walk = { bounds, filter, ancestors, nodes: 0, chars: 0, cut: 0, isFull: false };
  const converted = convert(value, walk);
  return { value: converted === undefined ? CUT : converted, cut: walk.cut };
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

/** As `instanceof`, and false for a proxy that does not let its prototype be read. */
export function isInstance<T>(
  value: unknown,
  type: abstract new (...parameters: never[]) => T,
): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

/** The value's own enumerable keys; none for a value without keys, or one that throws. */
export function keysOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  try {
    return Object.keys(value);
  } catch {
    return [];
  }
}

/** `JSON.parse` with the type of its result: it returns nothing but JSON, or throws. */
export function jsonFrom(text: string): JsonValue {
  return JSON.parse(text) as JsonValue;
}

/** A text as it is, and any other value as its JSON. */
export function textOrJson(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !isArray(value);
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isArray(value);
}

/** `Array.isArray` does not narrow to a list that cannot be changed. */
export function isJsonList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** `Array.isArray` throws on a revoked proxy. */
export function isArray(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

/** Undefined when there is no room for it. */
function convert(value: unknown, walk: Walk): JsonValue | undefined {
  if (walk.isFull || walk.nodes >= walk.bounds.maxNodes) return noRoom(walk);
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

function noRoom(walk: Walk): undefined {
  walk.isFull = true;
  walk.cut++;
}

function isShort(value: bigint): boolean {
  return value < MAX_BIGINT && value > -MAX_BIGINT;
}

/** A number can be a secret too, when it is a configured value. */
function number(value: number, walk: Walk): JsonValue | undefined {
  const written = String(value);
  // plus zero: JSON has no negative zero
  return walk.filter.text(written) === written ? value + 0 : text(written, walk);
}

/** The last text kept may be cut again, to the remaining room. */
function text(value: string, walk: Walk): string | undefined {
  const { maxStringChars, maxChars } = walk.bounds;
  const room = maxChars - walk.chars;
  const whole = boundText(value, maxStringChars, walk.filter.text);
  if (whole.text.length > room) {
    if (room < MIN_STRING_CHARS) return noRoom(walk);
    walk.isFull = true;
  }
  const kept = walk.isFull ? boundText(value, room, walk.filter.text) : whole;
  if (kept.cutChars > 0) walk.cut++;
  walk.chars += kept.text.length;
  return kept.text;
}

function container(value: object, walk: Walk): JsonValue | undefined {
  if (walk.ancestors.has(value)) return text('[circular]', walk);
  if (walk.ancestors.size >= walk.bounds.maxDepth) {
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

function contents(value: object, walk: Walk): JsonValue | undefined {
  if (isArray(value)) return items(value, walk);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
    return text(`[${value.byteLength} bytes]`, walk);
  const toJson = readProperty(value, 'toJSON');
  if (typeof toJson === 'function') return written(Reflect.apply(toJson, value, []), walk);
  if (Object.getPrototypeOf(value) === Object.prototype) return fields(value, walk);
  if (value instanceof String || value instanceof Number || value instanceof Boolean)
    return convert(value.valueOf(), walk);
  if (value instanceof Map) return entries(value, walk);
  if (value instanceof Set) return items([...firstOf(value, walk)], walk);
  const message = readProperty(value, 'message');
  if (value instanceof Error && typeof message === 'string') {
    const own = keysOf(value).map((key) => [key, readProperty(value, key)] as const);
    const named = [
      ['name', readProperty(value, 'name')],
      ['message', message],
    ] as const;
    return entries(new Map([...named, ...own]), walk);
  }
  return fields(value, walk);
}

/** The result of `toJSON` is not asked for its own `toJSON`, as in JSON.stringify. */
function written(json: unknown, walk: Walk): JsonValue | undefined {
  if (isArray(json)) return items(json, walk);
  return isPlainObject(json) ? fields(json, walk) : convert(json, walk);
}

function items(list: readonly unknown[], walk: Walk): JsonValue {
  const kept: JsonValue[] = [];
  for (let index = 0; index < list.length; index++) {
    const item = convert(list[index], walk);
    if (item === undefined) {
      walk.cut += list.length - index - 1;
      break;
    }
    kept.push(item);
  }
  return kept;
}

/** The values are read one by one, as far as there is room for them. */
function fields(value: object, walk: Walk): JsonValue {
  const kept: Record<string, JsonValue> = {};
  const keys = Object.keys(value);
  let left = keys.length;
  for (const key of keys) {
    left--;
    if (add(kept, key, readProperty(value, key), walk)) continue;
    walk.cut += left;
    break;
  }
  return kept;
}

function entries(pairs: ReadonlyMap<unknown, unknown>, walk: Walk): JsonValue {
  const kept: Record<string, JsonValue> = {};
  let left = pairs.size;
  for (const [key, item] of pairs) {
    left--;
    if (add(kept, key, item, walk)) continue;
    walk.cut += left;
    break;
  }
  return kept;
}

/** False when there is no room for it. */
function add(kept: Record<string, JsonValue>, key: unknown, item: unknown, walk: Walk): boolean {
  const isAbsent = item === undefined && walk.nodes++ < walk.bounds.maxNodes;
  if (isAbsent) return true;
  const name = typeof key === 'string' ? key : `[${typeof key}]`;
  const shown = boundText(name, walk.bounds.maxStringChars, walk.filter.text).text;
  if (Object.hasOwn(kept, shown)) {
    // two keys can become one by redaction; the first stays
    walk.cut++;
    return true;
  }
  const value = entry([name, shown], item, walk);
  if (value === undefined) return false;
  keep(kept, shown, value);
  return true;
}

/** To assign `__proto__` would set a prototype instead of a field. */
function keep(kept: Record<string, JsonValue>, name: string, value: JsonValue): void {
  if (name !== '__proto__') kept[name] = value;
  else
    Object.defineProperty(kept, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
}

/** Checks the key as written, and without its control characters. */
function entry(
  [name, shown]: readonly [string, string],
  item: unknown,
  walk: Walk,
): JsonValue | undefined {
  if (walk.chars + shown.length > walk.bounds.maxChars) return noRoom(walk);
  walk.chars += shown.length;
  const isEmpty = item === null || item === '' || typeof item === 'boolean';
  const isHidden = !isEmpty && (walk.filter.hides(name) || walk.filter.hides(shown));
  return convert(isHidden ? REDACTED : item, walk);
}

function* firstOf(values: Iterable<unknown>, walk: Walk): Generator<unknown> {
  let left = walk.bounds.maxNodes;
  for (const value of values) {
    if (left-- <= 0) return;
    yield value;
  }
}
