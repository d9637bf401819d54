/** The keys of a workflow file, block by block, from its JSON Schema. */
import {
  isArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../src/errors/support/safe-json.ts';
import { workflowJsonSchema } from '../../src/workflow/schema/workflow-json-schema.ts';

export interface Key {
  readonly name: string;
  readonly schema: JsonObject;
  readonly isRequired: boolean;
  readonly meaning: string;
  /** Undefined if there is none. */
  readonly standard: string | undefined;
  readonly example: JsonValue;
  readonly since: string;
}

/** A map with keys of the format: a node, a route, the limits. */
export interface Block {
  /** Its place in a file: `workflow.limits`; or the name of a definition: `route`. */
  readonly name: string;
  readonly about: string;
  readonly schema: JsonObject;
  readonly keys: readonly Key[];
  /** The blocks below it, in the order of their keys. */
  readonly inner: readonly Block[];
}

/** The version that introduced every key whose schema has no `since`. */
const FIRST = '0.1.0';

const root = workflowJsonSchema();
const definitions = objectIn(root, 'definitions');

/** Names of definitions that only repeat another, or list kinds. */
const NO_BLOCK: ReadonlySet<string> = new Set(['node', 'model', 'routeKind']);

export function fileBlock(): Block {
  return blockOf('file', root);
}

/** By the name of the definition. */
export function definedBlocks(): ReadonlyMap<string, Block> {
  const named = Object.keys(definitions).filter(
    (name) => !name.startsWith('__') && !NO_BLOCK.has(name),
  );
  return new Map(named.map((name) => [name, blockOf(typeName(name), objectIn(definitions, name))]));
}

/** An entry in a chain of models; the only block inside a definition that is no map itself. */
export function modelBlock(): Block {
  const [block] = innerBlocks('model', { model: objectIn(definitions, 'model') });
  if (block === undefined) throw new Error('the schema of a model holds no map');
  return block;
}

/** The type of such a node as a file writes it, or the name of the definition. */
function typeName(definition: string): string {
  const { properties } = objectIn(definitions, definition);
  const type = isJsonObject(properties) ? properties['type'] : undefined;
  const value = isJsonObject(type) ? type['const'] : undefined;
  return typeof value === 'string' ? value : definition;
}

function blockOf(name: string, schema: JsonObject): Block {
  const properties = objectsIn(objectIn(schema, 'properties'));
  const required = new Set(isArray(schema['required']) ? schema['required'] : []);
  const prefix = name === 'file' ? '' : `${name}.`;
  return {
    name,
    about: textIn(schema, 'description'),
    schema,
    keys: Object.entries(properties).map(([key, value]) => keyOf(key, value, required.has(key))),
    inner: Object.entries(properties).flatMap(([key, value]) =>
      innerBlocks(`${prefix}${key}`, { [key]: value }),
    ),
  };
}

/**
 * The maps that a key holds directly, in a list, or by names; definitions have blocks of their own.
 */
function innerBlocks(name: string, holder: Readonly<Record<string, JsonObject>>): readonly Block[] {
  return Object.values(holder).flatMap((schema) => {
    if ('properties' in schema) return [blockOf(name, schema)];
    const { items, additionalProperties } = schema;
    const options = ['anyOf', 'oneOf'].flatMap((key) => listIn(schema, key));
    return [
      ...options.flatMap((option) => innerBlocks(name, { option })),
      ...(isJsonObject(items) ? innerBlocks(`${name}[]`, { items }) : []),
      ...(isJsonObject(additionalProperties)
        ? innerBlocks(`${name}.NAME`, { additionalProperties })
        : []),
    ];
  });
}

function keyOf(name: string, schema: JsonObject, isRequired: boolean): Key {
  const description = textIn(schema, 'description') || textIn(resolve(schema), 'description');
  const [meaning = '', standard] = description.split(/\s*\bDefault: /);
  const { since } = schema;
  const example = exampleOf(schema, standard);
  if (meaning === '' && standard === undefined) throw new Error(`${name} has no description`);
  if (example === undefined) throw new Error(`${name} has no example: ${JSON.stringify(schema)}`);
  return {
    name,
    schema,
    isRequired,
    meaning,
    standard: standard?.replace(/\.$/, ''),
    example,
    since: typeof since === 'string' ? since : FIRST,
  };
}

/** The example of a schema, or one made from the examples of its parts. */
function exampleOf(schema: JsonObject, standard?: string): JsonValue | undefined {
  const { examples, enum: values, type, items, const: only } = schema;
  if (isArray(examples)) return examples[0];
  if (only !== undefined) return only;
  if (isArray(values)) return values.find((value) => value !== standard?.split(/[,.]/)[0]);
  if (type === 'boolean') return standard?.startsWith('true') !== true;
  const meant = resolve(schema);
  if (meant !== schema) return exampleOf(meant);
  if ('properties' in schema) return smallest(schema);
  if (isJsonObject(items)) {
    const item = exampleOf(items);
    return item === undefined ? undefined : [item];
  }
  const options = ['anyOf', 'oneOf'].flatMap((key) => listIn(schema, key));
  // the first option with an example, because a later one may hold the whole again
  for (const option of options) {
    const example = exampleOf(option);
    if (example !== undefined) return example;
  }
  return undefined;
}

/** A map with its required keys, or with its first key that has an example. */
export function smallest(schema: JsonObject): JsonObject | undefined {
  const properties = Object.entries(objectsIn(objectIn(schema, 'properties')));
  const required = isArray(schema['required']) ? schema['required'] : [];
  const examples = properties.flatMap(([key, value]) => {
    if (required.length > 0 && !required.includes(key)) return [];
    const example = exampleOf(value);
    return example === undefined ? [] : [[key, example] as const];
  });
  return Object.fromEntries(required.length > 0 ? examples : examples.slice(0, 1));
}

/** Resolves a reference. */
function resolve(schema: JsonObject): JsonObject {
  const [first] = listIn(schema, 'allOf');
  const reference = schema['$ref'] ?? first?.['$ref'];
  if (typeof reference !== 'string') return schema;
  return resolve(objectIn(definitions, referred(reference)));
}

/** Returns `route` for `#/definitions/route`. */
export function referred(reference: string): string {
  return reference.replace('#/definitions/', '');
}

export function listIn(schema: JsonObject, key: string): readonly JsonObject[] {
  const list = schema[key];
  return isArray(list) ? list.filter(isJsonObject) : [];
}

function objectIn(schema: JsonObject, key: string): JsonObject {
  const value = schema[key];
  if (!isJsonObject(value)) throw new Error(`the schema has no ${key}`);
  return value;
}

function objectsIn(schema: JsonObject): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) =>
      isJsonObject(value) ? [[key, value] as const] : [],
    ),
  );
}

function textIn(schema: JsonObject, key: string): string {
  const value = schema[key];
  return typeof value === 'string' ? value : '';
}
