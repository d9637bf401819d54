/**
 * Reads objects as other languages print them: `{'error': 'x', 'param': None}` of Python, `{"error" => "x"}`
 * of Ruby. Strings keep their text, whichever quotes they have; an ellipsis (`...`) is dropped.
 */
import { isPlainObject } from '../../errors/support/safe-json.ts';
import { parseJsonText } from '../json-text.ts';

const MAX_CHARS = 8192;
const PRINTED = /^\{\s{0,80}(?:'|"[^"]{0,80}"\s{0,4}(?:=>|:))/;

/** A string, a null or a boolean, an arrow, a bracket of a tuple, or an ellipsis. */
const TOKEN =
  /b?'(?:[^'\\]|\\[^])*'|"(?:[^"\\]|\\[^])*"|\b(?:None|nil|True|False)\b|=>|[()]|,?\s{0,4}\.\.\./g;

const AS_JSON: Readonly<Record<string, string>> = {
  None: 'null',
  nil: 'null',
  True: 'true',
  False: 'false',
  '=>': ':',
  '(': '[',
  ')': ']',
};

export function parsePrintedObject(text: string): unknown {
  if (text.length > MAX_CHARS || !PRINTED.test(text)) return undefined;
  const json = text.replace(TOKEN, asJson).replace(/,\s{0,8}(?=[\]}])/g, '');
  const parsed = parseJsonText(json);
  return isPlainObject(parsed) ? parsed : undefined;
}

function asJson(token: string): string {
  const quote = token.search(/['"]/);
  if (quote < 0) return AS_JSON[token] ?? '';
  return JSON.stringify(unescaped(token.slice(quote + 1, -1)));
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function unescaped(inner: string): string {
  if (!inner.includes('\\')) return inner;
  return inner.replace(/\\([^])/g, (whole, sign: string) => {
    if (/[nrt]/.test(sign)) return ESCAPES[sign] ?? whole;
    return /["'\\/]/.test(sign) ? sign : whole;
  });
}
