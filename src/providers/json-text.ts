/** Parses JSON in foreign text, in time that is linear in the length of the text. */

/** The longest part of a body that is read. */
export const MAX_BODY_CHARS = 64 * 1024;

/** No provider nests deeper, and the parser's time grows with depth far more than with length. */
export const MAX_JSON_DEPTH = 64;
const MAX_UNCHECKED_CHARS = 512;

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']', '"': '"' };

/** After `{` a name or the end must follow; Python and Ruby print their objects differently. */
const BEGINNING = /^(?:\{\s{0,80}["}]|[["])/;

/** Undefined if the text is not JSON, which is a normal result here. */
export function parseJsonText(text: string): unknown {
  if (text.length > MAX_BODY_CHARS) return undefined;
  const trimmed = text.trim();
  // a text that does not end as it begins is not JSON: this avoids the cost of an exception
  if (trimmed === '' || CLOSING[trimmed.charAt(0)] !== trimmed.at(-1)) return undefined;
  if (!BEGINNING.test(trimmed) || isTooDeep(trimmed)) return undefined;
  try {
    return JSON.parse(trimmed);
  } catch {
    // text that only looks like JSON stays text
    return undefined;
  }
}

/** Counts brackets alone, even those within strings, which errs on the safe side. */
function isTooDeep(text: string): boolean {
  if (text.length <= MAX_UNCHECKED_CHARS) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === 0x5b || unit === 0x7b) {
      if (++depth > MAX_JSON_DEPTH) return true;
    } else if ((unit === 0x5d || unit === 0x7d) && depth > 0) depth--;
  }
  return false;
}
