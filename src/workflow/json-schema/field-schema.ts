/** Converts field lists to JSON Schema, and checks values against fields. */
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import { omitUndefined, mapValues } from '../plan/omit-undefined.ts';
import type { FieldType, InputField, StateField } from '../plan/plan.ts';
import type { FieldFile, InputFile, StateFile } from '../schema/field.ts';

/** Other fields are allowed: a file lists the fields that it needs. */
export function fieldListToSchema(fields: Readonly<Record<string, FieldFile>>): JsonObject {
  const required = Object.keys(fields).filter((name) => fields[name]?.required !== false);
  return {
    type: 'object',
    properties: mapValues(fields, fieldToSchema),
    ...(required.length === 0 ? {} : { required }),
  };
}

export function toInputField(field: InputFile): InputField {
  const { required, default: fallback, ...constraints } = field;
  return omitUndefined({
    type: field.type,
    required: fallback === undefined && required !== false,
    default: fallback,
    description: field.description,
    schema: fieldToSchema(constraints),
  });
}

export function toStateField(field: StateFile): StateField {
  return omitUndefined({
    type: field.type,
    default: field.default === undefined ? EMPTY_VALUES[field.type] : field.default,
    merge: field.merge ?? 'replace',
    description: field.description,
  });
}

export function fitsType(value: unknown, type: FieldType): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
  }
}

/** The empty value of each type. */
export const EMPTY_VALUES: Readonly<Record<FieldType, JsonValue>> = {
  string: '',
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  object: {},
};

function fieldToSchema(field: FieldFile): JsonObject {
  const { required: _required, nullable, type, items, properties, enum: values, ...rest } = field;
  const isNullable = nullable === true;
  return omitUndefined({
    type: isNullable ? [type, 'null'] : type,
    ...omitUndefined(rest),
    enum: values !== undefined && isNullable ? [...values, null] : values,
    items: items === undefined ? undefined : fieldToSchema(items),
    ...(properties === undefined ? {} : fieldListToSchema(properties)),
    ...(properties !== undefined && isNullable ? { type: ['object', 'null'] } : {}),
  });
}
