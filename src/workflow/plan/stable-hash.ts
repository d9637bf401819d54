/**
 * The names of things, the same in every process and every version, whatever the order of the keys
 * of a value. Names that must be unique, such as the key of a payment, have 40 digits of a
 * cryptographic hash: nobody can choose arguments so that two calls have one key. Ids of failures
 * and the like have 16 digits of SipHash.
 */
import { blakeHex } from '../hash/blake2s.ts';
import { sipHash, type SipKey } from '../hash/siphash.ts';
import { hex, utf8Words } from '../hash/utf8-words.ts';

/** 16 hexadecimal digits. Only the first 16 bytes of the key count; by default there is none. */
export function hashText(text: string, key = ''): string {
  const [high, low] = sipHash(text, key === '' ? NO_KEY : keyFrom(key));
  return hex(high) + hex(low);
}

/** The same for the canonical JSON of a value. */
export function hashValue(value: unknown, key?: string): string {
  return hashText(canonicalJson(value), key);
}

/** 40 hexadecimal digits for the canonical JSON of a value; two values never share them. */
export function identityOf(value: unknown): string {
  return blakeHex(canonicalJson(value));
}

const NO_KEY: SipKey = [0, 0, 0, 0];

function keyFrom(text: string): SipKey {
  const { words } = utf8Words(text);
  return [words[0] ?? 0, words[1] ?? 0, words[2] ?? 0, words[3] ?? 0];
}

/** JSON with sorted keys; omits values that JSON cannot represent, as `JSON.stringify` does. */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number':
      return Number.isFinite(value) ? `${value}` : 'null';
    case 'boolean':
      return `${value}`;
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? canonicalList(value) : canonicalObject(value);
    default:
      return JSON.stringify(value) ?? 'null';
  }
}

/** Characters that JSON writes as they are. */
const PLAIN = /^[\w :./-]*$/;

/** Testing for plain characters is cheaper than what JSON does for each text. */
function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function canonicalObject(value: object): string {
  const keys = sorted(Object.keys(value));
  let text = '{';
  for (const key of keys) {
    const inner = (value as Record<string, unknown>)[key];
    if (inner === undefined) continue;
    if (text !== '{') text += ',';
    text += `${quoted(key)}:${canonicalJson(inner)}`;
  }
  return `${text}}`;
}

/** In place, and for the few keys that most values have without the copies that `sort` makes. */
function sorted(keys: string[]): string[] {
  if (keys.length > FEW_KEYS) return keys.sort();
  for (let from = 1; from < keys.length; from++) {
    const key = keys[from] ?? '';
    let at = from;
    for (; at > 0 && (keys[at - 1] ?? '') > key; at--) keys[at] = keys[at - 1] ?? '';
    keys[at] = key;
  }
  return keys;
}

const FEW_KEYS = 8;

function canonicalList(items: readonly unknown[]): string {
  let text = '[';
  for (let index = 0; index < items.length; index++) {
    if (index > 0) text += ',';
    text += canonicalJson(items[index]);
  }
  return `${text}]`;
}
