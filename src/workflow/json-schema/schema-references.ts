/**
 * Resolves references between schemas. Each schema is visited once, whatever its addresses; a reference
 * can only mean a schema of the same document, and nothing is fetched.
 */
import {
  isJsonList,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../errors/support/safe-json.ts';
import { fromPointer, valueAt } from '../plan/pointer.ts';

export interface References {
  /** Undefined where the target is not in the document. */
  target(holder: JsonObject, reference: string): JsonValue | undefined;
  /** The schema resource of this schema: itself, or the nearest ancestor with `$id`. */
  rootOf(holder: JsonObject): JsonObject;
}

/** Base address of a document that has none. */
const NO_ADDRESS = 'https://errand.invalid/schema';

/** Keywords whose values are data, not schemas. */
const DATA = new Set(['enum', 'const', 'default', 'examples', 'required', 'dependentRequired']);

interface Resource {
  readonly address: string;
  readonly root: JsonObject;
  readonly anchors: Map<string, JsonObject>;
}

export function findReferences(schema: JsonObject): References {
  const resources = new Map<string, Resource>();
  const home = new Map<JsonObject, Resource>();
  const top = newResource(NO_ADDRESS, schema);
  collect(schema, top, { resources, home });
  // a schema with its own address can be reached with and without it
  if (!resources.has(NO_ADDRESS)) resources.set(NO_ADDRESS, home.get(schema) ?? top);
  const rootOf = (holder: JsonObject): JsonObject => (home.get(holder) ?? top).root;
  const find = (holder: JsonObject, reference: string): JsonValue | undefined => {
    const from = home.get(holder) ?? top;
    const [document = '', fragment = ''] = resolve(reference, from.address).split('#');
    const resource = document === from.address ? from : resources.get(document);
    return resource === undefined ? undefined : within(resource, decode(fragment));
  };
  return { rootOf, target: remembering(find) };
}

/** Forgets a schema that its asker has forgotten, such as one that was merged for a moment. */
function remembering(find: References['target']): References['target'] {
  const known = new WeakMap<JsonObject, Map<string, JsonValue | undefined>>();
  return (holder, reference) => {
    const own = known.get(holder) ?? new Map<string, JsonValue | undefined>();
    if (own.has(reference)) return own.get(reference);
    const found = find(holder, reference);
    known.set(holder, own.set(reference, found));
    return found;
  };
}

interface Found {
  readonly resources: Map<string, Resource>;
  readonly home: Map<JsonObject, Resource>;
}

function collect(schema: JsonObject, around: Resource, found: Found): void {
  const waiting: [JsonObject, Resource][] = [[schema, around]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [holder, outer] = next;
    const resource = resourceOf(holder, outer, found);
    found.home.set(holder, resource);
    for (const name of [holder['$anchor'], holder['$dynamicAnchor']]) {
      if (typeof name === 'string') resource.anchors.set(name, holder);
    }
    for (const [key, value] of Object.entries(holder)) {
      if (DATA.has(key)) continue;
      for (const inner of objectsIn(value)) waiting.push([inner, resource]);
    }
  }
}

function resourceOf(holder: JsonObject, outer: Resource, { resources }: Found): Resource {
  const id = holder['$id'] ?? holder['id'];
  const [document, fragment = ''] =
    typeof id === 'string' ? resolve(id, outer.address).split('#') : [];
  // older drafts write an anchor as `$id: #name`
  if (fragment !== '') outer.anchors.set(decode(fragment), holder);
  const isOwn = document !== undefined && document !== outer.address && fragment === '';
  const resource = isOwn ? newResource(document, holder) : outer;
  if (!resources.has(resource.address)) resources.set(resource.address, resource);
  return resource;
}

function newResource(address: string, root: JsonObject): Resource {
  return { address, root, anchors: new Map() };
}

function objectsIn(value: JsonValue): readonly JsonObject[] {
  if (isJsonObject(value)) return [value];
  return isJsonList(value) ? value.filter(isJsonObject) : [];
}

function within({ root, anchors }: Resource, fragment: string): JsonValue | undefined {
  if (fragment === '') return root;
  if (!fragment.startsWith('/')) return anchors.get(fragment);
  // a value inside a JSON document is JSON
  return valueAt(root, fromPointer(fragment)) as JsonValue | undefined;
}

const PARTS = /^([a-z][a-z\d+.-]*:)?(\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?(#.*)?$/is;

/** RFC 3986, as far as schemas use it for references. */
function resolve(reference: string, base: string): string {
  const [, scheme, host, path = '', query, fragment = ''] = PARTS.exec(reference) ?? [];
  if (scheme !== undefined) return reference;
  const [, baseScheme = '', baseHost = '', basePath = '', baseQuery = ''] = PARTS.exec(base) ?? [];
  if (host !== undefined) return `${baseScheme}${reference}`;
  const origin = `${baseScheme}${baseHost}`;
  if (path === '') return `${origin}${basePath}${query ?? baseQuery}${fragment}`;
  const folder = path.startsWith('/') ? '' : basePath.slice(0, basePath.lastIndexOf('/') + 1);
  return `${origin}${withoutDots(`${folder}${path}`)}${query ?? ''}${fragment}`;
}

function withoutDots(path: string): string {
  const kept: string[] = [];
  for (const step of path.split('/')) {
    if (step === '..') kept.pop();
    else if (step !== '.') kept.push(step);
  }
  return kept.join('/');
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    // a lone percent sign is literal
    return fragment;
  }
}
