/**
 * Takes out of a message what its server did not say about the failure: the path of an address, a text of the user
 * that the server repeats after naming it (`prompt: "…"`), and what a client says around the reason of a fault.
 * Names in quotes are `quoted-names.ts`.
 */
import type { ProviderFailure } from '../provider-failure.ts';

/** A page about limits is named after them, whatever the failure is. */
const PATH = /(https?:\/\/[^\s/"'<>()\\]{1,200})[/?#][^\s"'<>()\\]{0,2000}/gi;

/** Only a name of something that the user wrote: a `message` in quotes is often the upstream's own. */
const REPEATED =
  /\b((?:prompt|input|query|question|transcript|utterance|instructions?|search|user (?:message|text|said)|(?:input|prompt) text|tool (?:output|result|input)|file ?name|title|caption)s?(?: (?:was|is|of|text))?\s{0,2}[:=]?\s{0,2})(?:"([^"\n]{1,2000})"|“([^”\n]{1,2000})”|`([^`\n]{1,2000})`|'([^'\n]{1,2000})'(?!\w))/gi;

export function withoutOthersWords(message: string): string {
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

/**
 * A WebSocket that was closed with a reason: `closed (code: 1008, reason: Invalid API key)`, `closed with code
 * 4401: Unauthorized`, or as Python prints it `received 1011 (internal error) The service is unavailable; then
 * sent 1011 …`. Applications have the codes from 4000, and 4401 is their 401.
 */
const CLOSE_REASON =
  /\bcode[:= ]{1,2}(?:1(?!00[01])\d|4\d)\d\d\b[^\w\n]{0,4}(?:and )?reason[:= ]{1,2}['"]?([^'"\n]{6,400})|\breceived (?:1(?!00[01])\d|4\d)\d\d \([a-z ]{4,30}\) ([^;\n]{6,400})|\bclosed\b.{0,20}\b4\d{3}\b[):,]{1,2} ([^\n]{6,400})/i;
const CLOSE_STATUS = /\b4(4\d\d)\b/;

/** `Could not connect. Underlying error: …`: the fault is the last that is named, by the name of its class. */
const CAUSE =
  /\b(?:(?:underlying|original|root|inner)[ _](?:error|exception|cause)|caused by):?\s{1,8}((?:[A-Z]\w{2,40}(?:Error|Exception)|connect E)[^]{4,2000})$/i;

/** The reason is what the server says; that the connection is closed is only how it was said. */
export function withReason(failure: ProviderFailure): ProviderFailure {
  const { transport } = failure;
  const cause = transport?.message === undefined ? null : CAUSE.exec(transport.message);
  if (cause?.[1] !== undefined && transport !== undefined)
    return withReason({ ...failure, transport: { ...transport, message: cause[1] } });
  const reason = transport?.message === undefined ? null : CLOSE_REASON.exec(transport.message);
  const said = reason?.slice(1).find((words) => words !== undefined);
  if (reason === null || said === undefined) return failure;
  const { transport: _closed, ...rest } = failure;
  const [, like] = CLOSE_STATUS.exec(reason[0]) ?? [];
  const status = failure.status ?? (like === undefined ? undefined : Number(like));
  const message = said.replace(/[)}\s]+$/, '');
  return { ...rest, ...(status === undefined ? {} : { status }), message };
}
