/**
 * A small, stable hash for noticing that something changed; not for security. The same value gives
 * the same text in every process and every version, whatever the order of its keys.
 */

// looked up once: in a sandbox, as on Temporal, every look at a global is dear
const { imul } = Math;

/** 16 hexadecimal digits. */
export function hashText(text: string): string {
  const digest = new Digest();
  digest.add(text);
  return digest.end();
}

/** The hash of its canonical JSON, which need not be put together: every effect is named by this. */
export function hashValue(value: unknown): string {
  const digest = new Digest();
  addCanonical(value, digest);
  return digest.end();
}

/** JSON with sorted keys; what JSON has no word for is left out, as `JSON.stringify` does. */
export function canonicalJson(value: unknown): string {
  const json = new Text();
  addCanonical(value, json);
  return json.text;
}

/** Takes a text in parts. */
interface Sink {
  add(part: string): void;
  /** As JSON writes it. */
  addQuoted(text: string): void;
}

class Text implements Sink {
  text = '';

  add(part: string): void {
    this.text += part;
  }

  addQuoted(text: string): void {
    this.text += JSON.stringify(text);
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What JSON writes with an escape; of halves of pairs it depends on the other half. */
function isEscaped(unit: number): boolean {
  return unit < 0x20 || unit === QUOTE || unit === BACKSLASH || (unit & 0xf800) === 0xd800;
}

class Digest implements Sink {
  #low = 0x9e3779b9 | 0;
  #high = 0x85ebca6b | 0;
  #length = 0;

  add(part: string): void {
    let low = this.#low;
    let high = this.#high;
    for (let index = 0; index < part.length; index++) {
      const unit = part.charCodeAt(index);
      low = imul(low ^ unit, 0x01000193);
      high = imul(high ^ unit, 0x5bd1e995) ^ (low >>> 15);
    }
    this.#low = low;
    this.#high = high;
    this.#length += part.length;
  }

  /** Reads it once: the first character that JSON escapes sends the whole of it the long way. */
  addQuoted(text: string): void {
    let low = imul(this.#low ^ QUOTE, 0x01000193);
    let high = imul(this.#high ^ QUOTE, 0x5bd1e995) ^ (low >>> 15);
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      if (isEscaped(unit)) {
        this.add(JSON.stringify(text));
        return;
      }
      low = imul(low ^ unit, 0x01000193);
      high = imul(high ^ unit, 0x5bd1e995) ^ (low >>> 15);
    }
    this.#low = imul(low ^ QUOTE, 0x01000193);
    this.#high = imul(high ^ QUOTE, 0x5bd1e995) ^ (this.#low >>> 15);
    this.#length += text.length + 2;
  }

  end(): string {
    const low = mix(this.#low ^ this.#length);
    const high = mix(this.#high ^ low);
    return hex(high) + hex(mix(low ^ high));
  }
}

function addCanonical(value: unknown, to: Sink): void {
  switch (typeof value) {
    case 'string':
      to.addQuoted(value);
      return;
    case 'number':
      to.add(Number.isFinite(value) ? `${value}` : 'null');
      return;
    case 'boolean':
      to.add(`${value}`);
      return;
    case 'object':
      if (value === null) to.add('null');
      else if (Array.isArray(value)) addList(value, to);
      else addObject(value, to);
      return;
    default:
      to.add(JSON.stringify(value) ?? 'null');
  }
}

function addObject(value: object, to: Sink): void {
  const keys = Object.keys(value);
  if (keys.length > 1) keys.sort();
  let before = '{';
  for (const key of keys) {
    const inner = (value as Record<string, unknown>)[key];
    if (inner === undefined) continue;
    to.add(before);
    to.addQuoted(key);
    to.add(':');
    addCanonical(inner, to);
    before = ',';
  }
  to.add(before === '{' ? '{}' : '}');
}

function addList(items: readonly unknown[], to: Sink): void {
  to.add('[');
  for (let index = 0; index < items.length; index++) {
    if (index > 0) to.add(',');
    addCanonical(items[index], to);
  }
  to.add(']');
}

function mix(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

const HEX_DIGITS = '0123456789abcdef';

/** Eight digits of the lowest 32 bits. */
export function hex(value: number): string {
  let text = '';
  for (let shift = 28; shift >= 0; shift -= 4) text += HEX_DIGITS[(value >>> shift) & 0xf];
  return text;
}
