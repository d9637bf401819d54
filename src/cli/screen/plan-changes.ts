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
/** Of what is the same before a change, so that its place can be recognised. */
const KEPT_BEFORE = 12;

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
  const [was, is] = [textOf(before), textOf(after)];
  const skipped = sameBefore(was, is);
  return [`${path} ${from(was, skipped)} → ${from(is, skipped)}`];
}

/** Lists too: their indexes are their keys. */
function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return isPlainObject(value) || Array.isArray(value);
}

function textOf(value: unknown): string {
  return value === undefined ? 'nothing' : singleLine(JSON.stringify(value));
}

/** How much of both is the same and can be left out, so that a person sees what is not. */
function sameBefore(was: string, is: string): number {
  let at = 0;
  while (at < was.length && at < is.length && was[at] === is[at]) at++;
  const begin = Math.max(0, at - KEPT_BEFORE);
  // a beginning that is shown anyway is not cut
  return Math.max(was.length, is.length) <= MAX_VALUE_COLUMNS || begin <= KEPT_BEFORE ? 0 : begin;
}

function from(text: string, skipped: number): string {
  return clip(skipped === 0 ? text : `…${text.slice(skipped)}`, MAX_VALUE_COLUMNS);
}
