/**
 * Names of files in a plan. They are relative to the folder in which the plan was loaded, so two
 * processes in different folders give the files of one workflow different names.
 */
import { fileFingerprint, fingerprintedAnew } from './fingerprint.ts';
import type { ToolDescriptions } from '../authoring/tool-description.ts';
import type { FilePlan, WorkflowPlan } from './plan.ts';
import type { NodePlan } from './node-plan.ts';

/**
 * The plan with the names of an earlier plan of the same workflow: a run knows its work in a called
 * file by that file's name. Modules and extensions keep their paths, because they are loaded from
 * here.
 */
export function namedAs(earlier: WorkflowPlan, plan: WorkflowPlan): WorkflowPlan {
  if (earlier.file === plan.file || Object.keys(plan.children).length === 0) return plan;
  const [here, there] = [folderOf(plan.file), folderOf(earlier.file)];
  const known = Object.keys(earlier.children);
  const hidden = known.filter((file) => wayBetween(there, file.split('/')) === undefined);
  const nameOf = (file: string): string => {
    const way = wayBetween(here, file.split('/'));
    const name = way === undefined ? file : joined(there, way).join('/');
    if (way !== undefined && known.includes(name)) return name;
    // one of the two names leaves out a folder that its process stands in
    const alike = (way === undefined ? known : hidden).filter((other) => endsAlike(file, other));
    return alike.length === 1 ? (alike[0] ?? name) : name;
  };
  const { children, tools, ...top } = plan;
  const named = renamed(top, nameOf);
  const entries = Object.entries(children).map(([file, child]): [string, FilePlan] => [
    nameOf(file),
    renamed(child, nameOf),
  ]);
  const described = Object.entries(tools ?? {}).map(([file, each]): [string, ToolDescriptions] => [
    file === '' ? '' : nameOf(file),
    each,
  ]);
  return {
    ...named,
    children: Object.fromEntries(entries),
    ...(tools === undefined ? {} : { tools: Object.fromEntries(described) }),
  };
}

/**
 * A file of a workflow as its scripts see it, which run in the folder of the top file. If the path
 * needs the name of a folder above, returns the name in the plan.
 */
export function besideTop(
  file: string,
  top: string,
): { readonly dir: string; readonly file: string } {
  const way = wayBetween(folderOf(top), folderOf(file)) ?? folderOf(file);
  const name = file.slice(file.lastIndexOf('/') + 1);
  return { dir: way.length === 0 ? '.' : way.join('/'), file: [...way, name].join('/') };
}

type NameOf = (file: string) => string;

function renamed<P extends FilePlan>(plan: P, nameOf: NameOf): P {
  const nodes = plan.nodes.map((node) => renamedNode(node, nameOf));
  const named = { ...plan, file: nameOf(plan.file), nodes };
  return { ...named, fingerprint: fileFingerprint(named) };
}

/** Only nodes that call a file change: all other parts of a fingerprint stay as they were read. */
function renamedNode(node: NodePlan, nameOf: NameOf): NodePlan {
  if (node.type === 'workflow')
    return fingerprintedAnew({ ...node, workflow: nameOf(node.workflow) });
  if (node.type !== 'for_each') return node;
  const member = renamedNode(node.member, nameOf);
  return member === node.member ? node : fingerprintedAnew({ ...node, member });
}

function folderOf(file: string): readonly string[] {
  return file.split('/').slice(0, -1);
}

/** Whether two names can belong to one file: a false pair shows as drift, by its nodes. */
function endsAlike(one: string, other: string): boolean {
  const [a = '', b = ''] = [one, other].map((file) => `/${file.replace(/^(\.\.\/)+/, '')}`);
  return a.endsWith(b) || b.endsWith(a);
}

/** Undefined if it needs the name of a folder above. */
function wayBetween(from: readonly string[], to: readonly string[]): readonly string[] | undefined {
  let shared = 0;
  while (shared < from.length && from[shared] === to[shared]) shared++;
  const up = from.slice(shared);
  if (up.includes('..')) return undefined;
  return [...up.map(() => '..'), ...to.slice(shared)];
}

function joined(folder: readonly string[], way: readonly string[]): readonly string[] {
  const path = [...folder];
  for (const part of way) {
    const last = path.at(-1);
    if (part === '..' && last !== undefined && last !== '..') path.pop();
    else path.push(part);
  }
  return path;
}
