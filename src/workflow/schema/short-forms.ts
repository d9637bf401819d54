/**
 * Short forms that people write in place of a map or a list, with the correct form: `park: 15m` is
 * `park: {for: 15m}`, `label: string` is `label: {type: string}`.
 */
import { isArray, isPlainObject } from '../../errors/support/safe-json.ts';
import { FIELD_TYPES } from '../plan/plan.ts';
import { ASK_OPTIONS } from '../plan/route-plan.ts';
import type { Path } from '../plan/pointer.ts';
import { meantDuration, parseDuration } from '../plan/duration.ts';
import { NODE_LISTS } from '../diagnostics/problem.ts';
import { flowText } from './flow-text.ts';

type ShortForm = (value: unknown) => unknown;

/** By the key that holds the short form. */
const BY_KEY: Readonly<Record<string, ShortForm>> = {
  retry: (value) => {
    if (value === true) return { max: 2 };
    return isCount(value) ? { max: Number(value) } : undefined;
  },
  park: (value) => {
    const duration = typeof value === 'number' ? `${value}s` : durationOf(value);
    return duration === undefined ? undefined : { for: duration };
  },
  ask: (value) => {
    const options = isArray(value) ? value : [value];
    return options.every(isAskOption) ? { options } : undefined;
  },
  halt: (value) => (typeof value === 'string' ? { message: value } : undefined),
  budget: (value) => (typeof value === 'number' ? { usd: value } : undefined),
  context: (value) => (typeof value === 'string' ? { mode: value } : undefined),
  input: (value) => (typeof value === 'string' ? [value.replace(TEMPLATE, '$1')] : undefined),
  routes: (value) => {
    if (typeof value === 'string') return [{ to: value }];
    return isPlainObject(value) ? [value] : undefined;
  },
  assert: (value) => {
    if (typeof value === 'string') return [{ that: value }];
    return isPlainObject(value) ? [value] : undefined;
  },
};

/** Lists of texts, for which people write a single text. */
const TEXT_LISTS: ReadonlySet<unknown> = new Set(['args', 'tools', 'raises', 'writes', 'manages']);

/** By the list that contains the short form. */
const BY_LIST: Readonly<Record<string, ShortForm>> = {
  routes: (value) => (typeof value === 'string' ? { to: value } : undefined),
  assert: (value) => (typeof value === 'string' ? { that: value } : undefined),
  options: (value) => (isPlainObject(value) || isArray(value) ? undefined : { value }),
};

/** `{{ workflow.input.ticket }}`. */
const TEMPLATE = /^\{\{\s*(.+?)\s*\}\}$/;

/** Maps of fields, by the key that holds them. */
const FIELD_MAPS: ReadonlySet<unknown> = new Set(['output', 'input', 'state', 'properties']);

/** Names of types in other languages. */
const TYPE_WORDS: ReadonlyMap<string, string> = new Map([
  ...FIELD_TYPES.map((type) => [type, type] as const),
  ...['str', 'text', 'date', 'datetime', 'url', 'email', 'enum'].map(
    (word) => [word, 'string'] as const,
  ),
  ...['int', 'long'].map((word) => [word, 'integer'] as const),
  ...['float', 'double', 'decimal', 'num'].map((word) => [word, 'number'] as const),
  ...['bool'].map((word) => [word, 'boolean'] as const),
  ...['list', 'sequence', 'tuple'].map((word) => [word, 'array'] as const),
  ...['map', 'dict', 'record', 'json'].map((word) => [word, 'object'] as const),
]);

/** Suggests the correct form, if the value is a short form. */
export function longForm(path: Path, value: unknown, node: unknown): string | undefined {
  const [key, owner] = [path.at(-1), path.at(-2)];
  if (key === 'input' && owner === 'workflow') return undefined;
  if (key === 'input' && isPlainObject(value)) return mapOfInputs(node);
  if (path.length === 1 && NODE_LISTS.has(key) && isPlainObject(value)) return mapOfNodes(value);
  if (key === 'type' && isField(path.slice(0, -1))) return TYPE_WORDS.get(textOf(value));
  if (TEXT_LISTS.has(key) && !isField(path)) return listOf(value);
  const isAsked = owner === 'options' && path.at(-3) === 'ask';
  const list = typeof key === 'number' && !isAsked ? BY_LIST[String(owner)] : undefined;
  const form = list ?? (typeof key === 'string' && isField(path) ? fieldOf : BY_KEY[String(key)]);
  const long = form?.(value);
  return long === undefined ? undefined : flowText(long);
}

/** `tools: all` names no tool. */
function listOf(value: unknown): string | undefined {
  const word = textOf(value);
  if (word === '' || word === 'all' || word === '*') return undefined;
  return flowText(word === 'none' || word === 'no' ? [] : [value]);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}

/** Nodes without a `-`, or by name. */
function mapOfNodes(nodes: Readonly<Record<string, unknown>>): string {
  const name = typeof nodes['name'] === 'string' ? nodes['name'] : Object.keys(nodes)[0];
  const example = name === undefined ? '' : `, for example \`- name: ${flowText(name)}\``;
  return `Begin each node with \`- \`${example}`;
}

/** Values by name have another key, which depends on the type of the node. */
function mapOfInputs(node: unknown): string | undefined {
  const key = isPlainObject(node) ? VALUES_BY_NAME.get(node['type']) : undefined;
  return key === undefined ? undefined : `Write \`${key}:\` instead of \`input:\``;
}

const VALUES_BY_NAME: ReadonlyMap<unknown, string> = new Map([
  ['workflow', 'input_mapping'],
  ['call', 'arguments'],
  ['tool', 'arguments'],
]);

function isField(path: Path): boolean {
  return path.at(-1) === 'items' || FIELD_MAPS.has(path.at(-2));
}

/** `label: string`, `label: [bug, other]`, `label:` without a value. */
function fieldOf(value: unknown): unknown {
  if (value === null) return { type: 'string' };
  if (isArray(value)) return { type: typeOfAll(value), enum: value };
  if (typeof value !== 'string') return undefined;
  const items = /^(?:list|array)\s*[[<(]\s*(\w+)\s*[\])>]$|^(\w+)\[\]$/i.exec(value);
  const item = TYPE_WORDS.get((items?.[1] ?? items?.[2] ?? '').toLowerCase());
  if (item !== undefined) return { type: 'array', items: { type: item } };
  return { type: TYPE_WORDS.get(value.toLowerCase().replace(/\?$/, '')) ?? 'string' };
}

function typeOfAll(values: readonly unknown[]): string {
  return values.length > 0 && values.every((value) => typeof value === 'number')
    ? 'number'
    : 'string';
}

function durationOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return parseDuration(value) === undefined ? meantDuration(value) : value;
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^\d{1,3}$/.test(value));
}

function isAskOption(value: unknown): boolean {
  return ASK_OPTIONS.some((option) => option === value);
}
