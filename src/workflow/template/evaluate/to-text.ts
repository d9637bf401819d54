/**
 * Converts values to text. Writes JSON without `JSON.stringify`, so that a huge value, or one that contains
 * another a thousand times, is refused before it is written.
 */
import type { JsonObject, JsonValue } from '../../../errors/support/safe-json.ts';
import { TEMPLATE_LIMITS } from '../template-limits.ts';
import { boundOutput, charge, chargeText, exceed, type Evaluation } from './evaluation.ts';
import { isList, keysOf } from './values.ts';

interface Writer {
  readonly run: Evaluation;
  readonly parts: string[];
  /** Spaces for each level; with none, everything is on one line. */
  readonly indent: string;
  readonly hasSortedKeys: boolean;
  chars: number;
}

interface JsonOptions {
  readonly indent?: string;
  readonly hasSortedKeys?: boolean;
}

/** Text as it is; everything else as JSON, on one line. */
export function toText(run: Evaluation, value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null) return toJson(run, value);
  return JSON.stringify(value);
}

export function toJson(run: Evaluation, value: JsonValue, options: JsonOptions = {}): string {
  const { indent = '', hasSortedKeys = false } = options;
  const writer: Writer = { run, parts: [], indent, hasSortedKeys, chars: 0 };
  write(writer, value, 0);
  return writer.parts.join('');
}

function write(writer: Writer, value: JsonValue, depth: number): void {
  charge(writer.run, 1);
  if (typeof value === 'string') return writeString(writer, value);
  if (typeof value !== 'object' || value === null) return add(writer, JSON.stringify(value));
  if (depth >= TEMPLATE_LIMITS.valueDepth) exceed(writer.run, 'valueDepth');
  if (isList(value)) writeList(writer, value, depth + 1);
  else writeObject(writer, value, depth + 1);
}

function writeString(writer: Writer, text: string): void {
  boundOutput(writer.run, writer.chars + text.length);
  chargeText(writer.run, text.length);
  add(writer, JSON.stringify(text));
}

function writeList(writer: Writer, items: readonly JsonValue[], depth: number): void {
  if (items.length === 0) return add(writer, '[]');
  add(writer, '[');
  for (const [index, item] of items.entries()) {
    newLine(writer, depth, index > 0 ? ',' : '');
    write(writer, item, depth);
  }
  newLine(writer, depth - 1, '');
  add(writer, ']');
}

function writeObject(writer: Writer, object: JsonObject, depth: number): void {
  const keys = writer.hasSortedKeys
    ? keysOf(writer.run, object).toSorted()
    : keysOf(writer.run, object);
  if (keys.length === 0) return add(writer, '{}');
  add(writer, '{');
  for (const [index, key] of keys.entries()) {
    newLine(writer, depth, index > 0 ? ',' : '');
    writeString(writer, key);
    add(writer, writer.indent === '' ? ':' : ': ');
    write(writer, object[key] ?? null, depth);
  }
  newLine(writer, depth - 1, '');
  add(writer, '}');
}

function newLine(writer: Writer, depth: number, before: string): void {
  add(writer, writer.indent === '' ? before : `${before}\n${writer.indent.repeat(depth)}`);
}

function add(writer: Writer, text: string): void {
  writer.chars += text.length;
  boundOutput(writer.run, writer.chars);
  writer.parts.push(text);
}
