/**
 * The line of a plan that gives the fields that a guard reads, with values that make it hold, if
 * any are found.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { conditionHolds, isBare } from '../../machine/decide/evaluate-templates.ts';
import { comparisonsOf } from '../../workflow/template/analyse/comparisons.ts';
import { contextOf } from '../../workflow/template/context.ts';
import { parseExpression, parseTemplate } from '../../workflow/template/template.ts';
import type { Place } from '../places/atlas.ts';
import { fits, otherValues, schemaAt } from '../values/made-up.ts';
import { at, replacedAt, type WorldValues } from '../values/world-values.ts';
import type { FieldRef, Site } from './read-fields.ts';

export interface Condition {
  readonly source: string;
  readonly site: Site;
  /** Whether it has to hold. */
  readonly isWanted: boolean;
}

const MOST_COMBINATIONS = 256;
const ANY_TEXT = 'rehearsed';

/** `given: {NODE: {FIELD: value}}`, `answers: {GATE: value}` or `input: {NAME: value}`. */
export function pasteLine(
  values: WorldValues,
  refs: readonly FieldRef[],
  condition?: Condition,
): string {
  const fields = distinct(refs);
  const choices = fields.map((ref) => candidatesOf(values, ref, condition !== undefined));
  let chosen: readonly JsonValue[] = choices.map(([first]) => first ?? ANY_TEXT);
  if (condition !== undefined)
    for (const each of combinations(choices))
      if (isAsWanted(values, fields, each, condition)) {
        chosen = each;
        break;
      }
  const all = fields.map((ref, index) => ({ ref, value: chosen[index] ?? null }));
  // fields that steering sets by itself stay free, for the other routes
  const needed = all.filter(({ ref, value }) => !isSteered(values, ref, value));
  return lineOf(needed.length === 0 ? all : needed);
}

interface GivenField {
  readonly ref: FieldRef;
  readonly value: JsonValue;
}

function isSteered(
  { fields }: WorldValues,
  { place, pointer }: FieldRef,
  value: JsonValue,
): boolean {
  const field = fields.of(place).find((each) => each.pointer.join('/') === pointer.join('/'));
  return field?.values.some((each) => JSON.stringify(each) === JSON.stringify(value)) ?? false;
}

function distinct(refs: readonly FieldRef[]): readonly FieldRef[] {
  const merged = new Map<string, FieldRef>();
  for (const ref of refs) {
    const id = `${ref.place?.name ?? ''}#${ref.pointer.join('/')}`;
    const literals = [...(merged.get(id)?.literals ?? []), ...ref.literals];
    merged.set(id, { ...ref, literals });
  }
  return [...merged.values()];
}

/** Values beside and at its comparison, then its possible values. */
function candidatesOf(values: WorldValues, ref: FieldRef, isGuard: boolean): readonly JsonValue[] {
  const { place, pointer, literals } = ref;
  if (place?.node.type === 'human_gate') return place.node.options.map(({ value }) => value);
  const schema =
    place === undefined ? values.inputSchemaAt(pointer) : schemaAt(values.schemaOf(place), pointer);
  const base = place === undefined ? values.baseInput() : values.base(place);
  const near = literals.flatMap((literal): readonly JsonValue[] =>
    typeof literal === 'number' ? [literal + 1, literal - 1, literal] : [literal],
  );
  // a guard that only tests for presence
  const truths = isGuard && schema === undefined && literals.length === 0 ? [true, false] : [];
  const all = [...near, ...otherValues(schema), ...truths, at(base, pointer) ?? ANY_TEXT];
  const fitting = all.filter((value) => schema === undefined || fits(schema, value));
  return fitting.length === 0 ? [ANY_TEXT] : fitting;
}

