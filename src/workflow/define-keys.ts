/** A workflow written in code as the document that a file would be: the same keys in snake_case. */

/** What the author's own data is; its keys are nobody's business. */
const OPAQUE: ReadonlySet<string> = new Set(
  `arguments values value env inputMapping outputTemplate metadata outputSchema headers body answer
   default enum input output state`.split(/\s+/),
);

/** Maps whose keys are names and whose values are written like everything else. */
const NAMED: ReadonlySet<string> = new Set(['mcpServers', 'toolSettings', 'simulate', 'pricing']);

export function toFileKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toFileKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [toSnake(key), toFileValue(key, inner)]),
  );
}

function toFileValue(key: string, value: unknown): unknown {
  if (OPAQUE.has(key)) return value;
  if (!NAMED.has(key) || typeof value !== 'object' || value === null) return toFileKeys(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, toFileKeys(inner)]),
  );
}

/** Whether what lies below this key is the author's own. */
export function isOpaque(key: string): boolean {
  return OPAQUE.has(key);
}

/** The key in code of a key in a file. */
export function toCamel(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function toSnake(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
