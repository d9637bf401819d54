/**
 * The fields that a guard or an assertion depends on: of outputs that the world makes up, of
 * people's answers and of inputs. Follows `set` nodes, arguments of transforms, state, loops and
 * calls.
 */
import { isArray, isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { isBare } from '../../machine/decide/evaluate-templates.ts';
import type { StaticPath } from '../../workflow/template/analyse/proven-paths.ts';
import { comparisonsOf } from '../../workflow/template/analyse/comparisons.ts';
import { parseExpression, parseTemplate } from '../../workflow/template/template.ts';
import type { Atlas, Place, PlacedFile } from '../places/atlas.ts';

export interface FieldRef {
  /** Undefined: an input of the workflow. */
  readonly place: Place | undefined;
  readonly pointer: StaticPath;
  /** Values that it is compared with. */
  readonly literals: readonly JsonValue[];
}

/** Where a template stands. */
export interface Site {
  readonly file: PlacedFile;
  /** The node whose routes or assertions have it; they see its output. */
  readonly routesOf?: Place;
}

interface Read {
  readonly path: StaticPath;
  readonly isField: boolean;
  readonly literals: readonly JsonValue[];
}

const MAX_DEPTH = 6;

export function fieldsBehind(
  atlas: Atlas,
  source: string,
  site: Site,
  depth = 0,
): readonly FieldRef[] {
  if (depth > MAX_DEPTH) return [];
  return readsOf(source, site.routesOf !== undefined).flatMap((read) =>
    behind(atlas, read, site, depth),
  );
}

function readsOf(source: string, mayBeBare: boolean): readonly Read[] {
  const bare = isBare(source);
  if (bare && !mayBeBare) return [];
  const parsed = bare ? parseExpression(source) : parseTemplate(source);
  if (!parsed.ok) return [];
  const compared = comparisonsOf(parsed.template.body);
  return parsed.template.references.map(({ path }) => ({
    path,
    isField: bare,
    literals: compared
      .filter((each) => each.path.join('.') === path.join('.'))
      .map(({ value, against }) => (against === 'item' ? [value] : value)),
  }));
}

function behind(atlas: Atlas, read: Read, site: Site, depth: number): readonly FieldRef[] {
  const { path, literals } = read;
  const [head, ...rest] = path;
  const { file, routesOf } = site;
  const found = (refs: readonly FieldRef[]): readonly FieldRef[] =>
    refs.map((ref) => ({ ...ref, literals: [...literals, ...ref.literals] }));
  if (head === 'output' && routesOf !== undefined)
    return found(outputField(atlas, routesOf, rest, depth));
  if (head === 'workflow')
    return rest[0] === 'input' ? found(inputField(atlas, file, rest.slice(1), depth)) : [];
  if (head === 'state') return found(stateField(atlas, file, rest, depth));
  const around = placesOf(atlas, file);
  const loop = around.find(({ node }) => node.type === 'for_each' && node.as === head);
  if (loop !== undefined) return found(sourceField(atlas, loop, depth));
  const named = around.find(({ node }) => node.name === head);
  if (named !== undefined && (rest[0] === 'output' || rest[0] === 'outputs'))
    return found(outputField(atlas, named, rest.slice(1), depth));
  if (read.isField && routesOf !== undefined)
    return found(outputField(atlas, routesOf, path, depth));
  return [];
}

function placesOf(atlas: Atlas, file: PlacedFile): readonly Place[] {
  return atlas.places.filter((place) => place.file === file);
}

function outputField(
  atlas: Atlas,
  place: Place,
  pointer: StaticPath,
  depth: number,
): readonly FieldRef[] {
  const { node, file } = place;
  const inside = (value: JsonValue | undefined): readonly FieldRef[] =>
    textsIn(value).flatMap((text) => fieldsBehind(atlas, text, { file }, depth + 1));
  switch (node.type) {
    case 'agent':
    case 'script':
    case 'call':
    case 'tool':
      return pointer.length === 0 ? [] : [{ place, pointer, literals: [] }];
    case 'human_gate':
      return [{ place, pointer: ['selected'], literals: [] }];
    case 'set':
      return inside(node.values === undefined ? node.value : partOf(node.values, pointer));
    case 'transform':
      return inside(node.arguments);
    case 'workflow': {
      const child = atlas.files.find(({ caller }) => caller === place);
      if (child === undefined) return [];
      const texts = textsIn(partOf(child.plan.output ?? {}, pointer));
      return texts.flatMap((text) => fieldsBehind(atlas, text, { file: child }, depth + 1));
    }
    case 'for_each':
      return memberFields(atlas, place, pointer.slice(1), depth);
    case 'parallel': {
      const [member, ...rest] = pointer;
      const of = placesOf(atlas, file).find((each) => each.node.name === member);
      return of === undefined ? [] : outputField(atlas, of, rest, depth + 1);
    }
    case 'supervisor':
    case 'terminate':
    case 'wait':
      return [];
  }
}

function memberFields(
  atlas: Atlas,
  { file, node: group }: Place,
  pointer: StaticPath,
  depth: number,
): readonly FieldRef[] {
  const place = placesOf(atlas, file).find(
    ({ node }) => group.type === 'for_each' && node === group.member,
  );
  return place === undefined ? [] : outputField(atlas, place, pointer, depth + 1);
}

function inputField(
  atlas: Atlas,
  file: PlacedFile,
  pointer: StaticPath,
  depth: number,
): readonly FieldRef[] {
  const { caller } = file;
  if (caller === undefined)
    return pointer.length === 0 ? [] : [{ place: undefined, pointer, literals: [] }];
  if (caller.node.type !== 'workflow' || depth > MAX_DEPTH) return [];
  const { inputMapping } = caller.node;
  if (inputMapping === undefined) return inputField(atlas, caller.file, pointer, depth + 1);
  return textsIn(partOf(inputMapping, pointer)).flatMap((text) =>
    fieldsBehind(atlas, text, { file: caller.file }, depth + 1),
  );
}

function stateField(
  atlas: Atlas,
  file: PlacedFile,
  pointer: StaticPath,
  depth: number,
): readonly FieldRef[] {
  return placesOf(atlas, file).flatMap(({ node }) =>
    node.type === 'set'
      ? textsIn(partOf(node.state, pointer)).flatMap((text) =>
          fieldsBehind(atlas, text, { file }, depth + 1),
        )
      : [],
  );
}

function sourceField(atlas: Atlas, { node, file }: Place, depth: number): readonly FieldRef[] {
  if (node.type !== 'for_each') return [];
  const source = isBare(node.source) ? `{{ ${node.source} }}` : node.source;
  return fieldsBehind(atlas, source, { file }, depth + 1);
}

/** The part of a template object that a path leads to, or all of it. */
function partOf(value: JsonValue, [key]: StaticPath): JsonValue {
  if (key === undefined || !isPlainObject(value)) return value;
  // true: it is JSON
  const part = value[key];
  return part ?? {};
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  if (isArray(value)) return value.flatMap((item) => textsIn(item));
  if (isPlainObject(value)) return Object.values(value).flatMap((item) => textsIn(item));
  return [];
}
