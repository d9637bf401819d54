/**
 * Names of fields, headers and settings whose value is always a secret, and the same names in running
 * text: `name: value`, `"name": "value"`, `NAME=value`.
 */
import { REDACTED } from '../report/bounded-text.ts';
import type { Range } from './text-decodings.ts';
import { asSeen } from './seen-text.ts';

const MAX_NAME_CHARS = 64;

/** With any prefix: `OPENAI_API_KEY`, `x-goog-api-key`, `dbPassword`. */
const SETTINGS =
  '(?:api|access|secret|private|signing|encryption|subscription)[-_. ]?key|(?:api|access|refresh|id|auth|bearer|session|security)[-_. ]?token|secret|password|passphrase';

/** Their values have spaces and punctuation inside and end with the line. */
const HEADERS = 'authorization|cookie';

/** Without a prefix: `nextPageToken` is not a secret. */
const WORDS = 'token|credentials?|passwd|pwd|access[-_. ]?key[-_. ]?id';

const SECRET = new RegExp(`(?:${SETTINGS}|${HEADERS}|^(?:${WORDS}))$`, 'i');

export function isSecretName(name: string): boolean {
  const seen = asSeen(name);
  return seen.length <= MAX_NAME_CHARS && SECRET.test(seen);
}

/**
 * True for the name of a setting whose value is a secret. Here a shorter word is enough: `GITHUB_TOKEN`,
 * `X-Vault-Token`, `DB_PASS`. In data such a name may be anything, as `nextPageToken` is.
 */
export function isSecretSetting(name: string): boolean {
  return isSecretName(name) || (name.length <= MAX_NAME_CHARS && CONFIGURED.test(name));
}

const CONFIGURED =
  /(?:^|[-_.])(?:token|key|pass|passwd|pwd|pw|pat|pin|auth|authentication|credentials?|dsn|secrets?|signature|jwt)$/i;

export function redactAssignments(text: string): string {
  // every match contains one of the two; most names and many sentences contain neither
  if (!text.includes(':') && !text.includes('=')) return text;
  const shown = `$1$2${REDACTED}`;
  return text.replace(SETTING, shown).replace(HEADER, shown);
}

/** Finds the values that `redactAssignments` replaces. */
export function assignedIn(text: string): readonly Range[] {
  return [SETTING, HEADER].flatMap((pattern) =>
    Array.from(text.matchAll(pattern), ({ 0: all, 1: sign = '', 2: quote = '', index }): Range => [
      index + sign.length + quote.length,
      index + all.length,
    ]),
  );
}

/** `name: value`, `"name": "value"`, `name => 'value'`; the quotes may be escaped. */
const QUOTE = '\\\\{0,4}["\'`]';
const SETTING = assignment(`${SETTINGS}|(?<![\\w.-])(?:${WORDS})`, '[^\\s"\'`<>&]+', '\\s');
const HEADER = assignment(HEADERS, '[^\\s"\'`<>{}][^\\n"\'`<>{}]*', '\\n');

/** Starts at the sign between name and value and looks back, because signs are few. */
function assignment(names: string, bareValue: string, end: string): RegExp {
  const named = `(?<![:=][:=])(?<=(?:${names})(?:${QUOTE})?\\s{0,4}[:=])`;
  const sign = `[:=]${named}[:=]?>?\\s{0,4}`;
  // skips a value that is redacted already, and the default in our own advice: `${API_KEY:-default}`
  const value = `(?!(?:\\[redacted\\]|-default\\})(?:["'\`${end}]|$))`;
  const quoted = `(${QUOTE})${value}(?:(?!\\2)[^\\n])+`;
  return new RegExp(`(${sign})(?:${quoted}|(?!${QUOTE})${value}${bareValue})`, 'gi');
}
