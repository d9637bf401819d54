/**
 * Finds comparisons with a value that can never occur: `output.label == 'buggy'` where the labels are
 * `bug` and `other`, or `exit_code == '0'`. Such a guard is valid, but it never holds.
 */
import { RUNTIME_KINDS } from '../../errors/catalog/catalog.ts';
import { isReservedKind } from '../../errors/catalog/kinds.ts';
import {
  isArray,
  isPlainObject,
  type JsonObject,
  type JsonValue,
} from '../../errors/support/safe-json.ts';
import { suggest } from '../../errors/support/suggest.ts';
import type { FilePlan } from '../plan/plan.ts';
import type { NodePlan } from '../plan/node-plan.ts';
import type { ReportProblem } from '../diagnostics/problem.ts';
import { comparisonsOf, type Comparison } from '../template/analyse/comparisons.ts';
import { describeValue, listed, quoted } from '../diagnostics/diagnostic-words.ts';
import type { Flow } from './flow-graph.ts';
import type { ReadSite, TemplateSite } from './template-sites.ts';

/** The possible values of a field, as far as the file declares them. */
interface Known {
  /** All possible values. */
  readonly values?: readonly JsonValue[];
  readonly types?: readonly string[];
  /** Possible values of the items of a list. */
  readonly items?: Known;
  /** A kind of failure: the catalog lists those under reserved prefixes, others belong to the file. */
  readonly isKind?: true;
}

/** Longer lists are not shown in messages. */
const MAX_LISTED = 12;

export function checkKnownValues(
  plan: FilePlan,
  flow: Flow,
  sites: readonly ReadSite[],
  report: ReportProblem,
): void {
  for (const { site, isBare, parsed } of sites) {
    if (!parsed.ok) continue;
    for (const comparison of comparisonsOf(parsed.template.body)) {
      const known = knownAt(comparison.path.map(String), { site, plan, flow, isBare });
      const held = comparison.against === 'item' ? known?.items : known;
      const problem = held === undefined ? undefined : problemOf(comparison, held);
      if (problem === undefined) continue;
      report({
        code: 'never-equal',
        severity: 'warning',
        kind: 'validation.template',
        path: site.path,
        within: { offset: comparison.offset, length: comparison.length },
        ...problem,
      });
    }
  }
}

interface Problem {
  readonly message: string;
  readonly expected?: string;
  readonly suggestion: string;
}

function problemOf(comparison: Comparison, known: Known): Problem | undefined {
  const { value, against, path } = comparison;
  // a comparison with null is a common way to handle missing values
  if (value === null || typeof value === 'object') return undefined;
  const name = quoted(path.join('.'));
  const subject = against === 'item' ? `An item of ${name}` : name;
  if (known.isKind === true) return kindProblem(value, subject);
  if (known.values !== undefined && !comparison.isOrder)
    return valueProblem(value, subject, known.values);
  if (known.types === undefined || known.types.some((type) => isOfType(value, type)))
    return undefined;
  return {
    message: `${subject} is ${listed(known.types.map(typeNoun), 'or')}, but this compares it with ${describeValue(value)}`,
    expected: listed(known.types.map(typeNoun), 'or'),
    suggestion: sameAs(value, known.types) ?? 'Compare it with a value of the same type',
  };
}

function valueProblem(
  value: string | number | boolean,
  subject: string,
  values: readonly JsonValue[],
): Problem | undefined {
  if (values.includes(value)) return undefined;
  const words = values.map((each) => literalOf(each));
  const all = listed(words.slice(0, MAX_LISTED).map(quoted), 'or');
  const texts = values.filter((each) => typeof each === 'string');
  const meant =
    values.find((each) => typeof each !== 'object' && String(each) === String(value)) ??
    suggest(String(value), texts) ??
    texts.find((each) => isBeginning(each, String(value)));
  return {
    message: `${subject} is never ${quoted(literalOf(value))}: it can only be ${all}`,
    expected: all,
    suggestion: meant === undefined ? `Use one of ${all}` : literalOf(meant),
  };
}

/** `buggy` is probably `bug`, and `bug` may be `bug_report`. */
function isBeginning(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 2 && long.toLowerCase().startsWith(short.toLowerCase());
}

function kindProblem(value: string | number | boolean, subject: string): Problem | undefined {
  if (typeof value === 'string') {
    const isKnown = RUNTIME_KINDS.some((kind) => kind === value);
    if (isKnown || !isReservedKind(value)) return undefined;
  }
  const meant = typeof value === 'string' ? suggest(value, RUNTIME_KINDS) : undefined;
  return {
    message: `${subject} is never ${quoted(literalOf(value))}: the catalog has no such kind`,
    expected: 'a kind of `errand explain --list`',
    suggestion: meant === undefined ? 'Use a kind of `errand explain --list`' : literalOf(meant),
  };
}

function literalOf(value: JsonValue): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

