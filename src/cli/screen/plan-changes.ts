/** What is different in a workflow since a run last went on, node by node, for a person. */
import { isPlainObject } from '../../errors/json.ts';
import { singleLine } from '../../errors/printable.ts';
import { clip } from '../../errors/render/columns.ts';
import type { FilePlan, WorkflowPlan } from '../../workflow/model.ts';
import { countWords } from './words.ts';

/** Where things stand in the file, and what is derived from the rest. */
const NOT_SAID = new Set(['location', 'pointer', 'line', 'column', 'index', 'fingerprint']);
const MAX_TOLD = 12;
const MAX_VALUE_COLUMNS = 40;

/** Empty where nothing has changed that a person wrote. */
export function planChanges(before: WorkflowPlan, after: WorkflowPlan): readonly string[] {
  const all = [
    ...fileChanges('', before, after),
    ...Object.entries(after.children).flatMap(([key, child]) => {
      const known = before.children[key];
      return known === undefined ? [`${key}: new`] : fileChanges(`${key} `, known, child);
    }),
  ];
  const rest = all.length - MAX_TOLD;
  return rest > 0 ? [...all.slice(0, MAX_TOLD), `and ${countWords(rest, 'more change')}`] : all;
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
    ...[...known.keys()].filter((name) => !names.has(name)).map((name) => `${prefix}${name}: gone`),
  ];
}

/** Without what is told elsewhere, and what nobody wrote. */
function written(plan: FilePlan & Partial<WorkflowPlan>): FilePlan {
  const { children: _children, tools: _tools, withheld: _withheld, ...file } = plan;
  return file;
}

/** `args.1 "a" → "b"`: each value that differs, by where it is. */
function leaves(before: unknown, after: unknown, path: string): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isTree(before) && isTree(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys]
      .filter((key) => !NOT_SAID.has(key))
      .flatMap((key) => leaves(before[key], after[key], path === '' ? key : `${path}.${key}`));
  }
  return [`${path} ${shown(before)} → ${shown(after)}`];
}

/** Lists too: their indexes are their keys. */
function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return isPlainObject(value) || Array.isArray(value);
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  return clip(singleLine(JSON.stringify(value)), MAX_VALUE_COLUMNS);
}
