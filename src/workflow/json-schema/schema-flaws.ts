/**
 * Finds flaws of a schema: each constraining keyword must have the right form, because a constraint that
 * the validator silently ignores is worse than none.
 */
import {
  isJsonList,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../errors/support/safe-json.ts';
import { toPointer, type Path } from '../plan/pointer.ts';
import { UnusablePattern } from '../pattern/parse-pattern.ts';
import { compilePattern, type Program } from '../pattern/compile-pattern.ts';
import type { Finding } from './finding.ts';
import type { References } from './schema-references.ts';

/** Undefined when the value has the right form for the keyword. */
type Form = (value: JsonValue, at: Path, walk: Walk) => string | undefined;

interface Walk {
  readonly flaws: Finding[];
  readonly references: References;
  readonly programs: Map<string, Program>;
  /** Targets of references, which may be outside the usual schema keywords. */
  readonly visited: Set<JsonValue>;
}

const TYPES = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

export interface SchemaReading {
  readonly flaws: readonly Finding[];
  /** Compiled patterns, by their text. */
  readonly programs: ReadonlyMap<string, Program>;
}

export function readSchemaForm(schema: JsonObject, references: References): SchemaReading {
  const walk: Walk = { flaws: [], references, programs: new Map(), visited: new Set() };
  visit(schema, [], walk);
  return walk;
}

function visit(schema: JsonValue, at: Path, walk: Walk): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isJsonObject(schema)) return 'must be a schema: an object, true or false';
  if (walk.visited.has(schema)) return undefined;
  walk.visited.add(schema);
  for (const [keyword, value] of Object.entries(schema)) {
    const here = [...at, keyword];
    const pointer = toPointer(here);
    if (REFERENCES.has(keyword) && isText(value)) {
      const message = dangling(value, here, { schema, walk });
      if (message !== undefined)
        walk.flaws.push({ of: 'schema', pointer, message, isDangling: true });
      continue;
    }
    const message = FORMS.get(keyword)?.(value, here, walk);
    if (message !== undefined) walk.flaws.push({ of: 'schema', pointer, message });
  }
  return undefined;
}

const REFERENCES = new Set(['$ref', '$dynamicRef']);

function dangling(
  reference: string,
  at: Path,
  { schema, walk }: { readonly schema: JsonObject; readonly walk: Walk },
): string | undefined {
  const target = walk.references.target(schema, reference);
  if (target === undefined) return 'refers to a schema that does not exist';
  return visit(target, at, walk) === undefined
    ? undefined
    : 'refers to something that is not a schema';
}

const isText = (value: JsonValue): value is string => typeof value === 'string';

const type: Form = (value) => {
  const names = isJsonList(value) ? value : [value];
  const isGood = names.length > 0 && names.every((name) => isText(name) && TYPES.has(name));
  return isGood ? undefined : `must be one or more of ${[...TYPES].join(', ')}`;
};

const number: Form = (value) => (typeof value === 'number' ? undefined : 'must be a number');

/** Draft 4 has a boolean where later drafts have a number. */
const numberOrFlag: Form = (value, at, walk) =>
  typeof value === 'boolean' ? undefined : number(value, at, walk);

const divisor: Form = (value) =>
  typeof value === 'number' && value > 0 ? undefined : 'must be a number above 0';

const count: Form = (value) =>
  Number.isInteger(value) && Number(value) >= 0 ? undefined : 'must be a whole number from 0';

const flag: Form = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');

const text: Form = (value) => (isText(value) ? undefined : 'must be a text');

const list: Form = (value) => (Array.isArray(value) ? undefined : 'must be a list');

const names: Form = (value) =>
  Array.isArray(value) && value.every(isText) ? undefined : 'must be a list of names';

const pattern: Form = (value, _, walk) =>
  isText(value) ? patternProblem(value, walk) : 'must be a regular expression';

/** Undefined for a usable pattern, which is kept compiled. */
function patternProblem(text: string, { programs }: Walk): string | undefined {
  if (programs.has(text)) return undefined;
  try {
    programs.set(text, compilePattern(text));
    return undefined;
  } catch (thrown) {
    if (thrown instanceof UnusablePattern) return thrown.message;
    throw new Error('The pattern could not be read', { cause: thrown });
  }
}

const schemas: Form = (value, at, walk) => {
  if (!isJsonList(value) || value.length === 0) return 'must be a list of schemas';
  value.forEach((item, index) => enter(item, [...at, index], walk));
  return undefined;
};

const itemsForm: Form = (value, at, walk) =>
  Array.isArray(value) && value.length > 0 ? schemas(value, at, walk) : visit(value, at, walk);

const schemaMap: Form = (value, at, walk) => {
  if (!isJsonObject(value)) return 'must be an object of schemas';
  for (const [name, item] of Object.entries(value)) enter(item, [...at, name], walk);
  return undefined;
};

const patternMap: Form = (value, at, walk) => {
  for (const name of Object.keys(isJsonObject(value) ? value : {})) {
    const problem = patternProblem(name, walk);
    if (problem === 'must be a regular expression') return 'must have regular expressions as names';
    if (problem !== undefined) return `has a name that ${problem}`;
  }
  return schemaMap(value, at, walk);
};

const namesMap: Form = (value, at, walk) => {
  if (!isJsonObject(value)) return 'must be an object of lists';
  return Object.values(value)
    .map((item) => names(item, at, walk))
    .find((found) => found !== undefined);
};

/** Lists of names, or schemas. */
const dependencies: Form = (value, at, walk) => {
  if (!isJsonObject(value)) return 'must be an object';
  for (const [name, item] of Object.entries(value)) {
    if (!Array.isArray(item)) enter(item, [...at, name], walk);
  }
  return undefined;
};

function enter(schema: JsonValue, at: Path, walk: Walk): void {
  const message = visit(schema, at, walk);
  if (message !== undefined) walk.flaws.push({ of: 'schema', pointer: toPointer(at), message });
}

const FORMS: ReadonlyMap<string, Form> = new Map(
  (
    [
      [type, 'type'],
      [list, 'enum'],
      [names, 'required'],
      [pattern, 'pattern'],
      [text, 'format $ref $dynamicRef'],
      [flag, 'uniqueItems'],
      [number, 'minimum maximum'],
      [numberOrFlag, 'exclusiveMinimum exclusiveMaximum'],
      [divisor, 'multipleOf'],
      [count, 'minLength maxLength minItems maxItems minProperties maxProperties'],
      [count, 'minContains maxContains'],
      [visit, 'additionalItems additionalProperties unevaluatedItems unevaluatedProperties'],
      [visit, 'contains propertyNames not if then else'],
      [schemas, 'prefixItems allOf anyOf oneOf'],
      [itemsForm, 'items'],
      [schemaMap, 'properties dependentSchemas $defs definitions'],
      [patternMap, 'patternProperties'],
      [namesMap, 'dependentRequired'],
      [dependencies, 'dependencies'],
    ] as const
  ).flatMap(([form, keywords]) => keywords.split(' ').map((keyword) => [keyword, form] as const)),
);
