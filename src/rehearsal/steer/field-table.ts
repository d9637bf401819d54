/** The fields that steering may change: every field behind a guard or an assertion, with its values. */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { Atlas, Place } from '../places/atlas.ts';
import { fits, otherValues } from '../values/made-up.ts';
import { fieldsBehind, type FieldRef, type Site } from './read-fields.ts';

export interface Field {
  readonly id: string;
  readonly place: Place | undefined;
  readonly pointer: readonly (string | number)[];
  /** The values; the world's usual one comes first. */
  readonly values: readonly JsonValue[];
}

/** Which value each field has, by its id; the first where it is not listed. */
export type Assignment = ReadonlyMap<string, number>;

export interface FieldTable {
  readonly all: readonly Field[];
  readonly of: (place: Place | undefined) => readonly Field[];
  /** The fields that a template reads. */
  readonly readBy: (source: string, site: Site) => readonly Field[];
}

/** The world's usual value of a field, and its schema. */
export interface FieldBase {
  readonly value: JsonValue | undefined;
  readonly schema: Parameters<typeof otherValues>[0];
  /** A plan or the command line sets it. */
  readonly isGiven: boolean;
}

export function fieldTable(atlas: Atlas, baseOf: (ref: FieldRef) => FieldBase): FieldTable {
  const merged = new Map<string, FieldRef>();
  for (const { source, site } of conditions(atlas))
    for (const ref of fieldsBehind(atlas, source, site)) {
      const id = idOf(ref);
      const literals = [...(merged.get(id)?.literals ?? []), ...ref.literals];
      merged.set(id, { ...ref, literals });
    }
  // the answer of a gate chooses its route, whether a guard reads it or not
  for (const place of atlas.places) {
    const ref: FieldRef = { place, pointer: ['selected'], literals: [] };
    if (place.node.type === 'human_gate' && !merged.has(idOf(ref))) merged.set(idOf(ref), ref);
  }
  const fields = new Map<string, Field>();
  for (const [id, ref] of merged) {
    const field = fieldOf(id, ref, baseOf(ref));
    if (field !== undefined) fields.set(id, field);
  }
  const all = [...fields.values()];
  return {
    all,
    of: (place) => all.filter((field) => field.place === place),
    readBy: (source, site) => {
      const ids = new Set(fieldsBehind(atlas, source, site).map(idOf));
      return all.filter(({ id }) => ids.has(id));
    },
  };
}

function fieldOf(
  id: string,
  { place, pointer, literals }: FieldRef,
  base: FieldBase,
): Field | undefined {
  if (base.isGiven || base.value === undefined) return undefined;
  const { schema } = base;
  const codes = place?.node.type === 'script' && pointer[0] === 'exit_code' ? [0, 1] : [];
  const others = [...otherValues(schema), ...codes, ...literals].filter(
    (value) => schema === undefined || fits(schema, value),
  );
  const values = unique([base.value, ...others]);
  return values.length < 2 ? undefined : { id, place, pointer, values };
}

function unique(values: readonly JsonValue[]): readonly JsonValue[] {
  const seen = new Map(values.map((value) => [JSON.stringify(value), value]));
  return [...seen.values()];
}

function idOf({ place, pointer }: FieldRef): string {
  return `${place?.name ?? ''}#${pointer.join('/')}`;
}

interface Condition {
  readonly source: string;
  readonly site: Site;
}

/** Every guard and every assertion of every file. */
function conditions(atlas: Atlas): readonly Condition[] {
  const ofNodes = atlas.places.flatMap((place) => [
    ...place.node.assert.map(({ that }) => ({ source: that, site: siteOf(place) })),
    ...place.node.routes.flatMap(({ when }) =>
      when === undefined ? [] : [{ source: when, site: siteOf(place) }],
    ),
  ]);
  const ofFiles = atlas.files.flatMap((file) =>
    file.plan.onError.flatMap(({ when }) =>
      when === undefined ? [] : [{ source: when, site: { file } }],
    ),
  );
  return [...ofNodes, ...ofFiles];
}

export function siteOf(place: Place): Site {
  return { file: place.file, routesOf: place };
}
