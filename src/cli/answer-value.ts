/** An answer as it is typed: JSON where it is a JSON object, else the text. */
import type { JsonValue } from '../errors/json.ts';

export function answerValue(text: string): JsonValue {
  if (!text.trimStart().startsWith('{')) return text;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // an option may begin with a brace; the gate says whether it is one
    return text;
  }
}
