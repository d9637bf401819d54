import { isArray, type JsonValue } from './safe-json.ts';

/** Copies JSON for a caller that may change it. */
export function copyJson(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return value.map(copyJson);
  const copied: Record<string, JsonValue> = {};
  for (const [key, item] of Object.entries(value)) setOwn(copied, key, copyJson(item));
  return copied;
}

/** Treats a key such as `__proto__` like any other. */
function setOwn(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  else object[key] = value;
}
