/**
 * Names whose value is a secret whatever it looks like: fields, headers, settings. And the same names
 * in running text, as `name: value`, `"name": "value"`, `NAME=value`.
 */
import { REDACTED } from './bounded-text.ts';

const MAX_NAME_CHARS = 64;

/** Whatever stands before these: `OPENAI_API_KEY`, `x-goog-api-key`, `dbPassword`. */
const SETTINGS =
  '(?:api|access|secret|private|signing|encryption|subscription)[-_. ]?key|(?:api|access|refresh|id|auth|bearer|session|security)[-_. ]?token|secret|password|passphrase';

/** Their values have spaces and punctuation inside and end with the line. */
const HEADERS = 'authorization|cookie';

/** These alone; `nextPageToken` is none. */
const WORDS = 'token|credentials?|passwd|pwd|access[-_. ]?key[-_. ]?id';

const SECRET = new RegExp(`(?:${SETTINGS}|${HEADERS}|^(?:${WORDS}))$`, 'i');

export function isSecretName(name: string): boolean {
  return name.length <= MAX_NAME_CHARS && SECRET.test(name);
}

/**
 * The same of what a person configures, where a shorter word is enough: `GITHUB_TOKEN`, `X-Vault-Token`,
 * `DB_PASS`. In data such a name may be anything, as `nextPageToken` is.
 */
export function isSecretSetting(name: string): boolean {
  return isSecretName(name) || (name.length <= MAX_NAME_CHARS && CONFIGURED.test(name));
}

const CONFIGURED =
  /(?:^|[-_.])(?:token|key|pass|passwd|pwd|pw|pat|pin|auth|authentication|credentials?|dsn|secrets?|signature|jwt)$/i;

export function redactAssignments(text: string): string {
  // one of the two is in every match, and most names and many sentences have neither
  if (!text.includes(':') && !text.includes('=')) return text;
  const shown = `$1$2${REDACTED}`;
  return text.replace(SETTING, shown).replace(HEADER, shown);
}

/** `name: value`, `"name": "value"`, `name => 'value'`; the quotes may be escaped. */
const QUOTE = '\\\\{0,4}["\'`]';
const SETTING = assignment(`${SETTINGS}|(?<![\\w.-])(?:${WORDS})`, '[^\\s"\'`<>&]+', '\\s');
const HEADER = assignment(HEADERS, '[^\\s"\'`<>{}][^\\n"\'`<>{}]*', '\\n');

/** Looks back from the first of the signs between name and value, because those are few. */
function assignment(names: string, bareValue: string, end: string): RegExp {
  const named = `(?<![:=][:=])(?<=(?:${names})(?:${QUOTE})?\\s{0,4}[:=])`;
  const sign = `[:=]${named}[:=]?>?\\s{0,4}`;
  // what is redacted already need not be replaced by itself
  const value = `(?!\\[redacted\\](?:["'\`${end}]|$))`;
  const quoted = `(${QUOTE})${value}(?:(?!\\2)[^\\n])+`;
  return new RegExp(`(${sign})(?:${quoted}|(?!${QUOTE})${value}${bareValue})`, 'gi');
}
