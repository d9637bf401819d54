/** Resolves the escapes of a quoted text. */

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))/gs;

const MEANING: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '0': '\0',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '/': '/',
};

/** An unknown escape stays as written, as in Jinja: `\d` is for a regular expression. */
export function unescape(written: string): string {
  if (!written.includes('\\')) return written;
  return written.replace(
    ESCAPE,
    (whole, unit: string | undefined, byte: string | undefined, character = '') => {
      const code = unit ?? byte;
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      return MEANING[String(character)] ?? whole;
    },
  );
}
