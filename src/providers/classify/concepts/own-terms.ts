/** Terms of interfaces that contain a word of another meaning, which is taken out before prose is read. */

/** LiteLLM adds the group of models that it asked, and those that it could have asked. */
const TRAILER = 'Model Group';
const TRAILERS = /(?:Received|Available) Model Group(?: Fallbacks)?=\S{0,200}/g;

/** A message is made of content blocks, and nobody blocked them. */
const CONTENT_BLOCK = /\bcontent[ _]?blocks?(?![a-z])/gi;

/** The name of one request says nothing about requests. */
const REQUEST_ID = /request[ _-]?id(?![a-z])/gi;

/** An access token opens an account; it is no right of access. */
const ACCESS_KEY = /access[ _-]?(?:token|key)s?(?![a-z])/gi;

/** A key of JSON opens nothing. */
const JSON_KEY =
  /\bkeys?\b(?<!\bmissing keys?)(?:(?<=\b(?:json|object|dict(?:ionary)?|yaml|logit_bias|mapping)\b[^.\n]{0,48})|(?=[^.\n]{0,24}\b(?:json|in (?:the )?(?:object|dict|options|body|payload)|at (?:line|position))))/gi;

export function withoutTerms(text: string): string {
  let plain = text.includes(TRAILER) ? text.replace(TRAILERS, ' ') : text;
  if (plain.includes('ontent')) plain = plain.replace(CONTENT_BLOCK, 'content part');
  if (plain.includes('equest')) plain = plain.replace(REQUEST_ID, 'id');
  if (plain.includes('key')) plain = plain.replace(JSON_KEY, 'entry');
  return plain.includes('ccess') ? plain.replace(ACCESS_KEY, 'credential') : plain;
}

/** The same for a code, whose words are joined by `_`. */
export function codeWithoutTerms(code: string): string {
  return code.includes('content_block') ? code.replace(CONTENT_BLOCK, 'content part') : code;
}
