/**
 * Names whose value is a secret whatever it looks like: fields, headers, settings, parameters. And
 * the same names in running text, as `name: value`, `"name": "value"`, `NAME=value`.
 */
import { ELLIPSIS, REDACTED } from './bounded-text.ts';

const MAX_NAME_CHARS = 64;

/** Whatever stands before these: `OPENAI_API_KEY`, `x-goog-api-key`, `dbPassword`. */
const ENDINGS = `apikey accesskey secretkey privatekey signingkey encryptionkey subscriptionkey
  apitoken accesstoken refreshtoken idtoken authtoken bearertoken sessiontoken securitytoken
  secret password passphrase authorization cookie`;

/** These alone; `nextPageToken` is none. */
const WHOLE = 'token credentials? passwd pwd accesskeyid';

const SECRET = new RegExp(`(?:${alternatives(ENDINGS)}|^(?:${alternatives(WHOLE)}))$`);

/** In an address even short names are telling. */
const PARAMETERS = new RegExp(
  `^(?:${alternatives('key sig signature auth code awsaccesskeyid')}|x(?:amz|goog)(?:signature|credential))$`,
);

/** Their values have spaces and punctuation inside and end with the line. */
const HEADER = /(?:authorization|cookie)$/;

export function isSecretName(name: string): boolean {
  return name.length <= MAX_NAME_CHARS && SECRET.test(withoutPunctuation(name));
}

export function isSecretParameter(name: string): boolean {
  return PARAMETERS.test(withoutPunctuation(name)) || isSecretName(name);
}

function alternatives(words: string): string {
  return words.trim().split(/\s+/).join('|');
}

function withoutPunctuation(name: string): string {
  return name.replace(/[-_. ]/g, '').toLowerCase();
}

/** Only the name and what follows it; a value may hold the next name. Quotes may be escaped. */
const ASSIGNMENT =
  /(?<![\w.-])((?:api|access|secret|private) key|[a-z][\w.-]{1,63})\\{0,4}["'`]?\s{0,4}[:=]{1,2}>?\s{0,4}/gi;

/** The mark of a cut is no part of what was cut. */
const GOES_ON = `(?!${ELLIPSIS}$)`;
const QUOTED = new RegExp(`(\\\\{0,4}["'\`])(?:(?!\\1)${GOES_ON}[^\\n])+`, 'y');
const UNQUOTED = `(?!\\\\{0,4}["'\`])`;
const BARE = new RegExp(`${UNQUOTED}(?:${GOES_ON}[^\\s"'\`<>&])+`, 'y');
const BARE_HEADER = new RegExp(`${UNQUOTED}(?:${GOES_ON}[^\\n"'\`<>{}])+`, 'y');

export function redactAssignments(text: string): string {
  let shown = '';
  let from = 0;
  ASSIGNMENT.lastIndex = 0;
  for (let match = ASSIGNMENT.exec(text); match !== null; match = ASSIGNMENT.exec(text)) {
    const [assignment, name = ''] = match;
    if (!isSecretName(name)) continue;
    const start = match.index + assignment.length;
    const value = matchAt(QUOTED, text, start) ?? matchAt(bareValue(name), text, start);
    if (value === undefined) continue;
    shown += text.slice(from, start) + (value[1] ?? '') + REDACTED;
    from = start + value[0].length;
    ASSIGNMENT.lastIndex = from;
  }
  return shown + text.slice(from);
}

function bareValue(name: string): RegExp {
  return HEADER.test(withoutPunctuation(name)) ? BARE_HEADER : BARE;
}

function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | undefined {
  pattern.lastIndex = index;
  return pattern.exec(text) ?? undefined;
}
