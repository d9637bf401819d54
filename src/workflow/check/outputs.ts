/** The known fields of a node's output; undefined where it may have any. */
import {
  isArray,
  isPlainObject,
  type JsonObject,
  type JsonValue,
} from '../../errors/support/safe-json.ts';
import { allNodes } from '../plan/node-list.ts';
import type { FilePlan } from '../plan/plan.ts';
import type { NodePlan } from '../plan/node-plan.ts';
import type { Problem } from '../diagnostics/problem.ts';
import { quoted } from '../diagnostics/diagnostic-words.ts';
import type { Reference } from '../template/analyse/template-references.ts';

const SCRIPT_FIELDS = ['stdout', 'stderr', 'exit_code'];
const QUESTIONS_FIELDS = [
  'selected',
  'answers',
  'items',
  'transcript',
  'answered_count',
  'skipped_count',
  'answered_any',
  'outcome',
];

export type ChildOf = (file: string) => FilePlan | undefined;

export function outputFields(node: NodePlan, childOf: ChildOf): readonly string[] | undefined {
  switch (node.type) {
    case 'agent': {
      const declared = schemaFields(node.outputSchema);
      const bare = node.outputSchema === undefined ? ['result'] : declared;
      return bare === undefined ? undefined : [...new Set([...bare, 'result', 'partial'])];
    }
    case 'script': {
      const declared = schemaFields(node.outputSchema);
      return declared === undefined ? undefined : [...declared, ...SCRIPT_FIELDS];
    }
    case 'call':
    case 'tool':
    case 'transform':
      return schemaFields(node.outputSchema);
    case 'set':
      return node.values === undefined ? valueFields(node.value) : Object.keys(node.values);
    case 'wait':
      return ['waited_seconds'];
    case 'human_gate':
      return node.questions === undefined ? ['selected', 'additional_input'] : QUESTIONS_FIELDS;
    case 'supervisor':
      return ['rounds', 'last', 'outputs', 'reason'];
    case 'workflow':
      return childFields(childOf(node.workflow));
    case 'parallel':
    case 'for_each':
      return ['outputs', 'errors'];
    case 'terminate':
      return undefined;
  }
}

/** A termination in the child gives its own template instead of the `output` of the file. */
function childFields(child: FilePlan | undefined): readonly string[] | undefined {
  if (child?.output === undefined) return undefined;
  const ends = allNodes(child).map((node) =>
    node.type === 'terminate' ? Object.keys(node.outputTemplate ?? {}) : [],
  );
  return [...new Set([...Object.keys(child.output), ...ends.flat()])];
}

/** Names the type of an output field that is known not to be an object or a list. */
function plainField(node: NodePlan, field: string): string | undefined {
  if (node.type === 'human_gate') return GATE_FIELDS.get(field);
  if (!('outputSchema' in node)) return undefined;
  const properties = node.outputSchema?.['properties'];
  const schema = isPlainObject(properties) ? properties[field] : undefined;
  const type = isPlainObject(schema) ? schema['type'] : undefined;
  return typeof type === 'string' ? PLAIN_TYPES.get(type) : undefined;
}

const GATE_FIELDS: ReadonlyMap<string, string> = new Map([
  ['selected', 'the value of an option'],
  ['additional_input', 'text'],
]);

const PLAIN_TYPES: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['number', 'a number'],
  ['integer', 'a number'],
  ['boolean', 'true or false'],
]);

/** A text may be a template, or be parsed as JSON; a list has items, which are read by number. */
function valueFields(value: JsonValue | undefined): readonly string[] | undefined {
  if (value === undefined || typeof value === 'string' || isArray(value)) return undefined;
  return isPlainObject(value) ? Object.keys(value) : [];
}

/** The properties of an object schema that allows no others. */
function schemaFields(schema: JsonObject | undefined): readonly string[] | undefined {
  const properties = schema?.['properties'];
  if (!isPlainObject(properties) || isOpen(schema)) return undefined;
  return Object.keys(properties);
}

function isOpen(schema: JsonObject | undefined): boolean {
  const more = schema?.['additionalProperties'];
  const hasMore = more === true || isPlainObject(more);
  const isComposed = ['anyOf', 'oneOf', 'allOf', 'patternProperties', '$ref'].some(
    (key) => schema?.[key] !== undefined,
  );
  return hasMore || isComposed || isArray(schema);
}

/** A text, a number or a boolean has no fields, even with a `default` after it. */
export function insideProblem(
  node: NodePlan,
  owner: string,
  {
    field,
    inside: [inner, ...more],
    reference,
  }: {
    readonly field: string | undefined;
    readonly inside: readonly string[];
    readonly reference: Reference;
  },
): Omit<Problem, 'path'> | undefined {
  const plain = field === undefined ? undefined : plainField(node, field);
  if (field === undefined || plain === undefined || inner === undefined) return undefined;
  const isMethod = reference.isCall && more.length === 0;
  if (isMethod || /^-?\d+$/.test(inner)) return undefined;
  const whole = `${owner}.${field}`;
  return {
    code: 'unknown-field',
    message: `${quoted(whole)} is ${plain}, so it has no ${quoted(inner)}`,
    suggestion: whole,
  };
}
