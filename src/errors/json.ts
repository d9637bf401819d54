/**
 * Any value at all as bounded JSON. Total: getters that throw, cycles, proxies and functions become
 * words. The result is a fixed point, so bounding it again changes nothing.
 */
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
  readonly maxStringChars: number;
  /** All strings and keys together. */
  readonly maxChars: number;
}

export interface BoundedJson {
  readonly value: JsonValue;
  /** Values left out or shortened. */
  readonly cut: number;
}

/** Applied to each string before it is shortened, so that a cut can never hide half a secret. */
export type TextFilter = (text: string, key?: string) => string;

const CUT = '[cut]';
const UNREADABLE = '[unreadable]';

/** A value is read this far beyond its bound before the filter sees it. */
const FILTER_MARGIN_CHARS = 4096;

interface Walk {
  readonly bounds: JsonBounds;
  readonly filter: TextFilter;
  readonly ancestors: Set<object>;
  nodes: number;
  chars: number;
  cut: number;
}

export function toBoundedJson(
  value: unknown,
  bounds: JsonBounds,
  filter: TextFilter = (text) => text,
): BoundedJson {
  const walk: Walk = { bounds, filter, ancestors: new Set(), nodes: 0, chars: 0, cut: 0 };
  const converted = convert(value, walk, undefined);
  return { value: converted, cut: walk.cut };
}

/** Filters, then shortens to `maxChars`, saying how much was left out. */
export function boundText(
  text: string,
  maxChars: number,
  filter: TextFilter = (same) => same,
): { readonly text: string; readonly cutChars: number } {
  const window = text.length > maxChars ? text.slice(0, maxChars + FILTER_MARGIN_CHARS) : text;
  const filtered = filter(window);
  const unread = text.length - window.length;
  if (unread === 0 && filtered.length <= maxChars) return { text: filtered, cutChars: 0 };

  const kept = wholeCharacters(filtered.slice(0, Math.max(0, maxChars - 1)));
  return { text: `${kept}…`, cutChars: filtered.length - kept.length + unread };
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

export function isPlainObject(value: unknown): value is Record<string, unknown> {
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

export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(index + 1))) {
      bytes += 4;
      index++;
    } else bytes += 3;
  }
  return bytes;
}

function convert(value: unknown, walk: Walk, key: string | undefined): JsonValue {
  walk.nodes++;
  switch (typeof value) {
    case 'string':
      return text(value, walk, key);
    case 'number':
      return Number.isFinite(value) ? value + 0 : text(String(value), walk, undefined);
    case 'boolean':
      return value;
    case 'bigint':
      return text(String(value), walk, key);
    case 'undefined':
      return null;
    case 'symbol':
    case 'function':
      return text(`[${typeof value}]`, walk, undefined);
    case 'object':
      return value === null ? null : container(value, walk);
    default:
      return text(UNREADABLE, walk, undefined);
  }
}

function text(value: string, walk: Walk, key: string | undefined): string {
  const room = Math.max(CUT.length, walk.bounds.maxChars - walk.chars);
  const filter = (part: string): string => walk.filter(part, key);
  const bounded = boundText(value, Math.min(walk.bounds.maxStringChars, room), filter);
  if (bounded.cutChars > 0) walk.cut++;
  walk.chars += bounded.text.length;
  return bounded.text;
}

function container(value: object, walk: Walk): JsonValue {
  if (walk.ancestors.has(value)) return text('[circular]', walk, undefined);
  if (walk.ancestors.size >= walk.bounds.maxDepth || isSpent(walk)) {
    walk.cut++;
    return text(CUT, walk, undefined);
  }
  walk.ancestors.add(value);
  try {
    return contents(value, walk);
  } catch {
    // a proxy may throw from any trap; the rest of the report must survive it
    return text(UNREADABLE, walk, undefined);
  } finally {
    walk.ancestors.delete(value);
  }
}

function contents(value: object, walk: Walk): JsonValue {
  if (isArray(value)) return items(value, walk);
  const asJson = readProperty(value, 'toJSON');
  if (typeof asJson === 'function') {
    const json: unknown = Reflect.apply(asJson, value, []);
    return typeof json === 'object' && json !== null ? entries(json, walk) : convert(json, walk, undefined);
  }
  if (value instanceof Map) return entries(Object.fromEntries(value), walk);
  if (value instanceof Set) return items([...value], walk);
  const message = readProperty(value, 'message');
  if (value instanceof Error && typeof message === 'string') {
    const name = readProperty(value, 'name');
    return entries({ ...value, name: typeof name === 'string' ? name : 'Error', message }, walk);
  }
  return entries(value, walk);
}

function items(list: readonly unknown[], walk: Walk): JsonValue {
  const kept: JsonValue[] = [];
  for (let index = 0; index < list.length; index++) {
    if (isSpent(walk)) {
      walk.cut += list.length - index;
      break;
    }
    kept.push(convert(list[index], walk, undefined));
  }
  return kept;
}

function entries(value: object, walk: Walk): JsonValue {
  const keys = Object.keys(value);
  const kept: [string, JsonValue][] = [];
  for (let index = 0; index < keys.length; index++) {
    if (isSpent(walk)) {
      walk.cut += keys.length - index;
      break;
    }
    const key = keys[index] ?? '';
    const item = readProperty(value, key);
    if (item === undefined) continue;
    kept.push([text(key, walk, undefined), convert(item, walk, key)]);
  }
  return Object.fromEntries(kept);
}

function isSpent(walk: Walk): boolean {
  return walk.nodes >= walk.bounds.maxNodes || walk.chars >= walk.bounds.maxChars;
}

function wholeCharacters(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? text.slice(0, -1) : text;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
