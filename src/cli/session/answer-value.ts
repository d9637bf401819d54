/** Reads a typed answer: as JSON where it is a JSON object, else as text. */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { readJson, type ReadJson } from '../../workflow/json-schema/exact-number.ts';
import { refuseInexact } from '../../workflow/plan/inputs.ts';

export function answerValue(text: string): JsonValue {
  if (!text.trimStart().startsWith('{')) return text;
  const read = objectIn(text);
  if (read === undefined) return text;
  if (read.inexact !== undefined) refuseInexact('The answer', read.inexact);
  return read.value;
}

function objectIn(text: string): ReadJson | undefined {
  try {
    return readJson(text);
  } catch {
    // an option may begin with a brace; the gate checks it
    return undefined;
  }
}
