/** Keys of a workflow in code and in a file: camelCase and snake_case. */

/** Keys whose values are the author's own data and are not converted. */
const OPAQUE: ReadonlySet<string> = new Set(
  `arguments values value env inputMapping outputTemplate metadata outputSchema headers body answer
   default enum input output state`.split(/\s+/),
);

/** Maps with names as keys, and converted values. */
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

/** Whether the value of this key is the author's own data. */
export function isOpaque(key: string): boolean {
  return OPAQUE.has(key);
}

/** Converts a key of a file to a key in code. */
export function toCamel(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function toSnake(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
