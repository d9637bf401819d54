/** Reads JSON of a client. A missing field, or one of another type, counts as absent. */
import {
  jsonFrom,
  isArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../errors/support/safe-json.ts';
import type { ToolCall } from '../machine/conversation/model-message.ts';

export function objectAt(holder: JsonValue | undefined, key: string): JsonObject | undefined {
  const value = isJsonObject(holder) ? holder[key] : undefined;
  return isJsonObject(value) ? value : undefined;
}

export function objectsAt(holder: JsonValue | undefined, key: string): readonly JsonObject[] {
  const value = isJsonObject(holder) ? holder[key] : undefined;
  return isArray(value) ? value.filter(isJsonObject) : [];
}

export function textAt(holder: JsonValue | undefined, key: string): string | undefined {
  const value = isJsonObject(holder) ? holder[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(holder: JsonValue | undefined, key: string): number | undefined {
  const value = isJsonObject(holder) ? holder[key] : undefined;
  return typeof value === 'number' ? value : undefined;
}

/** A string, or the texts of a list of parts. */
export function textIn(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  if (!isArray(content)) return '';
  return content.map((part) => textAt(part, 'text') ?? '').join('');
}

/** Parsed JSON, or the text itself. */
export function valueOf(text: string): JsonValue {
  try {
    return jsonFrom(text);
  } catch {
    // a tool result may be any text
    return text;
  }
}

export function toolCallOf(id: string, name: string, written: string): ToolCall {
  try {
    return { id, name, arguments: jsonFrom(written) };
  } catch {
    // arguments written by a model need not be JSON
    return { id, name, unparsable: written };
  }
}

/** Removes undefined fields. */
export function present<T extends object>(values: {
  readonly [K in keyof T]: T[K] | undefined;
}): T {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  // true: optional fields that are undefined were left out, and the others are as they were
  return Object.fromEntries(entries) as T;
}
