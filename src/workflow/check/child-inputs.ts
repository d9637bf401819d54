/**
 * Checks the inputs that a `workflow` node passes to its child against the child's declarations: a missing,
 * unknown or malformed input would fail the node each time it runs.
 */
import {
  isArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../errors/support/safe-json.ts';
import { suggest } from '../../errors/support/suggest.ts';
import { allNodes } from '../plan/node-list.ts';
import { fitsType } from '../json-schema/field-schema.ts';
import type { FilePlan, InputField } from '../plan/plan.ts';
import { isTemplate } from '../plan/model-names.ts';
import type { ChildPlan } from '../plan/node-plan.ts';
import { fromPointer, type Path } from '../plan/pointer.ts';
import type { ReportProblem } from '../diagnostics/problem.ts';
import { contextOf } from '../template/context.ts';
import { evaluateTemplate, parseTemplate } from '../template/template.ts';
import { checkValue } from '../json-schema/check-value.ts';
import { describeValue, listed, quoted } from '../diagnostics/diagnostic-words.ts';
import type { ChildOf } from './outputs.ts';

export function checkChildInputs(plan: FilePlan, childOf: ChildOf, report: ReportProblem): void {
  for (const node of allNodes(plan)) {
    const child = node.type === 'workflow' ? childOf(node.workflow) : undefined;
    if (node.type !== 'workflow' || child === undefined) continue;
    if (node.inputMapping === undefined) checkHandedOn(node, plan, child, report);
    else checkMapping(node, node.inputMapping, child, report);
  }
}

function checkMapping(
  node: ChildPlan,
  mapping: JsonObject,
  child: FilePlan,
  report: ReportProblem,
): void {
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
      checkPassed(name, value, field, { child, path: [...path, name], report });
    // a misspelt name has been reported as such
    else if (field.required && !meant.has(name)) report(missing(name, field, child, path));
  }
}

/** Without a mapping the child gets the inputs of its caller, and ignores undeclared ones. */
function checkHandedOn(
  node: ChildPlan,
  plan: FilePlan,
  child: FilePlan,
  report: ReportProblem,
): void {
  const path = [...fromPointer(node.location.pointer), 'workflow'];
  for (const [name, field] of Object.entries(child.input)) {
    const own = Object.hasOwn(plan.input, name) ? plan.input[name] : undefined;
    if (own === undefined) {
      if (field.required) report(missing(name, field, child, path));
    } else if (own.type !== field.type && !(own.type === 'integer' && field.type === 'number')) {
      report({
        code: 'bad-input',
        message: `The input ${quoted(name)} has type ${field.type} in ${quoted(child.name)}, but type ${own.type} here`,
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
): Parameters<ReportProblem>[0] {
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

interface Target {
  readonly child: FilePlan;
  readonly path: Path;
  readonly report: ReportProblem;
}

function checkPassed(
  name: string,
  value: JsonValue,
  field: InputField,
  { child, path, report }: Target,
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
      message: `${subject} must be of type ${field.type}, but this is ${WORDS[shape]}`,
      path,
      suggestion:
        shape === 'string'
          ? 'Write a single `{{ expression }}` with nothing around it, which keeps its type'
          : `Pass a value of type ${field.type}`,
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
    suggestion: meantValue(fixed, field) ?? `Pass a value of type ${field.type}`,
  });
}

const WORDS = { string: 'text', array: 'a list', object: 'a map' } as const;

/** The certain type of a value that contains templates; undefined for a single expression. */
function shapeOf(value: JsonValue): keyof typeof WORDS | undefined {
  if (isArray(value)) return 'array';
  if (isJsonObject(value)) return 'object';
  if (typeof value !== 'string') return undefined;
  const parsed = parseTemplate(value);
  return parsed.ok && !parsed.template.isSingleExpression ? 'string' : undefined;
}

/** The value that the child would get; undefined where it contains a template. */
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

/** A text without templates is itself, or the JSON object or list that it contains. */
function literalText(text: string): JsonValue | undefined {
  const parsed = parseTemplate(text);
  return parsed.ok ? evaluateTemplate(parsed.template, contextOf({})) : undefined;
}

/** The same value, rewritten with the right type. */
function meantValue(value: JsonValue, { type }: InputField): string | undefined {
  if (type === 'string' && (typeof value === 'number' || typeof value === 'boolean'))
    return `"${String(value)}"`;
  if (typeof value !== 'string') return undefined;
  const plain: JsonValue = /^-?\d{1,15}(\.\d{1,15})?$/.test(value)
    ? Number(value)
    : value === 'true' || value;
  return fitsType(plain, type) && type !== 'string' ? value : undefined;
}
