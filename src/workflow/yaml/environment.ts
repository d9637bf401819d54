/**
 * `${VAR}` and `${VAR:-default}` in texts. Names are upper case, so that a shell's `${i}` and
 * JavaScript's `${input.x}` are left alone. So are variables that get their values when a script runs:
 * from Errand (`ERRAND_ATTEMPT` and others), from its node's `env`, or in the text itself. `$${VAR}` is
 * the literal text `${VAR}`.
 */
import type { Environment } from './file-port.ts';

/** Variables that a shell script sets itself: `N=1`, `for N in`, `read -r N`. */
const ASSIGNMENT =
  /(?:^|[\s;&|({])(?:([A-Z_][A-Z0-9_]*)=|for\s+([A-Z_][A-Z0-9_]*)\s+in\b|read\s+(?:-\w+\s+)*([A-Z_][A-Z0-9_]*))/g;
const REFERENCE =
  /(?<!\$)\$\{(?!ERRAND_(?:ERROR_OUT|ATTEMPT|RUN|NODE|IDEMPOTENCY_KEY)(?:\}|:-)|CONDUCTOR_)([A-Z_][A-Z0-9_]*)(?::-([^}]*))?\}/g;
const ESCAPED = /\$\$\{/g;

const MAX_DEPTH = 10;
/** Values that name each other several times grow without a cycle. */
const MAX_CHARS = 100_000;

export interface Expansion {
  readonly text: string;
  /** Variables that are not set and have no default; they stay in the text. */
  readonly missing: readonly string[];
  /** If substitution does not end: a variable that still remains, and the reason. */
  readonly unresolved?: { readonly name: string; readonly why: string };
}

export function expandEnvironment(
  text: string,
  environment: Environment,
  alsoAssigned: ReadonlySet<string> = new Set(),
): Expansion {
  if (!text.includes('${')) return { text, missing: [] };
  const missing = new Set<string>();
  const left = new Set([...alsoAssigned, ...assignedIn(text)]);
  let expanded = text;
  let depth = 0;
  for (;;) {
    const name = nextReference(expanded, missing, left);
    if (name === undefined) break;
    const isTooLong = expanded.length > text.length + MAX_CHARS;
    if (isTooLong || depth++ === MAX_DEPTH) {
      const why = isTooLong
        ? `expand to more than ${MAX_CHARS} characters`
        : `refer to each other more than ${MAX_DEPTH} deep`;
      return { text, missing: [], unresolved: { name, why } };
    }
    expanded = expanded.replace(REFERENCE, (whole, name: string, fallback: string | undefined) => {
      if (left.has(name)) return whole;
      const value = lookUp(environment, name) ?? fallback;
      if (value === undefined) missing.add(name);
      return value ?? whole;
    });
  }
  return { text: expanded.replace(ESCAPED, '${'), missing: [...missing] };
}

export function refersToVariable(text: string): boolean {
  return text.search(REFERENCE) >= 0;
}

/** The variables that a text uses, directly or through values of others, with their values. */
export function filledFrom(
  text: string,
  environment: Environment,
  alsoAssigned: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const left = new Set([...alsoAssigned, ...assignedIn(text)]);
  const open = [text];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [, name = '', fallback = ''] of next.matchAll(REFERENCE)) {
      if (found.has(name) || left.has(name)) continue;
      const value = lookUp(environment, name);
      if (value !== undefined) found.set(name, value);
      // a reference inside of a default ends at the first brace
      open.push(value ?? `${fallback}}`);
    }
  }
  return found;
}

function nextReference(
  text: string,
  missing: ReadonlySet<string>,
  left: ReadonlySet<string>,
): string | undefined {
  const names = Array.from(text.matchAll(REFERENCE), ([, name = '']) => name);
  return names.find((name) => !missing.has(name) && !left.has(name));
}

function assignedIn(text: string): string[] {
  return [...text.matchAll(ASSIGNMENT)].map(([, set, looped, read]) => set ?? looped ?? read ?? '');
}

function lookUp(environment: Environment, name: string): string | undefined {
  return Object.hasOwn(environment, name) ? environment[name] : undefined;
}
