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
  if (text.length <= MAX_UNCHECKED_CHARS || (hasFew(text, '{') && hasFew(text, '['))) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    // a bracket and a brace differ in one bit
    const sign = text.charCodeAt(index) & ~0x20;
    if (sign === 0x5b) {
      if (++depth > MAX_JSON_DEPTH) return true;
    } else if (sign === 0x5d && depth > 0) depth--;
  }
  return false;
}

/** Long texts of few brackets are common, and a search for one sign is far cheaper than a look at each. */
function hasFew(text: string, sign: string): boolean {
  let at = text.indexOf(sign);
  for (let count = 0; at >= 0; at = text.indexOf(sign, at + 1))
    if (++count > MAX_JSON_DEPTH / 2) return false;
  return true;
}
