/** `docs/reference/workflow-file.md`: every key of a workflow file, from its schema. */
import { stringify } from 'yaml';
import type { JsonObject, JsonValue } from '../../src/errors/support/safe-json.ts';
import { NODE_NOUNS } from '../../src/workflow/schema/node-schema.ts';
import { anchor, cell, page, table } from './markdown.ts';
import {
  definedBlocks,
  fileBlock,
  listIn,
  modelBlock,
  referred,
  type Block,
  type Key,
} from './workflow-keys.ts';

export const WORKFLOW_FILE_PAGE = 'docs/reference/workflow-file.md';

const INTRODUCTION = `A workflow file is YAML. \`errand validate\` checks it, \`errand schema\` prints the JSON Schema that this page
is made from, and every example here passes it. Text may hold [templates](templates.md). A key without a
default may be left out unless it is marked as required. \`NAME\` in a heading stands for a name of your own,
\`[]\` for an item of a list. A **duration** is \`500ms\`, \`60s\`, \`2.5m\`, \`1h\`, \`3d\` or a number of seconds.`;

const EVERY_NODE = 'Keys of every node';

/** Headings for the definitions that are no node. */
const HEADINGS: Readonly<Record<string, string>> = {
  route: 'A route',
  assertion: 'An assertion',
  input: 'An input',
  field: 'A field',
  simulatedAnswer: 'A simulated answer',
  extensionNode: 'Nodes of extensions',
  model: 'A model',
  routeKind: 'A kind',
};

/** A key that at least this many types of nodes share is described once. */
const SHARED = 8;

/** The most values that a cell lists. */
const MAX_VALUES = 20;

export function renderWorkflowFile(): string {
  const file = fileBlock();
  const defined = definedBlocks();
  const nodes = [...defined].filter(([name]) => !(name in HEADINGS) || name === 'extensionNode');
  const shared = sharedKeys(nodes.map(([, block]) => block));
  return page(
    '# Workflow file',
    '<!-- Made by `npm run docs` from src/workflow/schema. Do not edit. -->',
    INTRODUCTION,
    `Contents: ${contents(nodes.map(([name]) => name)).join(' · ')}`,
    '## The file',
    keyTable(file.keys, file.inner),
    ...file.inner.flatMap((block) => blockSection(block, 2)),
    ...['input', 'field', 'simulatedAnswer'].flatMap((name) => definitionSection(name, defined)),
    `## ${EVERY_NODE}`,
    'A node is an item of `agents` or `nodes`. What else it has depends on its type.',
    keyTable([...shared.values()]),
    ...['route', 'assertion'].flatMap((name) => definitionSection(name, defined)),
    `## ${HEADINGS['model']}`,
    'A text: `provider/model`, or a model of `runtime.provider`. Or a list, which is a fallback chain, best first: of such texts and of maps.',
    keyTable(modelBlock().keys),
    ...nodes.flatMap(([name, block]) => nodeSection(headingOf(name), block, shared)),
  );
}

