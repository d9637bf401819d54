/** Fields, indexes and slices. Own properties only; whatever is not there is `Missing`. */
import type { JsonValue } from '../../errors/json.ts';
import type { Link, PathNode } from './ast.ts';
import { missing, notThere, type Missing, type Value } from './missing.ts';
import { charge, excerpt, fail, type Run } from './run.ts';
import { METHODS } from './methods.ts';
import {
  aType,
  characterCount,
  charactersOf,
  hasPairs,
  isList,
  isObject,
  toKey,
} from './values.ts';

/** The item or field, or undefined. */
export function read(run: Run, value: JsonValue, key: JsonValue): JsonValue | undefined {
  if (isObject(value)) {
    const name = toKey(key);
    return name !== undefined && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  if (typeof key !== 'number' || !Number.isInteger(key)) return undefined;
  if (isList(value)) return value.at(key);
  return typeof value === 'string' ? characterAt(run, value, key) : undefined;
}

/** `a.b.0`, as in `map(attribute='a.b.0')`, starting at an item of a list. */
export function readAttribute(run: Run, item: JsonValue, attribute: JsonValue): Value {
  const path = toKey(attribute) ?? fail(run, `\`attribute\` cannot be ${aType(attribute)}`);
  const { at } = run;
  let value: JsonValue = item;
  for (const key of path.split('.')) {
    const base: JsonValue = value;
    const next = read(run, base, isList(base) && /^-?\d+$/.test(key) ? Number(key) : key);
    if (next === undefined) return missing(at, () => absent(base, path, key));
    value = next;
  }
  return value;
}

/** Says why a step of a path leads nowhere. */
export function missingLink(run: Run, path: PathNode, link: Link, base: JsonValue): Missing {
  const at = { offset: path.offset, length: link.offset + link.length - path.offset };
  return missing(at, () => {
    const whole = excerpt(run, at);
    if (link.kind !== 'field') return `\`${whole}\` is not there`;
    if (isObject(base)) return absent(base, whole, String(link.key));
    const before = excerpt(run, { offset: path.offset, length: link.offset - path.offset });
    const method = METHODS.has(String(link.key)) ? `; did you mean \`${link.key}()\`?` : '';
    return `\`${before}\` is ${aType(base)}, so \`${whole}\` is not there${method}`;
  });
}

/** As in Python: negative counts from the end, and what lies outside is left out. */
export function slice(
  run: Run,
  value: JsonValue,
  [start, stop, step]: readonly (JsonValue | undefined)[],
): JsonValue {
  if (typeof value !== 'string' && !isList(value))
    return fail(run, `Only text and lists can be sliced, not ${aType(value)}`);
  const stride = bound(run, step) ?? 1;
  if (stride === 0) fail(run, 'The step of a slice cannot be zero');
  const indexes = { start: bound(run, start), stop: bound(run, stop), stride };
  if (typeof value !== 'string') return charged(run, sliceItems(value, indexes));
  if (stride === 1 && !hasPairs(value)) return value.slice(indexes.start, indexes.stop);
  return sliceItems(charactersOf(run, value), indexes).join('');
}

interface Indexes {
  readonly start: number | undefined;
  readonly stop: number | undefined;
  readonly stride: number;
}

function charged<T>(run: Run, items: readonly T[]): readonly T[] {
  charge(run, items.length);
  return items;
}

function sliceItems<T>(items: readonly T[], { start, stop, stride }: Indexes): readonly T[] {
  if (stride === 1) return items.slice(start, stop);
  const [first, last] = stride > 0 ? [0, items.length] : [items.length - 1, -1];
  const from = clamp(start, items.length, stride, first);
  const to = clamp(stop, items.length, stride, last);
  const isOnStride = (_: T, index: number): boolean => index % Math.abs(stride) === 0;
  if (stride > 0) return items.slice(from, to).filter(isOnStride);
  return items
    .slice(to + 1, from + 1)
    .toReversed()
    .filter(isOnStride);
}

function clamp(
  index: number | undefined,
  length: number,
  stride: number,
  fallback: number,
): number {
  if (index === undefined) return fallback;
  const [least, most] = stride > 0 ? [0, length] : [-1, length - 1];
  return Math.min(most, Math.max(least, index < 0 ? index + length : index));
}

function bound(run: Run, value: JsonValue | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  return fail(run, `A slice needs whole numbers, not ${aType(value)}`);
}

function characterAt(run: Run, text: string, index: number): string | undefined {
  characterCount(run, text);
  return hasPairs(text) ? charactersOf(run, text).at(index) : text.at(index);
}

function absent(base: JsonValue, path: string, wanted: string): string {
  if (isObject(base)) return notThere(path, wanted, Object.keys(base));
  return `\`${path}\` is not there: the value is ${aType(base)}`;
}