function* combinations(choices: readonly (readonly JsonValue[])[]): Iterable<readonly JsonValue[]> {
  const total = choices.reduce((product, { length }) => product * length, 1);
  for (let number = 0; number < Math.min(total, MOST_COMBINATIONS); number++) {
    let rest = number;
    yield choices.map((values) => {
      const value = values[rest % values.length] ?? null;
      rest = Math.floor(rest / values.length);
      return value;
    });
  }
}

/** Whether the condition, and the assertions of its node, evaluate as wanted with these values. */
function isAsWanted(
  values: WorldValues,
  fields: readonly FieldRef[],
  chosen: readonly JsonValue[],
  { source, site, isWanted }: Condition,
): boolean {
  let input: JsonValue = values.baseInput();
  const outputs = new Map<Place, JsonValue>();
  for (const [index, { place, pointer }] of fields.entries()) {
    const value = chosen[index] ?? null;
    if (place === undefined) input = replacedAt(input, pointer, value);
    else outputs.set(place, replacedAt(outputs.get(place) ?? values.base(place), pointer, value));
  }
  const own = site.routesOf;
  const output = own === undefined ? undefined : (outputs.get(own) ?? values.base(own));
  const named = [...outputs].map(([place, value]) => [place.node.name, { output: value }] as const);
  const names: Record<string, JsonValue> = {
    ...(isBare(source) && isJsonObject(output) ? output : {}),
    ...Object.fromEntries(named),
    ...(output === undefined ? {} : { output }),
    workflow: { input },
  };
  try {
    const context = contextOf(names);
    const asserted = own?.node.assert ?? [];
    return (
      asserted.every(({ that }) => conditionHolds(that, context)) &&
      conditionHolds(source, context) === isWanted
    );
  } catch {
    // it reads unknown fields, so its result is unknown
    return false;
  }
}

/**
 * `details: {KIND: {FIELD: value}}`, for a guard that reads details of a failure; undefined for
 * others.
 */
export function detailsLine(source: string, kind: string): string | undefined {
  const parsed = isBare(source) ? parseExpression(source) : parseTemplate(source);
  if (!parsed.ok) return undefined;
  const compared = comparisonsOf(parsed.template.body);
  let details: JsonObject = {};
  for (const { path } of parsed.template.references) {
    const [head, second, ...rest] = path;
    if (head !== 'error' || second !== 'details' || rest.length === 0) continue;
    const found = compared.find((each) => each.path.join('.') === path.join('.'));
    details = put(details, rest, found?.value ?? ANY_TEXT);
  }
  return Object.keys(details).length === 0 ? undefined : `details: ${flow({ [kind]: details })}`;
}

function lineOf(fields: readonly GivenField[]): string {
  const parts: Record<'given' | 'answers' | 'input', JsonObject> = {
    given: {},
    answers: {},
    input: {},
  };
  for (const { ref, value } of fields) {
    const { place, pointer } = ref;
    if (place === undefined) parts.input = put(parts.input, pointer, value);
    else if (place.node.type === 'human_gate')
      parts.answers = { ...parts.answers, [place.name]: value };
    else parts.given = put(parts.given, [place.name, ...pointer], value);
  }
  return Object.entries(parts)
    .filter(([, values]) => Object.keys(values).length > 0)
    .map(([key, values]) => `${key}: ${flow(values)}`)
    .join(' and ');
}

function put(object: JsonObject, pointer: FieldRef['pointer'], value: JsonValue): JsonObject {
  const next = replacedAt(object, pointer, value);
  return isJsonObject(next) ? next : object;
}

/** YAML on one line. */
function flow(value: JsonValue): string {
  if (!isJsonObject(value)) return typeof value === 'string' ? word(value) : JSON.stringify(value);
  const pairs = Object.entries<JsonValue>(value).map(
    ([key, item]) => `${word(key)}: ${flow(item)}`,
  );
  return `{${pairs.join(', ')}}`;
}

/** Without quotes only where YAML reads it as this text. */
function word(text: string): string {
  const isPlain =
    /^[A-Za-z_][\w-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}