function contents(nodes: readonly string[]): readonly string[] {
  const headings = [
    'The file',
    'workflow',
    ...['input', 'field', 'simulatedAnswer'].map(headingOf),
    EVERY_NODE,
    ...['route', 'assertion', 'model', ...nodes].map(headingOf),
  ];
  return headings.map((heading) => `[${heading.replaceAll('`', '')}](#${anchor(heading)})`);
}

function headingOf(definition: string): string {
  const block = definedBlocks().get(definition);
  return HEADINGS[definition] ?? `\`type: ${block?.name ?? definition}\``;
}

function definitionSection(name: string, defined: ReadonlyMap<string, Block>): readonly string[] {
  const block = defined.get(name);
  if (block === undefined) throw new Error(`the schema defines no ${name}`);
  const { about, keys, inner } = block;
  return [
    `## ${headingOf(name)}`,
    about,
    keyTable(keys, inner),
    ...inner.flatMap((each) => blockSection(each, 3)),
  ];
}

function nodeSection(
  heading: string,
  { about, keys, inner }: Block,
  shared: ReadonlyMap<string, Key>,
): readonly string[] {
  const own = keys.filter(({ name }) => !shared.has(name));
  const others = keys.flatMap(({ name }) => (shared.has(name) ? [`\`${name}\``] : []));
  return [
    `## ${heading}`,
    about,
    `From [every node](#${anchor(EVERY_NODE)}): ${others.join(', ')}.`,
    keyTable(own, inner),
    ...inner.flatMap((each) => blockSection(each, 3)),
  ];
}

function blockSection({ name, about, keys, inner }: Block, level: number): readonly string[] {
  return [
    `${'#'.repeat(level)} \`${name}\``,
    about,
    keyTable(keys, inner),
    ...inner.flatMap((each) => blockSection(each, 3)),
  ];
}

/** The keys that most types have, if they mean the same in all of them. */
function sharedKeys(blocks: readonly Block[]): ReadonlyMap<string, Key> {
  const all = blocks.flatMap(({ keys }) => keys);
  const byName = Map.groupBy(all, ({ name }) => name);
  return new Map(
    [...byName].flatMap(([name, keys]) => {
      const [first] = keys;
      const isSame = new Set(keys.map(({ schema }) => JSON.stringify(schema))).size === 1;
      return first !== undefined && isSame && keys.length >= SHARED ? [[name, first] as const] : [];
    }),
  );
}

function keyTable(keys: readonly Key[], inner: readonly Block[] = []): string {
  return table(
    ['key', 'type', 'values', 'default', 'meaning', 'example', 'since'],
    keys.map((key) => [
      `\`${key.name}\``,
      typeText(key.schema).replace(/\bmap$/, blockLink(key, inner)),
      valuesText(key.schema),
      key.isRequired ? '**required**' : standardText(key.standard),
      cell(key.meaning),
      exampleText(key),
      key.since,
    ]),
  );
}

/** The word for a map, with a link to the block that has its keys. */
function blockLink({ name }: Key, inner: readonly Block[]): string {
  const block = inner.find((each) =>
    `.${each.name}`.replace(/(?:\[\]|\.NAME)+$/, '').endsWith(`.${name}`),
  );
  return block === undefined ? 'map' : `[map](#${anchor(block.name)})`;
}

function standardText(standard: string | undefined): string {
  if (standard === undefined) return '';
  return /^[\w.]+$/.test(standard) ? `\`${standard}\`` : cell(standard);
}

function exampleText({ name, example }: Key): string {
  const text = stringify(
    { [name]: example },
    { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 },
  );
  return `\`${cell(text.trim().replace(/^\{ ?(.*?) ?\}$/s, '$1'))}\``;
}

/** Describes a value in words; a link where another section describes it. */
function typeText(schema: JsonObject): string {
  const { type, items, additionalProperties } = schema;
  const reference = schema['$ref'] ?? listIn(schema, 'allOf')[0]?.['$ref'];
  if (typeof reference === 'string') return referenceText(referred(reference));
  if ('const' in schema) return typeof schema['const'] === 'boolean' ? 'flag' : 'text';
  const options = ['anyOf', 'oneOf'].flatMap((key) => listIn(schema, key));
  if (options.length > 0 && !('properties' in schema)) return optionsText(options);
  if (type === 'array') return `list of ${isObject(items) ? typeText(items) : 'anything'}`;
  if (type === 'object' && !('properties' in schema) && isObject(additionalProperties))
    return `map of ${typeText(additionalProperties)}`;
  if (Array.isArray(type)) return type.map((each) => typeWord(each)).join(' or ');
  if ('enum' in schema) return 'text';
  return typeWord(type);
}

function typeWord(type: unknown): string {
  const words: Readonly<Record<string, string>> = {
    string: 'text',
    integer: 'whole number',
    number: 'number',
    boolean: 'flag',
    object: 'map',
    null: 'nothing',
  };
  return words[String(type)] ?? 'JSON';
}

function optionsText(options: readonly JsonObject[]): string {
  const [first, second] = options;
  if (options.length === 2 && first?.['type'] === 'string' && second?.['type'] === 'number')
    return 'pattern' in first ? 'duration' : 'text or number';
  return [...new Set(options.map(typeText))].join(' or ');
}

function referenceText(name: string): string {
  // the schema of a node refers to itself by a name that zod makes
  if (name === 'node' || name.startsWith('__')) return `[node](#${anchor(EVERY_NODE)})`;
  if (name === 'routeKind') return '[kind](errors.md)';
  const nouns: readonly string[] = Object.keys(NODE_NOUNS);
  const heading = headingOf(name);
  const word = nouns.find((noun) => heading.includes(`: ${noun}\``)) ?? heading;
  return `[${word.replace(/^An? /, '')}](#${anchor(heading)})`;
}

/** The allowed values, if the type alone does not say them. */
function valuesText(schema: JsonObject): string {
  const { enum: values, minimum, maximum, exclusiveMinimum, minItems, items } = schema;
  if ('const' in schema) return codeOf(schema['const']);
  if (Array.isArray(values))
    return values.length > MAX_VALUES
      ? 'kinds of [errors.md](errors.md)'
      : values.map(codeOf).join(', ');
  if (isObject(items) && Array.isArray(items['enum'])) return valuesText(items);
  if (minItems === 1) return 'at least one';
  const options = listIn(schema, 'anyOf');
  // if one option accepts any text, the others are no limit
  if (options.some((option) => option['type'] === 'string' && valuesText(option) === '')) return '';
  const texts = new Set(options.map(valuesText).filter((text) => text !== ''));
  if (texts.size > 0) return [...texts].join(', or ');
  const least = numberText(exclusiveMinimum, 'above') || numberText(minimum, 'from');
  const most = numberText(maximum, 'to');
  return [least, most].filter((text) => text !== '').join(', ');
}

function numberText(value: unknown, word: string): string {
  // the limits of numbers themselves are no limits of ours
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER
    ? `${word} ${value}`
    : '';
}

function codeOf(value: JsonValue | undefined): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
