/**
 * The state of a run as JSON and back, for a driver that cannot read a log from its beginning. What
 * several parts of the state share is written once and shared again when it is read: an output stands
 * in its node's slot, in the trail and in the latest visit.
 */
import { isArray, isPlainObject, type JsonObject, type JsonValue } from '../errors/json.ts';
import { LazyMap, LazySet } from './lazy.ts';
import { newRunState, type RunState } from './state.ts';

export const SNAPSHOT_VERSION = 3;

export interface Snapshot {
  readonly v: typeof SNAPSHOT_VERSION;
  readonly state: JsonValue;
  /** What the state refers to more than once. */
  readonly shared: readonly JsonValue[];
}

/** The one key of an object that stands for what JSON has no word for. */
const TAG = '$';

export function packState(state: RunState): Snapshot {
  const packing = new Packing();
  packing.count(state);
  const packed = packing.pack(state);
  return { v: SNAPSHOT_VERSION, state: packed, shared: packing.shared };
}

/** The snapshot is one that `packState` made; it is used up, and becomes part of the state. */
export function unpackState({ state, shared }: Snapshot): RunState {
  // written by `packState`, so it is a state; what is undefined was left out
  const read = new Unpacking(shared).unpack(state) as RunState;
  return { ...newRunState(read.run, read.plan), ...read };
}

/** In place: a long run has thousands of parts, and few of them are anything but themselves. */
class Unpacking {
  readonly #shared: readonly JsonValue[];
  readonly #known = new Map<number, unknown>();

  constructor(shared: readonly JsonValue[]) {
    this.#shared = shared;
  }

  unpack(value: JsonValue): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (isArray(value)) {
      const items = value as unknown[];
      for (const [index, item] of value.entries()) items[index] = this.unpack(item);
      return items;
    }
    const tagged = value[TAG];
    return isArray(tagged) ? this.#unpackTagged(tagged) : this.#unpackFields(value);
  }

  #unpackFields(value: JsonObject): unknown {
    const fields = value as Record<string, unknown>;
    for (const key of Object.keys(value)) fields[key] = this.unpack(value[key] ?? null);
    return fields;
  }

  #unpackTagged([type, content = null]: readonly JsonValue[]): unknown {
    switch (type) {
      case 'map':
        return new Map(this.#entries(content));
      case 'set':
        return new Set(this.unpack(content) as unknown[]);
      case 'lazy-map': {
        const map = new LazyMap<unknown, unknown>();
        for (const [key, part] of this.#entries(content)) map.set(key, part);
        return map;
      }
      case 'lazy-set': {
        const set = new LazySet<unknown>();
        for (const part of this.unpack(content) as unknown[]) set.add(part);
        return set;
      }
      case 'plain':
        return content;
      case 'number':
        return Number(content);
      case 'object':
        return this.#unpackFields(content as JsonObject);
      default:
        return this.#unpackShared(Number(content));
    }
  }

  #entries(content: JsonValue): readonly (readonly [unknown, unknown])[] {
    return (content as [JsonValue, JsonValue][]).map(([key, part]) => [key, this.unpack(part)]);
  }

  #unpackShared(index: number): unknown {
    if (!this.#known.has(index)) this.#known.set(index, this.unpack(this.#shared[index] ?? null));
    return this.#known.get(index);
  }
}

class Packing {
  readonly shared: JsonValue[] = [];
  readonly #uses = new Map<unknown, number>();
  readonly #places = new Map<unknown, number>();
  /** What stands for something else, and what has such a thing in it. */
  readonly #special = new WeakSet<object>();

  /** Nothing in a state refers back to what holds it. */
  count(value: unknown): void {
    if (typeof value === 'string' ? value.length < LONG_CHARS : !isObject(value)) return;
    const uses = this.#uses.get(value) ?? 0;
    this.#uses.set(value, uses + 1);
    if (uses === 0 && isObject(value)) for (const part of partsOf(value)) this.count(part);
  }

  pack(value: unknown): JsonValue {
    if (typeof value === 'number')
      return Number.isFinite(value) ? value : this.#tag('number', String(value));
    const isShared = (this.#uses.get(value) ?? 0) > 1;
    return isShared ? this.#tag('shared', this.#place(value)) : this.#packOnce(value);
  }

  #place(value: unknown): number {
    const known = this.#places.get(value);
    if (known !== undefined) return known;
    const place = this.shared.push(null) - 1;
    this.#places.set(value, place);
    this.shared[place] = this.#closed(this.#packOnce(value));
    return place;
  }

  #packOnce(value: unknown): JsonValue {
    if (value instanceof Map || value instanceof LazyMap) {
      const entries = [...(value as Iterable<[string, unknown]>)];
      const name = value instanceof Map ? 'map' : 'lazy-map';
      return this.#tag(
        name,
        entries.map(([key, part]) => [key, this.#closed(this.pack(part))]),
      );
    }
    if (value instanceof Set || value instanceof LazySet) {
      const parts = [...(value as Iterable<unknown>)];
      const name = value instanceof Set ? 'set' : 'lazy-set';
      return this.#tag(
        name,
        parts.map((part) => this.#closed(this.pack(part))),
      );
    }
    if (isArray(value)) return this.#packItems(value);
    return isPlainObject(value) ? this.#packFields(value) : (value as JsonValue);
  }

  #packItems(items: readonly unknown[]): JsonValue {
    const packed = items.map((item) => this.pack(item));
    if (!packed.some((item) => this.#isSpecial(item))) return packed;
    return this.#noted(packed.map((item) => this.#closed(item)));
  }

  #packFields(value: Readonly<Record<string, unknown>>): JsonValue {
    const packed = mapObject(value, (part) => this.pack(part));
    const isSpecial = Object.values(packed).some((part) => this.#isSpecial(part));
    const fields = isSpecial
      ? this.#noted(mapObject(packed, (part) => this.#closed(part)))
      : packed;
    return Object.hasOwn(value, TAG) ? this.#tag('object', fields) : fields;
  }

  /** Beside what is special, what is not says so, and whoever unpacks need not look into it. */
  #closed(packed: JsonValue): JsonValue {
    return isObject(packed) && !this.#isSpecial(packed) ? this.#tag('plain', packed) : packed;
  }

  #tag(type: string, content: JsonValue): JsonValue {
    return this.#noted({ [TAG]: [type, content] });
  }

  #noted<T extends JsonValue & object>(packed: T): T {
    this.#special.add(packed);
    return packed;
  }

  #isSpecial(packed: JsonValue): boolean {
    return isObject(packed) && this.#special.has(packed);
  }
}

/** Shorter texts cost less than what stands for them. */
const LONG_CHARS = 64;

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function partsOf(value: object): Iterable<unknown> {
  if (value instanceof Map || value instanceof LazyMap) return value.values();
  if (value instanceof Set || value instanceof LazySet) return value;
  return Object.values<unknown>({ ...value });
}

function mapObject<In, Out>(
  value: Readonly<Record<string, In>>,
  change: (part: In) => Out,
): Record<string, Out> {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== undefined)
      .map(([key, part]) => [key, change(part)]),
  );
}