/** Suggests `0` for `'0'` where the type is a number. */
function sameAs(value: string | number | boolean, types: readonly string[]): string | undefined {
  if (typeof value !== 'string') return types.includes('string') ? `'${String(value)}'` : undefined;
  const isNumber = types.includes('number') || types.includes('integer');
  if (isNumber && /^-?\d+(\.\d+)?$/.test(value)) return value;
  const isFlag = types.includes('boolean') && /^(true|false)$/i.test(value);
  return isFlag ? value.toLowerCase() : undefined;
}

function isOfType(value: string | number | boolean, type: string): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type;
    case 'integer':
    case 'number':
      // true is 1 in templates
      return typeof value !== 'string';
    case 'null':
      return false;
    default:
      return type !== 'array' && type !== 'object';
  }
}

function typeNoun(type: string): string {
  switch (type) {
    case 'string':
      return 'a text';
    case 'integer':
    case 'number':
      return 'a number';
    case 'boolean':
      return '`true` or `false`';
    case 'array':
      return 'a list';
    case 'object':
      return 'a map';
    default:
      return `of type ${type}`;
  }
}

interface ReferenceSite {
  readonly site: TemplateSite;
  readonly plan: FilePlan;
  readonly flow: Flow;
  readonly isBare: boolean;
}

function knownAt(
  [root = '', ...rest]: readonly string[],
  { site, plan, flow, isBare }: ReferenceSite,
): Known | undefined {
  const { node, scope } = site;
  if (root === site.also) return undefined;
  if (scope === 'routes' && root === 'output') return node && outputAt(node, rest);
  if (scope === 'routes' && root === 'error') return reportAt(rest);
  if (root === 'failing') return rest[0] === 'error' ? reportAt(rest.slice(1)) : undefined;
  if (root === 'workflow') {
    const [property, name = '', ...fields] = rest;
    const input = Object.hasOwn(plan.input, name) ? plan.input[name] : undefined;
    return property === 'input' && input !== undefined ? schemaAt(input.schema, fields) : undefined;
  }
  const named = flow.nodes.get(root);
  if (named !== undefined) {
    const [property, ...fields] = rest;
    if (property === 'error') return reportAt(fields);
    return property === 'output' ? outputAt(named, fields) : undefined;
  }
  const isField = isBare && site.bare === 'fields' && node !== undefined;
  return isField && root !== 'state' && root !== 'attempt'
    ? outputAt(node, [root, ...rest])
    : undefined;
}

function reportAt([field, ...rest]: readonly string[]): Known | undefined {
  return field === 'kind' && rest.length === 0 ? { isKind: true } : undefined;
}

function outputAt(node: NodePlan, path: readonly string[]): Known | undefined {
  const [field] = path;
  switch (node.type) {
    case 'agent':
      if (node.outputSchema === undefined)
        return field === 'result' && path.length === 1 ? { types: ['string'] } : undefined;
      return schemaAt(node.outputSchema, path);
    case 'script':
      // the engine's own fields override fields of the script's output
      if (field === 'exit_code' && path.length === 1) return { types: ['integer'] };
      if ((field === 'stdout' || field === 'stderr') && path.length === 1)
        return { types: ['string'] };
      return schemaAt(node.outputSchema, path);
    case 'call':
    case 'tool':
    case 'transform':
      return schemaAt(node.outputSchema, path);
    case 'human_gate':
      return field === 'selected' && path.length === 1
        ? { values: node.options.map(({ value }) => value) }
        : undefined;
    case 'wait':
      return field === 'waited_seconds' && path.length === 1 ? { types: ['number'] } : undefined;
    case 'set':
    case 'workflow':
    case 'supervisor':
    case 'terminate':
    case 'parallel':
    case 'for_each':
      return undefined;
  }
}

/** Reads plain schemas only; a composed schema may allow anything. */
function schemaAt(schema: unknown, path: readonly string[]): Known | undefined {
  if (!isPlainObject(schema)) return undefined;
  if (['anyOf', 'oneOf', 'allOf', '$ref', 'not', 'if'].some((key) => schema[key] !== undefined))
    return undefined;
  const [key, ...rest] = path;
  if (key === undefined) return knownOf(schema);
  if (/^\d+$/.test(key) && schema['items'] !== undefined) return schemaAt(schema['items'], rest);
  const { properties } = schema;
  return isPlainObject(properties) && Object.hasOwn(properties, key)
    ? schemaAt(properties[key], rest)
    : undefined;
}

function knownOf(schema: Readonly<Record<string, unknown>>): Known | undefined {
  // a schema contains only JSON, though its type does not say so
  const { type, const: only, enum: values } = schema as JsonObject;
  const items = schemaAt(schema['items'], []);
  const types = [type ?? []].flat().filter((each) => typeof each === 'string');
  return {
    ...(isArray(values) ? { values } : {}),
    ...(only === undefined ? {} : { values: [only] }),
    ...(types.length === 0 ? {} : { types }),
    ...(items === undefined ? {} : { items }),
  };
}
