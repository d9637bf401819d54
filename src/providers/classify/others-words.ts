/**
 * Takes out of a message what its server did not say about the failure: the path of an address, and a text of
 * the user that the server repeats after naming it (`prompt: "…"`). Names in quotes are `quoted-names.ts`.
 */

/** A page about limits is named after them, whatever the failure is. */
const PATH = /(https?:\/\/[^\s/"'<>()\\]{1,200})[/?#][^\s"'<>()\\]{0,2000}/gi;

/** Only a name of something that the user wrote: a `message` in quotes is often the upstream's own. */
const REPEATED =
  /\b((?:prompt|input|query|question|transcript|utterance|instructions?|search|user (?:message|text|said)|(?:input|prompt) text|tool (?:output|result|input)|file ?name|title|caption)s?(?: (?:was|is|of|text))?\s{0,2}[:=]?\s{0,2})(?:"([^"\n]{1,2000})"|“([^”\n]{1,2000})”|`([^`\n]{1,2000})`|'([^'\n]{1,2000})'(?!\w))/gi;

/** Servers repeat their sentences, above all while they fail. */
const REMEMBERED = new Map<string, string>();
const MAX_REMEMBERED = 512;
const MAX_CHARS = 1024;

export function withoutOthersWords(message: string): string {
  if (message.length > MAX_CHARS) return ownWords(message);
  const known = REMEMBERED.get(message);
  if (known !== undefined) return known;
  const own = ownWords(message);
  if (REMEMBERED.size >= MAX_REMEMBERED) REMEMBERED.clear();
  REMEMBERED.set(message, own);
  return own;
}

function ownWords(message: string): string {
  const spaced = SPACES.test(message) ? message.replace(ALL_SPACES, ' ') : message;
  const own = withoutLead(spaced.includes('://') ? spaced.replace(PATH, '$1') : spaced);
  return QUOTE.test(own) ? own.replace(REPEATED, withoutSentence) : own;
}

/** The AWS clients begin every refusal so: it is no fault of the server that an error occurred. */
const LEAD =
  /\bAn error occurred (?=\([\w.]{1,80}\) when calling the )|(?<=\([\w.]{1,80}\)) when calling the \w{1,60} operation\b/g;

function withoutLead(message: string): string {
  return message.includes(' when calling the ') ? message.replace(LEAD, '') : message;
}

/** However a message was set, its words are one space apart; lines stay, because they end sentences. */
const SPACES = /[^\S\n]{2}|[\u00a0\u2000-\u200a\u202f\u3000\t]/;
const ALL_SPACES = /[^\S\n]{1,200}/g;
const QUOTE = /["“`']/;

/** One word may be the field or the value that the server speaks of. */
function withoutSentence(all: string, label: string, ...quoted: readonly unknown[]): string {
  const text = quoted.slice(0, 4).find((part) => typeof part === 'string');
  return typeof text === 'string' && /\S\s+\S/.test(text) ? `${label}"…"` : all;
}
