/**
 * Outputs of nodes that work: those of the plan, else a fitting answer of the model's script, else
 * a value made up from the declared output. Steering changes single fields of it.
 */
import {
  textOrJson,
  jsonFrom,
  isArray,
  isJsonObject,
  isPlainObject,
  type JsonObject,
  type JsonValue,
} from '../../errors/support/safe-json.ts';
import { conditionHolds, isBare } from '../../machine/decide/evaluate-templates.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import type { SimulatedAnswer } from '../../workflow/plan/plan.ts';
import { END } from '../../workflow/plan/route-plan.ts';
import { simulatedEntry } from '../../workflow/plan/simulated-entry.ts';
import { contextOf } from '../../workflow/template/context.ts';
import { parseTemplate } from '../../workflow/template/template.ts';
import type { Atlas, Place, PlacedFile } from '../places/atlas.ts';
import type { Assignment, Field, FieldTable } from '../steer/field-table.ts';
import { fieldTable } from '../steer/field-table.ts';
import { fits, madeUp, schemaAt } from './made-up.ts';

export interface Given {
  /** By name or path of the node; `each[*]/one` is any member. */
  readonly outputs: Readonly<Record<string, JsonValue>>;
  readonly input: JsonObject;
}

type Answer = Extract<SimulatedAnswer, { readonly type: 'answer' }>;

/** The output of a visit of a node. */
export interface VisitOf {
  readonly place: Place;
  readonly path: string;
  /** From 1. */
  readonly visit: number;
  readonly assignment: Assignment;
  /** The model that is asked, and its question. */
  readonly model?: string;
  readonly prompt?: string;
}

export class WorldValues {
  readonly #atlas: Atlas;
  readonly #given: Given;
  readonly #bases = new Map<Place, JsonValue>();
  readonly fields: FieldTable;

  constructor(atlas: Atlas, given: Given) {
    this.#atlas = atlas;
    this.#given = given;
    this.fields = fieldTable(atlas, ({ place, pointer }) => {
      if (place === undefined) {
        const [name = ''] = pointer;
        return {
          value: at(this.baseInput(), pointer),
          schema: this.inputSchemaAt(pointer),
          isGiven: Object.hasOwn(given.input, name),
        };
      }
      const set = this.#givenTo(place, undefined);
      const isGiven = isPlainObject(set) ? at(set, pointer) !== undefined : set !== undefined;
      if (place.node.type === 'human_gate')
        return {
          value: place.node.options[0]?.value,
          schema: { enum: place.node.options.map(({ value }) => value) },
          isGiven: false,
        };
      return {
        value: at(this.base(place), pointer),
        schema: schemaAt(this.schemaOf(place), pointer),
        isGiven,
      };
    });
  }

