/** Rules for fields: a default of the wrong type, an invalid pattern, an invalid schema. */
import { isPlainObject, type JsonObject } from '../../errors/support/safe-json.ts';
import { suggest } from '../../errors/support/suggest.ts';
import { fitsType } from '../json-schema/field-schema.ts';
import { FIELD_TYPES, type FieldType } from '../plan/plan.ts';
import { fromPointer, valueAt, type Path } from '../plan/pointer.ts';
import type { ReportProblem } from '../diagnostics/problem.ts';
import { checkSchema } from '../json-schema/check-value.ts';
import { describePath, describeValue, quoted } from '../diagnostics/diagnostic-words.ts';
import { asList, asMap, type Raw } from './read-raw.ts';

const BOUNDS = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
] as const;

const MERGED_TYPES: Readonly<Record<string, readonly string[]>> = {
  append: ['array'],
  union: ['array'],
  sum: ['number', 'integer'],
};

/** A map of fields by name: outputs, inputs, or the properties of an object. */
export function checkFields(fields: unknown, path: Path, report: ReportProblem): void {
  for (const [name, field] of Object.entries(asMap(fields))) {
    checkField(asMap(field), [...path, name], report);
  }
}

export function checkState(state: unknown, path: Path, report: ReportProblem): void {
  for (const [name, value] of Object.entries(asMap(state))) {
    const field = asMap(value);
    const at = [...path, name];
    checkDefault(field, at, report);
    const types = MERGED_TYPES[String(field['merge'])];
    if (types === undefined || !isType(field['type']) || types.includes(field['type'])) continue;
    report({
      code: 'bad-value',
      message: `\`merge: ${String(field['merge'])}\` is for the type ${String(types[0])}, and ${quoted(name)} is of type ${field['type']}`,
      path: [...at, 'merge'],
      suggestion: 'replace',
    });
  }
}

/** Refuses a constraint that cannot be read, because it would never be applied. */
export function checkOutputSchema(schema: unknown, path: Path, report: ReportProblem): void {
  // the schema refuses anything but a map; a document contains JSON values only
  if (!isPlainObject(schema)) return;
  const fields = Object.values(schema);
  if (fields.length > 0 && fields.every((field) => isPlainObject(field) && isType(field['type']))) {
    report({
      code: 'bad-schema',
      message: '`output_schema` must be a JSON Schema, but this lists fields by name',
      path,
      at: 'key',
      suggestion: 'Write `output:` instead of `output_schema:`',
    });
    return;
  }
  // a map, by the check above
  for (const { pointer, message, isDangling } of checkSchema(schema as JsonObject)) {
    const at = [...path, ...fromPointer(pointer)];
    report({
      code: 'bad-schema',
      message: `Not a JSON Schema: ${describePath(at)} ${message}`,
      path: at,
      expected: message.replace(/^must be /, ''),
      ...(isDangling === true ? REFER_INSIDE : hintAt(schema, fromPointer(pointer))),
    });
  }
}

const REFER_INSIDE = {
  suggestion: 'Write the schema here, or under `$defs` and refer to it as `#/$defs/name`',
};

/** `strng` for a type is probably `string`. */
function hintAt(schema: unknown, at: Path): { suggestion?: string } {
  const value = valueAt(schema, at);
  const meant =
    at.at(-1) === 'type' && typeof value === 'string'
      ? suggest(value, [...FIELD_TYPES, 'null'])
      : undefined;
  return meant === undefined ? {} : { suggestion: meant };
}

function checkField(field: Raw, path: Path, report: ReportProblem): void {
  checkDefault(field, path, report);
  checkPattern(field['pattern'], [...path, 'pattern'], report);
  for (const [low, high] of BOUNDS) {
    const least = field[low];
    const most = field[high];
    if (typeof least !== 'number' || typeof most !== 'number' || least <= most) continue;
    report({
      code: 'bad-value',
      message: `\`${low}\` is ${least} and above \`${high}\`, which is ${most}`,
      path: [...path, low],
    });
  }
  for (const [index, value] of asList(field['enum']).entries()) {
    checkType(value, field, [...path, 'enum', index], report);
  }
  if (field['items'] !== undefined) checkField(asMap(field['items']), [...path, 'items'], report);
  checkFields(field['properties'], [...path, 'properties'], report);
}

function checkDefault(field: Raw, path: Path, report: ReportProblem): void {
  if (!('default' in field)) return;
  const at = [...path, 'default'];
  checkType(field['default'], field, at, report);
  const allowed = asList(field['enum']);
  const isScalar = typeof field['default'] !== 'object';
  if (allowed.length === 0 || !isScalar || allowed.includes(field['default'])) return;
  report({
    code: 'bad-value',
    message: `The default ${quoted(String(field['default']))} is not one of the values of \`enum\``,
    path: at,
  });
}

function checkType(value: unknown, field: Raw, path: Path, report: ReportProblem): void {
  const { type } = field;
  if (!isType(type) || fitsType(value, type)) return;
  if (value === null && field['nullable'] === true) return;
  report({
    code: 'wrong-type',
    message: `The type is ${type}, but this is ${describeValue(value)}`,
    path,
    expected: `a value of type ${type}`,
  });
}

function checkPattern(pattern: unknown, path: Path, report: ReportProblem): void {
  if (typeof pattern !== 'string') return;
  try {
    // as the validator reads it when the node runs
    RegExp(pattern, 'u');
  } catch {
    report({
      code: 'bad-value',
      message: `${quoted(pattern)} is not a regular expression`,
      path,
      expected: 'a JavaScript regular expression without slashes',
    });
  }
}

function isType(type: unknown): type is FieldType {
  return FIELD_TYPES.some((known) => known === type);
}
