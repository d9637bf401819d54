/**
 * Kinds as JSON Schema, for completion in editors and for other validators. The rules with the good
 * messages are in `rules/kind-rules.ts`; a test keeps the two in agreement.
 */
import { RESERVED_PREFIXES, RUNTIME_KINDS } from '../../errors/catalog/catalog.ts';
import { KIND_GRAMMAR, KIND_PREFIX_GRAMMAR, MAX_KIND_CHARS } from '../../errors/catalog/kinds.ts';
import { Schema } from './schema.ts';

const RESERVED = [...RESERVED_PREFIXES].toSorted().join('|');
const NOT_RESERVED = `(?!(${RESERVED})\\.)`;

/** Every prefix that has catalog kinds below it, `sandbox.*` and the like. */
const WILDCARDS = [...RESERVED_PREFIXES].toSorted().map((prefix) => `${prefix}.*`);

/** A kind that authors may raise. */
const AUTHOR_KIND = {
  type: 'string',
  maxLength: MAX_KIND_CHARS,
  pattern: `^${NOT_RESERVED}${KIND_GRAMMAR}$`,
};

const AUTHOR_WILDCARD = {
  type: 'string',
  pattern: `^${NOT_RESERVED}${KIND_PREFIX_GRAMMAR}\\.\\*$`,
};

/** Shared definitions, so that completion offers every kind of the catalog, in lists of kinds too. */
export const KIND_DEFINITIONS = {
  routeKind: {
    description: 'A kind of the catalog, one of your own, or a prefix with `.*`.',
    anyOf: [{ enum: [...RUNTIME_KINDS.toSorted(), ...WILDCARDS] }, AUTHOR_KIND, AUTHOR_WILDCARD],
  },
};

const ROUTE_KIND = { $ref: '#/definitions/routeKind' };

/** Accepts anything here: the rules, which know the catalog, report problems. */
export const onErrorSchema: Schema<true | string | string[]> = new Schema<true | string | string[]>(
  { is: 'anything' },
).meta({
  description:
    'Makes this an error route: `true` for any failure, a kind, a list of kinds, or "prefix.*".',
  markdownDescription:
    'Makes this an **error route**: `true` for any failure, a kind, a list of kinds, or `"prefix.*"`. Without it, the route is for success.',
  anyOf: [
    { const: true, description: 'Any failure.' },
    ROUTE_KIND,
    { type: 'array', minItems: 1, items: ROUTE_KIND },
  ],
});

export const raisedKind: Schema<string> = textual('a kind such as order.missing').meta({
  description: 'A kind of your own: dotted lowercase words, not under a prefix of the runtime.',
  ...AUTHOR_KIND,
});

/** Kind of an assertion, which may also name the default. */
export const assertedKind: Schema<string> = textual('a kind such as order.missing').meta({
  description: 'The kind that a failing assertion raises. Default: assert.failed.',
  type: undefined,
  anyOf: [{ const: 'assert.failed' }, AUTHOR_KIND],
});

const PROVIDER_KINDS = RUNTIME_KINDS.filter((kind) => kind.startsWith('provider.')).toSorted();

export const providerKind: Schema<string> = textual('a kind of provider failure').meta({
  description: 'A kind of provider failure.',
  enum: PROVIDER_KINDS,
});

/** Kind of a simulated failure: any kind of the catalog. */
export const simulatedKind: Schema<string> = textual('a kind of the catalog').meta({
  description: 'The kind of the failure.',
  enum: RUNTIME_KINDS.toSorted(),
});

function textual(expected: string): Schema<string> {
  return new Schema({ is: 'text', expected });
}
