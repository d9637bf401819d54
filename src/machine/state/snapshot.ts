/**
 * Snapshot of a run's state as JSON, for an engine that cannot read a log from its beginning. A value
 * that several parts of the state share is written once and shared again after reading: an output is
 * in the result of its node, in the visit log and in the latest visit.
 */
import {
  isArray,
  isPlainObject,
  type JsonObject,
  type JsonValue,
} from '../../errors/support/safe-json.ts';
import { LazyMap, LazySet } from './lazy-collections.ts';
import { newRunState, type RunState } from './state.ts';

export const SNAPSHOT_VERSION = 13;

export interface Snapshot {
  readonly v: typeof SNAPSHOT_VERSION;
  readonly state: JsonValue;
  /** Values that the state refers to more than once. */
  readonly shared: readonly JsonValue[];
}

/** The only key of an object that encodes a value JSON cannot express. */
const TAG = '$';

export function packState({
  redactor: _redactor,
  interference: _interference,
  ...state
}: RunState): Snapshot {
  const packing = new Packing();
  packing.count(state);
  const packed = packing.pack(state);
  return { v: SNAPSHOT_VERSION, state: packed, shared: packing.shared };
}

/** Takes a snapshot that `packState` made. Consumes it: its objects become part of the state. */
export function unpackState({ state, shared }: Snapshot): RunState {
  // written by `packState`, so it is a state; undefined fields were left out
  const read = new Unpacking(shared).unpack(state) as RunState;
  return { ...newRunState(read.run, read.plan), ...read };
}

/** Unpacks in place: a long run has thousands of parts, and few of them are tagged. */
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
  readonly #indexes = new Map<unknown, number>();
  /** Tagged values, and values that contain one. */
  readonly #special = new WeakSet<object>();

  /** Terminates because a state has no cycles. */
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
    return isShared ? this.#tag('shared', this.#sharedIndex(value)) : this.#packOnce(value);
  }

  #sharedIndex(value: unknown): number {
    const known = this.#indexes.get(value);
    if (known !== undefined) return known;
    const index = this.shared.push(null) - 1;
    this.#indexes.set(value, index);
    this.shared[index] = this.#closed(this.#packOnce(value));
    return index;
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

  /** Tags a plain value beside special ones, so that unpacking need not look into it. */
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

/** Shorter texts cost less than a reference to them. */
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
