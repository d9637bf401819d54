/** Lists the changes of a workflow since the last leg of a run, node by node, for a person. */
import { dirname, relative } from 'node:path';
import { isPlainObject } from '../../errors/support/safe-json.ts';
import { singleLine } from '../../errors/support/printable.ts';
import { clip } from '../../errors/render/columns.ts';
import type { FilePlan, WorkflowPlan } from '../../workflow/plan/plan.ts';
import { countWords } from './number-words.ts';

/** Positions in the file, and values derived from others. */
const NOT_COMPARED = new Set([
  'location',
  'pointer',
  'line',
  'column',
  'index',
  'fingerprint',
  'isDefaultMaxIterations',
]);
const MAX_SHOWN = 12;
const MAX_VALUE_COLUMNS = 40;
/** How much unchanged text to show before a change, for orientation. */
const KEPT_BEFORE = 12;

/** Returns no lines where nothing has changed that a person wrote. */
export function planChanges(before: WorkflowPlan, after: WorkflowPlan): readonly string[] {
  const all = [
    ...fileChanges('', before, after),
    ...Object.entries(after.children).flatMap(([key, child]) => {
      const known = before.children[key];
      return known === undefined ? [`${key}: new`] : fileChanges(`${key} `, known, child);
    }),
  ];
  const rest = all.length - MAX_SHOWN;
  return rest > 0 ? [...all.slice(0, MAX_SHOWN), `and ${countWords(rest, 'more change')}`] : all;
}

function fileChanges(prefix: string, before: FilePlan, after: FilePlan): string[] {
  const { nodes: nodesBefore, ...headBefore } = written(before);
  const { nodes: nodesAfter, ...headAfter } = written(after);
  const known = new Map(nodesBefore.map((node) => [node.name, node]));
  const names = new Set(nodesAfter.map(({ name }) => name));
  return [
    ...leaves(headBefore, headAfter, '').map((line) => `${prefix}workflow: ${line}`),
    ...nodesAfter.flatMap((node) => {
      const old = known.get(node.name);
      if (old === undefined) return [`${prefix}${node.name}: new`];
      return leaves(old, node, '').map((line) => `${prefix}${node.name}: ${line}`);
    }),
    ...[...known.keys()]
      .filter((name) => !names.has(name))
      .map((name) => `${prefix}${name}: removed`),
  ];
}

/**
 * Removes children, which are compared separately, and derived values. Paths are relative to the
 * file, as written in it, and not to the folder of the command.
 */
function written({ file, ...plan }: FilePlan & Partial<WorkflowPlan>): Omit<FilePlan, 'file'> {
  const { children: _children, tools: _tools, withheld: _withheld, module, ...rest } = plan;
  return module === undefined ? rest : { ...rest, module: relative(dirname(file), module) };
}

/** `args.1 "a" → "b"`: each value that differs, with its path. */
function leaves(before: unknown, after: unknown, path: string): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isTree(before) && isTree(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys]
      .filter((key) => !NOT_COMPARED.has(key))
      .flatMap((key) => leaves(before[key], after[key], path === '' ? key : `${path}.${key}`));
  }
  const { key, inUnit } = asWritten(path);
  const [was, is] = [textOf(inUnit(before)), textOf(inUnit(after))];
  const skipped = sameBefore(was, is);
  return [`${key} ${from(was, skipped)} → ${from(is, skipped)}`];
}

/** Values of the plan that a file writes in other units: seconds, dollars, and durations as a text. */
const UNITS: readonly (readonly [RegExp, string, (value: number) => unknown])[] = [
  [/\bmove\.timeoutMs$/, 'timeout', duration],
  [/\b(timeout|initial|max)Ms$/, '$1_seconds', (ms) => ms / 1000],
  [/\bexpiresMs$/, 'timeout', duration],
  [/Ms$|(?<=\bduration)$/, '', duration],
  [/UsdMicros$/, '_usd', (micros) => micros / 1_000_000],
  [/\busdMicros$/, 'usd', (micros) => micros / 1_000_000],
];

function duration(ms: number): string {
  return ms < 1000 ? `${ms}ms` : `${ms / 1000}s`;
}

/** `limits.timeout_seconds` for `limits.timeoutMs`: the key as the file has it, or nearly so. */
function asWritten(path: string): {
  readonly key: string;
  readonly inUnit: (value: unknown) => unknown;
} {
  const unit = UNITS.find(([pattern]) => pattern.test(path));
  const named = unit === undefined ? path : path.replace(unit[0], unit[1]);
  const key = named
    .replace(/\bmove\.type$/, 'move')
    .replace(/\bmove\./, '')
    .replace(/\b(?:is|has)(?=[A-Z]\w*$)/, '');
  return {
    key: inSnakeCase(key),
    inUnit: (value) => (typeof value === 'number' && unit !== undefined ? unit[2](value) : value),
  };
}

/** Names of nodes, inputs and values may have any form, so only the last key is respelled. */
function inSnakeCase(key: string): string {
  const dot = key.lastIndexOf('.') + 1;
  const last = key.slice(dot).replace(/[a-z0-9](?=[A-Z])/g, '$&_');
  return `${key.slice(0, dot)}${last.toLowerCase()}`;
}

/** Includes lists: their indexes are their keys. */
function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return isPlainObject(value) || Array.isArray(value);
}

function textOf(value: unknown): string {
  return value === undefined ? 'nothing' : singleLine(JSON.stringify(value));
}

/** How many equal characters to leave out at the beginning, so that the difference is visible. */
function sameBefore(was: string, is: string): number {
  let at = 0;
  while (at < was.length && at < is.length && was[at] === is[at]) at++;
  const begin = Math.max(0, at - KEPT_BEFORE);
  // a short text is shown whole
  return Math.max(was.length, is.length) <= MAX_VALUE_COLUMNS || begin <= KEPT_BEFORE ? 0 : begin;
}

function from(text: string, skipped: number): string {
  return clip(skipped === 0 ? text : `…${text.slice(skipped)}`, MAX_VALUE_COLUMNS);
}
