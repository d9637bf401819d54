/** Field lists as JSON Schema, and whether a value is what its field says. */
import type { JsonObject, JsonValue } from '../errors/json.ts';
import { given, mapValues } from './given.ts';
import type { FieldType, InputField, StateField } from './model.ts';
import type { FieldFile, InputFile, StateFile } from './schema/field.ts';

/** Fields beyond the list are allowed: a file says what it needs, not all there may be. */
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
  return given({
    type: field.type,
    required: fallback === undefined && required !== false,
    default: fallback,
    description: field.description,
    schema: fieldToSchema(constraints),
  });
}

export function toStateField(field: StateFile): StateField {
  return given({
    type: field.type,
    default: field.default === undefined ? EMPTY[field.type] : field.default,
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

const EMPTY: Readonly<Record<FieldType, JsonValue>> = {
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
  return given({
    type: isNullable ? [type, 'null'] : type,
    ...given(rest),
    enum: values !== undefined && isNullable ? [...values, null] : values,
    items: items === undefined ? undefined : fieldToSchema(items),
    ...(properties === undefined ? {} : fieldListToSchema(properties)),
    ...(properties !== undefined && isNullable ? { type: ['object', 'null'] } : {}),
  });
}
