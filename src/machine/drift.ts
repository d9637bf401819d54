/** What changed in a workflow's files or inputs since a run last went on, and whether that matters. */
import { ErrandError } from '../errors/errand-error.ts';
import type { JsonObject } from '../errors/json.ts';
import { allNodes } from '../workflow/all-nodes.ts';
import { templateSites } from '../workflow/check/template-sites.ts';
import { canonicalJson } from '../workflow/hash.ts';
import type { FilePlan, WorkflowPlan } from '../workflow/model.ts';
import type { NodePlan } from '../workflow/node-model.ts';
import { parseExpression, parseTemplate } from '../workflow/template/template.ts';
import { isBare } from './evaluate.ts';
import type { Resumed } from './events.ts';
import { findVisited } from './reopen.ts';
import { insideOf } from './scopes.ts';
import type { RunState } from './state.ts';
import { nodesSince } from './trail.ts';

export interface Change {
  /** The files as they are now. */
  readonly plan?: WorkflowPlan | undefined;
  /** Inputs that replace earlier ones. */
  readonly input?: JsonObject | undefined;
  /** Finished nodes that changed keep their results. */
  readonly acceptDrift?: boolean | undefined;
  /** The path of a node that is run again with all that followed it, which is then not finished. */
  readonly from?: string | undefined;
}

/** What to record of a change; throws `run.drifted` when it touches what is finished. */
export function driftOf(state: RunState, change: Change): Pick<Resumed, 'plan' | 'drift'> {
  const plan = change.plan ?? state.plan;
  // also what is no drift is taken over: models, modules, limits, where things stand in the file
  const isSame = change.plan === undefined || canonicalJson(plan) === canonicalJson(state.plan);
  const replaced = replacedInputs(state, change.input ?? {});
  let hasFileChanged = false;
  const touched = finishedNodes(state, change.from)
    .filter(({ file, name }) => {
      const before = findNode(state.plan, file, name);
      if (before?.fingerprint !== findNode(plan, file, name)?.fingerprint) {
        hasFileChanged = true;
        return true;
      }
      // a child's inputs are its caller's business
      return file === '' && before !== undefined && readsAny(state.plan, before, replaced);
    })
    .map(nameOf)
    .concat(begunNodes(state, plan, { replaced, from: change.from }));
  const lost = standingOnNothing(state, plan);
  if (lost.length > 0) throw gone(lost);
  if (touched.length > 0 && change.acceptDrift !== true)
    throw drifted(touched, replaced, hasFileChanged);
  if (isSame && touched.length === 0) return {};
  return {
    ...(isSame ? {} : { plan }),
    drift: { kept: touched, changed: isSame ? [] : changedNodes(state, plan, touched) },
  };
}

interface NodeName {
  readonly file: string;
  readonly name: string;
}

function finishedNodes(state: RunState, from: string | undefined): readonly NodeName[] {
  const isRunAgain = runAgain(state, from);
  return [...state.finished].flatMap(([file, names]) =>
    [...names].map((name) => ({ file, name })).filter((each) => !isRunAgain(each)),
  );
}

/** The nodes that a run which goes back to this one comes to once more. */
function runAgain(state: RunState, from: string | undefined): (node: NodeName) => boolean {
  const again = from === undefined ? undefined : findVisited(state, from);
  const rerun = again === undefined ? [] : nodesSince(...again);
  return ({ file, name }) => again?.[0].file === file && rerun.includes(name);
}

/**
 * Groups and sub-workflows that have begun, and would have begun otherwise by the new text or input: their
 * members and what they were given are settled, as a result is.
 */
function begunNodes(
  state: RunState,
  plan: WorkflowPlan,
  { replaced, from }: { readonly replaced: readonly string[]; readonly from: string | undefined },
): readonly string[] {
  const isRunAgain = runAgain(state, from);
  const begun = [...state.scopes.values()].flatMap(({ file, visit }): NodeName[] => {
    if (visit === undefined || insideOf(state, visit).length === 0) return [];
    const named = { file, name: visit.node };
    const before = findNode(state.plan, file, visit.node);
    const beginning = before === undefined ? undefined : beginningOf(before);
    if (before === undefined || beginning === undefined || isRunAgain(named)) return [];
    const now = findNode(plan, file, visit.node);
    const isChanged = now !== undefined && beginningOf(now) !== beginning;
    const isFed = file === '' && readsAny(state.plan, before, replaced);
    return isChanged || isFed ? [named] : [];
  });
  return [...new Set(begun.map(nameOf))];
}