  /** The inputs of the workflow: given ones, defaults, and made-up ones. */
  baseInput(): JsonObject {
    const { plan } = this.#atlas;
    const entries = Object.entries(plan.input).flatMap(([name, field]): [string, JsonValue][] => {
      const given = this.#given.input[name];
      if (given !== undefined) return [[name, given]];
      if (field.default !== undefined) return [[name, field.default]];
      const lengths = this.#lengthsFor((path) => path[0] === 'workflow' && path[2] === name, 3);
      return [[name, madeUp(field.schema, { lengths })]];
    });
    return { ...this.#given.input, ...Object.fromEntries(entries) };
  }

  /** The schema of a part of the inputs. */
  inputSchemaAt([name = '', ...rest]: readonly (string | number)[]): JsonObject | undefined {
    return schemaAt(this.#inputSchema(String(name)), rest);
  }

  input(assignment: Assignment): JsonObject {
    const fields = this.fields.of(undefined);
    // true: the base is an object, and fields of it are replaced
    return steered(this.baseInput(), fields, assignment, 0) as JsonObject;
  }

  /** The declared output: of the node, or of the function or the tool itself. */
  schemaOf({ node, file }: Place): JsonObject | undefined {
    if ('outputSchema' in node && node.outputSchema !== undefined) return node.outputSchema;
    const name = calledBy(node);
    if (name === undefined) return undefined;
    const key = file.caller === undefined ? '' : file.plan.file;
    return this.#atlas.plan.tools?.[key]?.[name]?.outputSchema;
  }

  /** The value of the first visit, without steering. */
  base(place: Place): JsonValue {
    const known = this.#bases.get(place) ?? this.#made(place);
    this.#bases.set(place, known);
    return known;
  }

  output(of: VisitOf): JsonValue {
    const { place, path, visit, assignment } = of;
    const given = this.#givenTo(place, path);
    if (given !== undefined && !(isPlainObject(given) && isJsonObject(this.base(place))))
      return given;
    const scripted = this.#scripted(of);
    // true: both are objects
    const whole =
      given === undefined
        ? (scripted?.value ?? this.base(place))
        : ({ ...(this.base(place) as JsonObject), ...given } as JsonValue);
    const isSet = (field: Field): boolean =>
      isPlainObject(given) && at(given, field.pointer) !== undefined;
    const fields = this.fields.of(place).filter((field) => !isSet(field));
    return steered(whole, fields, assignment, Math.max(0, visit - 1 - (scripted?.left ?? 0)));
  }

  isGiven(place: Place, path: string): boolean {
    return this.#givenTo(place, path) !== undefined;
  }

  /** Tokens that the script counts for its answer. */
  usageOf(of: VisitOf): SimulatedAnswer['usage'] {
    return this.#scripted(of)?.usage;
  }

  /** The usual option of a gate. */
  answerTo(place: Place, visit: number, assignment: Assignment): JsonValue {
    const { node } = place;
    if (node.type !== 'human_gate') return 'approve';
    const field = this.fields.of(place)[0];
    const first = node.options.find((option) => leadsOn(node, option)) ?? node.options[0];
    if (field === undefined) return full(first);
    const usual = field.values.findIndex((each) => each === first?.value);
    const start = assignment.get(field.id) ?? Math.max(0, usual);
    const value = field.values[(start + visit - 1) % field.values.length];
    return full(node.options.find((option) => option.value === value) ?? first);
  }

  #made(place: Place): JsonValue {
    const { node } = place;
    const schema = this.schemaOf(place);
    const lengths = this.#lengthsFor((path) => path[0] === node.name && path[1] === 'output', 2);
    const fields = schema === undefined ? undefined : madeUp(schema, { lengths });
    switch (node.type) {
      case 'script':
        return isJsonObject(fields) || fields === undefined
          ? { stdout: '', stderr: '', exit_code: 0, ...fields }
          : fields;
      case 'agent':
        return fields ?? { result: 'rehearsed' };
      default:
        return fields ?? {};
    }
  }

  /** A list that a group with a quorum goes through has as many items as the group needs. */
  #lengthsFor(
    isOurs: (path: readonly (string | number)[]) => boolean,
    skip: number,
  ): ReadonlyMap<string, number> {
    const lengths = new Map<string, number>();
    for (const { node } of this.#atlas.places) {
      if (node.type !== 'for_each' || node.quorum === undefined) continue;
      const source = isBare(node.source) ? `{{ ${node.source} }}` : node.source;
      const parsed = parseTemplate(source);
      if (!parsed.ok) continue;
      for (const { path } of parsed.template.references)
        if (isOurs(path)) {
          const pointer = path
            .slice(skip)
            .map((key) => `/${key}`)
            .join('');
          lengths.set(pointer, Math.max(2, node.quorum, lengths.get(pointer) ?? 0));
        }
    }
    return lengths;
  }

  #inputSchema(name: string): JsonObject | undefined {
    return this.#atlas.plan.input[name]?.schema;
  }

  #givenTo(place: Place, path: string | undefined): JsonValue | undefined {
    const { outputs } = this.#given;
    const byPath =
      path === undefined ? undefined : Object.keys(outputs).find((key) => matchesPath(key, path));
    const key =
      byPath ?? [place.name, place.node.name].find((name) => Object.hasOwn(outputs, name));
    return key === undefined ? undefined : outputs[key];
  }

  #scripted({
    place,
    visit,
    model,
    prompt = '',
  }: VisitOf):
    | { readonly value: JsonValue; readonly left: number; readonly usage: SimulatedAnswer['usage'] }
    | undefined {
    if (place.node.type !== 'agent') return undefined;
    const name =
      model ??
      place.node.model?.[0]?.model ??
      runtimeOf(place.file)?.defaultModel?.[0]?.model ??
      '';
    if (!name.startsWith('sim/')) return undefined;
    const schema = this.schemaOf(place);
    const entries = this.#fittingAnswers(place, name.slice('sim/'.length), schema);
    const found = simulatedEntry(entries, (entry) => entry, { ordinal: visit - 1, prompt });
    if (found === undefined) return undefined;
    const value =
      schema === undefined ? { result: textOrJson(found.answer) } : asValue(found.answer);
    return { value, left: Math.max(0, entries.length - 1), usage: found.usage };
  }

  /** Answers by place and model: every play asks the same. */
  readonly #fitting = new Map<Place, Map<string, readonly Answer[]>>();

  #fittingAnswers(place: Place, model: string, schema: JsonObject | undefined): readonly Answer[] {
    const ofPlace = this.#fitting.get(place) ?? new Map<string, readonly Answer[]>();
    this.#fitting.set(place, ofPlace);
    const known = ofPlace.get(model);
    if (known !== undefined) return known;
    const entries = (runtimeOf(place.file)?.simulate[model] ?? []).filter(
      (entry): entry is Answer =>
        entry.type === 'answer' && entry.isLost !== true && isFitting(entry, schema),
    );
    ofPlace.set(model, entries);
    return entries;
  }
}

