/**
 * What a `workflow` node hands to its child, against what the child declares: a name that is missing,
 * unknown or of another form would fail the node each time it runs.
 */
import { isArray, isJsonObject, type JsonObject, type JsonValue } from '../../errors/json.ts';
import { suggest } from '../../errors/suggest.ts';
import { allNodes } from '../all-nodes.ts';
import { fitsType } from '../fields.ts';
import type { FilePlan, InputField } from '../model.ts';
import { isTemplate } from '../models.ts';
import type { ChildPlan } from '../node-model.ts';
import { fromPointer, type Path } from '../path.ts';
import type { Report } from '../problem.ts';
import { scopeOf } from '../template/scope.ts';
import { evaluateTemplate, parseTemplate } from '../template/template.ts';
import { checkValue } from '../value-check.ts';
import { describeValue, listed, quoted } from '../words.ts';
import type { ChildOf } from './outputs.ts';

export function checkChildInputs(plan: FilePlan, childOf: ChildOf, report: Report): void {
  for (const node of allNodes(plan)) {
    const child = node.type === 'workflow' ? childOf(node.workflow) : undefined;
    if (node.type !== 'workflow' || child === undefined) continue;
    if (node.inputMapping === undefined) checkHandedOn(node, plan, child, report);
    else checkMapping(node, node.inputMapping, child, report);
  }
}

function checkMapping(node: ChildPlan, mapping: JsonObject, child: FilePlan, report: Report): void {
  const path = [...fromPointer(node.location.pointer), 'input_mapping'];
  const known = Object.keys(child.input);
  const unknown = Object.keys(mapping).filter((name) => !Object.hasOwn(child.input, name));
  const meant = new Set<string>();
  for (const name of unknown) {
    const suggestion = suggest(name, known);
    if (suggestion !== undefined) meant.add(suggestion);
    report({
      code: 'unknown-input',
      message: `The workflow ${quoted(child.name)} has no input ${quoted(name)}`,
      path: [...path, name],
      at: 'key',
      expected: known.length === 0 ? 'nothing, because it declares no input' : listed(known, 'or'),
      suggestion: suggestion ?? `Remove it, or declare it in ${quoted(child.file)}`,
    });
  }
  for (const [name, field] of Object.entries(child.input)) {
    const value = Object.hasOwn(mapping, name) ? mapping[name] : undefined;
    if (value !== undefined)
      checkGiven(name, value, field, { child, path: [...path, name], report });
    // a misspelt name has been told as such
    else if (field.required && !meant.has(name)) report(missing(name, field, child, path));
  }
}

/** Without a mapping the child gets the inputs of its caller, and may not look at some of them. */
function checkHandedOn(node: ChildPlan, plan: FilePlan, child: FilePlan, report: Report): void {
  const path = [...fromPointer(node.location.pointer), 'workflow'];
  for (const [name, field] of Object.entries(child.input)) {
    const own = Object.hasOwn(plan.input, name) ? plan.input[name] : undefined;
    if (own === undefined) {
      if (field.required) report(missing(name, field, child, path));
    } else if (own.type !== field.type && !(own.type === 'integer' && field.type === 'number')) {
      report({
        code: 'bad-input',
        message: `The input ${quoted(name)} is of type ${field.type} in ${quoted(child.name)}, and here of type ${own.type}`,
        path,
        suggestion: 'Declare the same type in both, or convert it in `input_mapping`',
      });
    }
  }
}

function missing(
  name: string,
  { type }: InputField,
  child: FilePlan,
  path: Path,
): Parameters<Report>[0] {
  return {
    code: 'missing-input',
    message: `The workflow ${quoted(child.name)} needs the input ${quoted(name)}`,
    path,
    at: 'key',
    expected: `a value of type ${type}`,
    suggestion:
      path.at(-1) === 'input_mapping'
        ? `Add ${quoted(name)} to \`input_mapping\``
        : `Add \`input_mapping: {${name}: …}\``,
  };
}

interface Given {
  readonly child: FilePlan;
  readonly path: Path;
  readonly report: Report;
}

function checkGiven(
  name: string,
  value: JsonValue,
  field: InputField,
  { child, path, report }: Given,
): void {
  const subject = `The input ${quoted(name)} of ${quoted(child.name)}`;
  const fixed = fixedValue(value);
  if (fixed === undefined) {
    const shape = shapeOf(value);
    const types: unknown = field.schema['type'];
    if (shape === undefined || types === shape || (isArray(types) && types.includes(shape))) return;
    // text with templates in it may still be a whole JSON object or list
    if (shape === 'string' && (field.type === 'object' || field.type === 'array')) return;
    report({
      code: 'bad-input',
      message: `${subject} must be of type ${field.type}, and this gives ${WORDS[shape]}`,
      path,
      suggestion:
        shape === 'string'
          ? 'Write one `{{ expression }}` and nothing around it; that keeps its type'
          : `Give it a value of type ${field.type}`,
    });
    return;
  }
  const [finding] = checkValue(field.schema, fixed);
  if (finding === undefined || finding.of === 'schema') return;
  report({
    code: 'bad-input',
    message:
      finding.pointer === ''
        ? `${subject} ${finding.message}, not ${describeValue(fixed)}`
        : `${subject} does not fit: ${quoted(finding.pointer)} ${finding.message}`,
    path,
    suggestion: meantValue(fixed, field) ?? `Give it a value of type ${field.type}`,
  });
}

const WORDS = { string: 'text', array: 'a list', object: 'a map' } as const;

/** What is certain of a value that templates are part of; undefined for a single expression. */
function shapeOf(value: JsonValue): keyof typeof WORDS | undefined {
  if (isArray(value)) return 'array';
  if (isJsonObject(value)) return 'object';
  if (typeof value !== 'string') return undefined;
  const parsed = parseTemplate(value);
  return parsed.ok && !parsed.template.isSingleExpression ? 'string' : undefined;
}

/** The value as the child would see it; undefined where a template has a part in it. */
function fixedValue(value: JsonValue): JsonValue | undefined {
  if (typeof value === 'string') return isTemplate(value) ? undefined : literalText(value);
  if (typeof value !== 'object' || value === null) return value;
  const entries: [string, JsonValue][] = [];
  for (const [key, item] of Object.entries(value)) {
    const fixed = fixedValue(item);
    if (fixed === undefined) return undefined;
    entries.push([key, fixed]);
  }
  return isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

/** A text without templates is itself, or the JSON object or list that it holds. */
function literalText(text: string): JsonValue | undefined {
  const parsed = parseTemplate(text);
  return parsed.ok ? evaluateTemplate(parsed.template, scopeOf({})) : undefined;
}

/** The same value written so that it has the type. */
function meantValue(value: JsonValue, { type }: InputField): string | undefined {
  if (type === 'string' && (typeof value === 'number' || typeof value === 'boolean'))
    return `"${String(value)}"`;
  if (typeof value !== 'string') return undefined;
  const plain: JsonValue = /^-?\d{1,15}(\.\d{1,15})?$/.test(value)
    ? Number(value)
    : value === 'true' || value;
  return fitsType(plain, type) && type !== 'string' ? value : undefined;
}