/** What a node that runs others began with; undefined for one that takes its text as it goes. */
function beginningOf(node: NodePlan): string | undefined {
  switch (node.type) {
    case 'parallel':
      return canonicalJson([node.type, node.members]);
    case 'for_each':
      return canonicalJson([node.type, node.source, node.as, node.keyBy]);
    case 'workflow':
      return canonicalJson([node.type, node.workflow, node.inputMapping]);
    default:
      return undefined;
  }
}

/** The names of inputs whose values really change. */
function replacedInputs(state: RunState, input: JsonObject): readonly string[] {
  const before = inputOf(state);
  return Object.keys(input).filter(
    (key) => canonicalJson(input[key]) !== canonicalJson(before[key]),
  );
}

function inputOf(state: RunState): JsonObject {
  return state.scopes.get('')?.input ?? {};
}

function readsAny(plan: FilePlan, node: NodePlan, inputs: readonly string[]): boolean {
  if (inputs.length === 0) return false;
  if (node.type === 'workflow' && node.inputMapping === undefined) return true;
  return templateSites(plan)
    .filter((site) => site.node?.name === node.name)
    .some(({ source, bare }) => {
      const isExpression = bare !== undefined && isBare(source);
      const parsed = isExpression ? parseExpression(source) : parseTemplate(source);
      if (!parsed.ok) return false;
      return parsed.template.references.some(({ path: [root, field, name] }) => {
        if (root !== 'workflow' || (field !== undefined && field !== 'input')) return false;
        return name === undefined || inputs.includes(String(name));
      });
    });
}

/** Nodes that a line of control is at, and that are no longer there. */
function standingOnNothing(state: RunState, plan: WorkflowPlan): readonly string[] {
  return [...state.scopes.values()]
    .filter(({ visit, result, file }) => {
      if (visit === undefined || result !== undefined) return false;
      return findNode(plan, file, visit.node) === undefined;
    })
    .map(({ visit, file }) => nameOf({ file, name: visit?.node ?? '' }));
}

function changedNodes(
  state: RunState,
  plan: WorkflowPlan,
  touched: readonly string[],
): readonly string[] {
  const files = ['', ...Object.keys(plan.children)];
  return files.flatMap((file) =>
    nodesIn(plan, file)
      .filter(
        ({ name, fingerprint }) => findNode(state.plan, file, name)?.fingerprint !== fingerprint,
      )
      .map(({ name }) => nameOf({ file, name }))
      .filter((name) => !touched.includes(name)),
  );
}

export function findNode(plan: WorkflowPlan, file: string, name: string): NodePlan | undefined {
  return nodesIn(plan, file).find((node) => node.name === name);
}

function nodesIn(plan: WorkflowPlan, file: string): readonly NodePlan[] {
  const found = filePlan(plan, file);
  return found === undefined ? [] : allNodes(found);
}

function filePlan(plan: WorkflowPlan, file: string): FilePlan | undefined {
  return file === '' ? plan : plan.children[file];
}

function nameOf({ file, name }: NodeName): string {
  return file === '' ? name : `${name} (${file})`;
}

/** Where the file left them as they were, it is the inputs that were changed. */
function drifted(
  nodes: readonly string[],
  inputs: readonly string[],
  hasFileChanged: boolean,
): ErrandError {
  const names = nodes.join(', ');
  const what = `input${inputs.length === 1 ? '' : 's'} ${inputs.join(', ')}`;
  const undo = hasFileChanged ? 'Undo the change' : `Leave the ${what} as before`;
  return new ErrandError({
    kind: 'run.drifted',
    message: hasFileChanged
      ? `Nodes that have finished or begun have changed since: ${names}`
      : `The ${what} changed, which nodes that have finished or begun have read: ${names}`,
    details: { nodes: [...nodes], ...(inputs.length === 0 ? {} : { inputs: [...inputs] }) },
    action: {
      kind: hasFileChanged ? 'fix_file' : 'change_input',
      detail: `${undo}, keep the old results with --accept-drift, or start a new run.`,
    },
  });
}

function gone(nodes: readonly string[]): ErrandError {
  return new ErrandError({
    kind: 'run.drifted',
    message: `The run stands at nodes that the file no longer has: ${nodes.join(', ')}`,
    details: { nodes: [...nodes] },
    action: { kind: 'fix_file', detail: 'Put them back, or start a new run.' },
  });
}