function calledBy(node: Place['node']): string | undefined {
  if (node.type === 'call') return node.function;
  return node.type === 'tool' ? node.tool : undefined;
}

function isFitting({ answer }: Answer, schema: JsonObject | undefined): boolean {
  return schema === undefined || fits(schema, asValue(answer));
}

function asValue(answer: JsonValue): JsonValue {
  if (typeof answer !== 'string') return answer;
  try {
    return jsonFrom(answer);
  } catch {
    // no JSON: it is the text itself
    return answer;
  }
}

/** The runtime of the file, or that of its nearest caller with one. */
export function runtimeOf(file: PlacedFile): Atlas['plan']['runtime'] {
  return file.plan.runtime ?? (file.caller === undefined ? undefined : runtimeOf(file.caller.file));
}

type Gate = Extract<NodePlan, { type: 'human_gate' }>;

/** Whether the option leads to another node: by its own route, or by the first of the gate's that holds. */
function leadsOn({ routes }: Gate, { value, route }: Gate['options'][number]): boolean {
  if (route !== undefined) return route !== END;
  const names = contextOf({ output: { selected: value }, selected: value });
  const taken = routes.find(({ onError, when }) => {
    if (onError !== undefined) return false;
    try {
      return when === undefined || conditionHolds(when, names);
    } catch {
      // it reads more than the answer
      return false;
    }
  });
  return taken?.move.type === 'to' && taken.move.to !== END;
}

function full(
  option: { readonly value: JsonValue; readonly promptFor?: string } | undefined,
): JsonValue {
  if (option === undefined) return null;
  return option.promptFor === undefined
    ? option.value
    : { selected: option.value, additional_input: 'rehearsed' };
}

/** `later`: how many times the values have moved on. */
function steered(
  value: JsonValue,
  fields: readonly Field[],
  assignment: Assignment,
  later: number,
): JsonValue {
  let changed = value;
  for (const field of fields) {
    const chosen = assignment.get(field.id);
    if (chosen === undefined && later === 0) continue;
    const next = field.values[((chosen ?? 0) + later) % field.values.length];
    if (next !== undefined) changed = replacedAt(changed, field.pointer, next);
  }
  return changed;
}

/** The same value with another part at the pointer. */
export function replacedAt(
  value: JsonValue,
  [key, ...rest]: readonly (string | number)[],
  next: JsonValue,
): JsonValue {
  if (key === undefined) return next;
  if (isArray(value)) {
    const items = value;
    return items.map((item, index) =>
      index === Number(key) ? replacedAt(item, rest, next) : item,
    );
  }
  const object = isJsonObject(value) ? value : {};
  return { ...object, [key]: replacedAt(object[key] ?? {}, rest, next) };
}

export function at(value: JsonValue, pointer: readonly (string | number)[]): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const key of pointer) {
    if (isArray(found)) found = found[Number(key)];
    else if (isJsonObject(found)) found = Object.hasOwn(found, key) ? found[key] : undefined;
    else return undefined;
  }
  return found;
}

/** `each[*]/one` matches `each[3]/one`. */
export function matchesPath(pattern: string, path: string): boolean {
  if (pattern === path) return true;
  if (!pattern.includes('[*]')) return false;
  const parts = pattern.split('[*]').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join(String.raw`\[[^\]]*\]`)}$`).test(path);
}
