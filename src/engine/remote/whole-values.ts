/** Replaces the links that a server sends in place of large values by the values. */
import { isPlainObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { ServerClient } from './server-client.ts';
import { objectOf } from './sent-shapes.ts';

/** The fields of events and runs that may be links. */
const FIELDS = ['input', 'output', 'value'] as const;

export async function wholeValues(client: ServerClient, sent: JsonValue): Promise<JsonObject> {
  const whole: Record<string, JsonValue> = { ...objectOf(sent) };
  for (const field of FIELDS) {
    const href = linkIn(whole[field]);
    if (href !== undefined) whole[field] = await client.linked(href);
  }
  return whole;
}

function linkIn(value: JsonValue | undefined): string | undefined {
  if (!isPlainObject(value) || value['truncated'] !== true) return undefined;
  const { href } = value;
  return typeof href === 'string' ? href : undefined;
}
