/** Access to fields and indexes. Reads own properties only; anything else is `Missing`. */
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import type { Link, PathNode } from '../parse/ast.ts';
import { missing, notThere, type Missing, type Value } from './missing.ts';
import { chargeText, excerpt, fail, type Evaluation } from './evaluation.ts';
import { METHODS } from './methods.ts';
import { aType, charactersOf, hasPairs, isList, isObject, toKey } from './values.ts';

/** The item or field, or undefined. */
export function read(run: Evaluation, value: JsonValue, key: JsonValue): JsonValue | undefined {
  if (isObject(value)) {
    const name = toKey(key);
    return name !== undefined && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  if (typeof key !== 'number' || !Number.isInteger(key)) return undefined;
  if (isList(value)) return value.at(key);
  return typeof value === 'string' ? characterAt(run, value, key) : undefined;
}

/** `a.b.0`, as in `map(attribute='a.b.0')`, starting at an item of a list. */
export function readAttribute(run: Evaluation, item: JsonValue, attribute: JsonValue): Value {
  const path = toKey(attribute) ?? fail(run, `\`attribute\` cannot be ${aType(attribute)}`);
  const { at } = run;
  chargeText(run, path.length);
  let value: JsonValue = item;
  for (const key of path.split('.')) {
    const base: JsonValue = value;
    const next = read(run, base, isList(base) && /^-?\d+$/.test(key) ? Number(key) : key);
    if (next === undefined) return missing(at, () => missingAttribute(run, base, [path, key]));
    value = next;
  }
  return value;
}

/** Explains why a step of a path does not exist. */
export function missingLink(run: Evaluation, path: PathNode, link: Link, base: JsonValue): Missing {
  const at = { offset: path.offset, length: link.offset + link.length - path.offset };
  return missing(at, () => {
    const whole = excerpt(run, at);
    if (link.kind !== 'field') return `\`${whole}\` does not exist`;
    if (isObject(base)) return absent(base, whole, String(link.key));
    const before = excerpt(run, { offset: path.offset, length: link.offset - path.offset });
    const method = METHODS.has(String(link.key)) ? `; did you mean \`${link.key}()\`?` : '';
    return `\`${before}\` is ${aType(base)}, so \`${whole}\` does not exist${method}`;
  });
}

/** An attribute that is not in the source comes from a value, which messages never quote. */
function missingAttribute(
  run: Evaluation,
  base: JsonValue,
  [path, key]: readonly [string, string],
): string {
  return run.source.includes(path) ? absent(base, path, key) : 'The attribute does not exist';
}

function characterAt(run: Evaluation, text: string, index: number): string | undefined {
  return hasPairs(run, text) ? charactersOf(run, text).at(index) : text.at(index);
}

function absent(base: JsonValue, path: string, wanted: string): string {
  if (isObject(base)) return notThere(path, wanted, Object.keys(base));
  return `\`${path}\` does not exist: the value is ${aType(base)}`;
}
