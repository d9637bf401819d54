/**
 * Prepares a plan for simulated models in place of its own: each output gets example values, so
 * that the models reply with values that the guards of the file tell apart. On each visit of a node
 * they reply with the next ones, so that loops end.
 */
import {
  isArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../errors/support/safe-json.ts';
import { comparisonsOf } from '../template/analyse/comparisons.ts';
import { parseExpression, parseTemplate } from '../template/template.ts';
import type { NodePlan } from './node-plan.ts';
import type { FilePlan } from './plan.ts';
import { isTemplate } from './model-names.ts';

/** Items of a list that says nothing about its length. */
const LEAST_ITEMS = 2;

export function playable(plan: FilePlan): FilePlan {
  const literals = literalsIn(plan);
  const withExamples = (node: NodePlan): NodePlan => {
    if (node.type === 'for_each') return { ...node, member: withExamples(node.member) };
    if (node.type !== 'agent' || node.outputSchema === undefined) return node;
    const outputSchema = exampled(node.outputSchema, (field) => [
      ...(literals.get(`${node.name}.output.${field}`) ?? []),
    ]);
    // the fingerprint stays: a run that goes from simulated to real models has not drifted
    return { ...node, outputSchema };
  };
  return { ...plan, nodes: plan.nodes.map(withExamples) };
}

function exampled(
  schema: JsonObject,
  literalsOf: (field: string) => readonly JsonValue[],
): JsonObject {
  const { properties } = schema;
  if (!isJsonObject(properties)) return schema;
  const fields = Object.entries(properties).map(([name, field]): [string, JsonValue] => [
    name,
    isJsonObject(field) ? fieldWith(field, literalsOf(name)) : field,
  ]);
  return { ...schema, properties: Object.fromEntries(fields) };
}

function fieldWith(field: JsonObject, literals: readonly JsonValue[]): JsonObject {
  if ('const' in field || 'examples' in field) return field;
  if (isArray(field['enum'])) return { ...field, examples: field['enum'] };
  switch (field['type']) {
    case 'boolean':
      return { ...field, examples: [true, false] };
    case 'array':
      return { ...field, items: field['items'] ?? { type: 'string' }, minItems: leastItems(field) };
    case 'object':
      return exampled(field, () => []);
    default:
      return literals.length === 0 ? field : { ...field, examples: [...literals] };
  }
}

function leastItems({ minItems, maxItems }: JsonObject): number {
  const least = typeof minItems === 'number' ? minItems : LEAST_ITEMS;
  return typeof maxItems === 'number' ? Math.min(least, maxItems) : least;
}

/** The literals that guards and assertions compare outputs with, by `node.output.field`. */
function literalsIn({ nodes }: FilePlan): ReadonlyMap<string, ReadonlySet<JsonValue>> {
  const found = new Map<string, Set<JsonValue>>();
  for (const node of nodes) {
    const guards = [
      ...node.routes.flatMap(({ when }) => (when === undefined ? [] : [when])),
      ...node.assert.map(({ that }) => that),
    ];
    for (const guard of guards) {
      const isBare = !isTemplate(guard);
      const parsed = isBare ? parseExpression(guard) : parseTemplate(guard);
      if (!parsed.ok) continue;
      for (const { path, value, against } of comparisonsOf(parsed.template.body)) {
        if (against === 'item' || isArray(value)) continue;
        const name = fieldName(path.map(String), node.name, isBare);
        const values = found.get(name) ?? new Set();
        for (const each of around(value)) values.add(each);
        found.set(name, values);
      }
    }
  }
  return found;
}

/** A number is compared by its order too, so both sides of it count. */
function around(value: JsonValue): readonly JsonValue[] {
  return typeof value === 'number' ? [value, value + 1, value - 1] : [value];
}

function fieldName(path: readonly string[], node: string, isBare: boolean): string {
  if (path[0] === 'output') return [node, ...path].join('.');
  return isBare && path.length === 1 ? [node, 'output', ...path].join('.') : path.join('.');
}
