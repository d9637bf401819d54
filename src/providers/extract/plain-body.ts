/**
 * Copies a body, which may be a live object of the caller. Nobody can change or trap the copy. Its
 * limit is far above what classification reads. Each failure makes one, so it must be cheap.
 */
import { isArray, keysOf, readProperty } from '../../errors/support/safe-json.ts';

const MAX_DEPTH = 24;
const MAX_NODES = 4096;
const MAX_STRING_CHARS = 64 * 1024;

interface Budget {
  nodes: number;
}

export function plainBody(body: unknown): unknown {
  return copy(body, 0, { nodes: MAX_NODES });
}

function copy(value: unknown, depth: number, budget: Budget): unknown {
  budget.nodes--;
  switch (typeof value) {
    case 'string':
      return value.length > MAX_STRING_CHARS ? value.slice(0, MAX_STRING_CHARS) : value;
    case 'number':
    case 'boolean':
      return value;
    case 'object':
      break;
    default:
      // JSON has no other types
      return undefined;
  }
  if (value === null) return null;
  if (depth >= MAX_DEPTH) return undefined;
  return isArray(value) ? copyList(value, depth, budget) : copyObject(value, depth, budget);
}

function copyList(list: readonly unknown[], depth: number, budget: Budget): unknown[] {
  const length = readProperty(list, 'length');
  const copied: unknown[] = [];
  for (let index = 0; index < Number(length) && budget.nodes > 0; index++) {
    copied.push(copy(readProperty(list, index), depth + 1, budget) ?? null);
  }
  return copied;
}

function copyObject(value: object, depth: number, budget: Budget): Record<string, unknown> {
  const copied: Record<string, unknown> = {};
  for (const key of keysOf(value)) {
    if (budget.nodes <= 0) break;
    const item = copy(readProperty(value, key), depth + 1, budget);
    // the one name that would not become a property
    if (item !== undefined && key !== '__proto__') copied[key] = item;
  }
  return copied;
}
