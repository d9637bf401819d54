/**
 * A small, stable hash for noticing that something changed; not for security. The same value gives
 * the same text in every process and every version, whatever the order of its keys.
 */

// looked up once: in a sandbox, as on Temporal, every look at a global is dear
const { imul } = Math;

/** 16 hexadecimal digits. */
export function hashText(text: string): string {
  let low = 0x9e3779b9;
  let high = 0x85ebca6b;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    low = imul(low ^ unit, 0x01000193);
    high = imul(high ^ unit, 0x5bd1e995);
    high ^= low >>> 15;
  }
  low = mix(low ^ text.length);
  high = mix(high ^ low);
  return hex(high) + hex(mix(low ^ high));
}

export function hashValue(value: unknown): string {
  return hashText(canonicalJson(value));
}

/** JSON with sorted keys; what JSON has no word for is left out, as `JSON.stringify` does. */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
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

// loops, because every effect of every run is named by this text

function canonicalObject(value: object): string {
  const keys = Object.keys(value);
  if (keys.length > 1) keys.sort();
  let text = '';
  for (const key of keys) {
    const inner = (value as Record<string, unknown>)[key];
    if (inner === undefined) continue;
    if (text !== '') text += ',';
    text += `${JSON.stringify(key)}:${canonicalJson(inner)}`;
  }
  return `{${text}}`;
}

function canonicalList(items: readonly unknown[]): string {
  let text = '';
  for (let index = 0; index < items.length; index++) {
    if (index > 0) text += ',';
    text += canonicalJson(items[index]);
  }
  return `[${text}]`;
}

function mix(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
