/**
 * In explicit mode a node sees the items of its `input` list: `a.output.x` shows that field and
 * nothing else of `a`, `a.output` shows the whole output. A `?` at the end of an item means that it
 * may be missing.
 */
import { isJsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { NodePlan } from './node-plan.ts';

/** A path inside the result of a node, such as `output.x`; empty for the whole result. */
type ResultPath = readonly string[];

/** The items that the node lists of another node's result. */
export function listedPaths({ input = [] }: NodePlan, name: string): readonly ResultPath[] {
  return input
    .map((item) => item.replace(/\?$/, '').split('.'))
    .filter(([root]) => root === name)
    .map(([, ...path]) => path);
}

/**
 * Whether the path leads to a listed item, or to something around one, which is then partly
 * visible.
 */
export function isListed(listed: readonly ResultPath[], path: ResultPath): boolean {
  return listed.some((each) =>
    each.every((step, index) => index >= path.length || step === path[index]),
  );
}

/** The listed part of a result. Only a map has parts: a list or a text is seen whole or not at all. */
export function listedPart(value: JsonValue, listed: readonly ResultPath[]): JsonValue {
  if (!isJsonObject(value) || listed.some(({ length }) => length === 0)) return value;
  const inside = Map.groupBy(listed, ([first = '']) => first);
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => {
      const paths = inside.get(key)?.map(([, ...rest]) => rest);
      return paths === undefined ? [] : [[key, listedPart(part, paths)]];
    }),
  );
}
