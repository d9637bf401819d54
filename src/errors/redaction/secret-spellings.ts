/**
 * Spellings of a secret: as written, in an address, in JSON, on one line, in part, in base64 and in hex, of
 * UTF-8 and of UTF-16.
 * Base64 writes three bytes as four characters, so the form inside a longer text depends on the number of
 * bytes before it: the same secret has three forms.
 */
import { numberSpellings } from './number-spellings.ts';
import { printable, singleLine } from '../support/printable.ts';

/** A longer value is also searched for in pieces, because a cut text may have only a part of it. */
const PIECE_CHARS = 512;

/** A shorter text in base64 or hex occurs by chance. */
const MIN_ENCODED_CHARS = 8;

export function spellingsOf(value: string): readonly string[] {
  // a lone surrogate cannot be encoded
  const encoded = encodeURIComponent(value.toWellFormed());
  const escaped = JSON.stringify(value).slice(1, -1);
  const lowered = encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const clean = printable(value);
  return [
    value,
    clean,
    singleLine(clean),
    encoded,
    lowered,
    encoded.replaceAll('%20', '+'),
    // a form field whose other characters were decoded
    value.replaceAll(' ', '+'),
    escaped,
    JSON.stringify(escaped).slice(1, -1),
    ...numberSpellings(value),
    ...inOneCase(value),
    ...quotedForms(value),
    ...echoedForms(value),
  ].flatMap(withPieces);
}

/** The signs that `printf %q` of bash escapes inside a word. */
const SHELL_SIGNS = /[ !"$&'()*,;<>?[\\\]^`{|}]/g;

/**
 * Between quotes: as `set -x` and Python's `shlex` write them, word by word, as Python shows a text, as
 * `declare -p` of bash lists a variable, and with the quotes doubled (YAML, SQL, CSV).
 */
function quotedForms(value: string): readonly string[] {
  const forms = [
    value.replaceAll("'", String.raw`'\''`),
    value.replaceAll("'", `'"'"'`),
    value.replace(SHELL_SIGNS, String.raw`\$&`),
    value.replace(/['\\]/g, String.raw`\$&`),
    value.replace(/["$`\\]/g, String.raw`\$&`),
    value.replaceAll("'", "''"),
    value.replaceAll('"', '""'),
  ];
  return forms.filter((form) => form !== value);
}

const ECHOED: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

/** As `echo` of a shell prints a value with backslashes. */
function echoedForms(value: string): readonly string[] {
  const echoed = value.replace(
    /\\(?:0([0-7]{1,3})|([abfnrtv\\]))/g,
    (whole, octal: string | undefined, sign: string) =>
      octal === undefined
        ? (ECHOED[sign] ?? whole)
        : String.fromCharCode(Number.parseInt(octal, 8) % 256),
  );
  if (echoed === value) return [];
  const clean = printable(echoed);
  return [echoed, clean, singleLine(clean)];
}

/** A shorter value in small letters may be a word. */
const MIN_CASED_CHARS = 12;

/** Names of hosts and of kinds have small letters only, and tables of headers capitals. */
function inOneCase(value: string): readonly string[] {
  return value.length < MIN_CASED_CHARS ? [] : [value.toLowerCase(), value.toUpperCase()];
}

/** Programs break these into lines, so they are searched for across line breaks too. */
export function encodingsOf(value: string): readonly string[] {
  const bytes = [...encodedTexts(value).map(utf8Of), utf16Of(value)];
  return [...bytes.flatMap(bytesEncoded), ...base64Twice(utf8Of(value))]
    .filter((text) => text.length >= MIN_ENCODED_CHARS)
    .flatMap(withPieces);
}

/** Programs encode the secret itself, a document of JSON with it (a JWT), or a form. */
function encodedTexts(value: string): readonly string[] {
  const inJson = JSON.stringify(value).slice(1, -1);
  const inAscii = inJson.replace(
    /[^\0-\x7f]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const inForm = encodeURIComponent(value.toWellFormed());
  return [...new Set([value, inJson, inAscii, inForm, inForm.replaceAll('%20', '+')])];
}

function bytesEncoded(bytes: readonly number[]): readonly string[] {
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const base64 = [0, 1, 2].map((before) => base64Within(bytes, before));
  const urlSafe = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [hex, hex.toUpperCase(), ...base64, ...urlSafe];
}

/** Kubernetes keeps in base64 what Docker has written in it. */
function base64Twice(bytes: readonly number[]): readonly string[] {
  const places = [0, 1, 2];
  return places.flatMap((inside) => {
    const once = utf8Of(base64Within(bytes, inside));
    return places.map((before) => base64Within(once, before));
  });
}

function withPieces(value: string): string[] {
  if (value.length <= PIECE_CHARS) return [value];
  const count = Math.floor(value.length / PIECE_CHARS);
  const pieces = Array.from({ length: count }, (_, index) =>
    value.slice(index * PIECE_CHARS, (index + 1) * PIECE_CHARS),
  );
  return [value, ...pieces];
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Leaves out the characters that also depend on the bytes before or after the secret. */
function base64Within(secret: readonly number[], before: number): string {
  const bytes = [...Array.from({ length: before }, () => 0), ...secret];
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second = 0, third = 0] = bytes.slice(at, at + 3);
    const bits = first * 65_536 + second * 256 + third;
    for (const shift of [262_144, 4096, 64, 1]) text += BASE64[Math.floor(bits / shift) % 64] ?? '';
  }
  const wholeChars = Math.floor((bytes.length * 8) / 6);
  return text.slice(Math.ceil((before * 8) / 6), wholeChars);
}

function utf8Of(text: string): number[] {
  const encoded = encodeURIComponent(text.toWellFormed());
  return Array.from(encoded.matchAll(/%([0-9A-F]{2})|./g), ([whole, code]) =>
    code === undefined ? whole.charCodeAt(0) : Number.parseInt(code, 16),
  );
}

/** As programs of Windows write it. Without the last byte, which is 0 for ASCII, both byte orders have it. */
function utf16Of(text: string): number[] {
  const bytes = text.split('').flatMap((unit) => {
    const code = unit.charCodeAt(0);
    return [code % 256, Math.floor(code / 256)];
  });
  return bytes.slice(0, -1);
}
