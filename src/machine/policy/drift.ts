/** Drift: files or inputs that changed since the last leg of a run, and whether that matters. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { templateSites } from '../../workflow/check/template-sites.ts';
import { canonicalJson } from '../../workflow/plan/stable-hash.ts';
import type { FilePlan, WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import { parseExpression, parseTemplate } from '../../workflow/template/template.ts';
import { isBare } from '../decide/evaluate-templates.ts';
import { findNode, nodesIn, scopeAndAncestors } from '../state/plan-lookup.ts';
import type { ModuleDigests, Resumed } from '../state/events.ts';
import { findVisited } from '../evolve/reopen.ts';
import { scopesInside } from '../state/scopes.ts';
import type { FinishedNodes, RunState, Scope } from '../state/state.ts';
import { addFinished, visitsBefore } from '../evolve/visit-log.ts';
import { missingNodes, type NodeName } from './missing-nodes.ts';

export interface Change {
  /** The plan of the current files. */
  readonly plan?: WorkflowPlan | undefined;
  /** Inputs that replace earlier ones. */
  readonly input?: JsonObject | undefined;
  /** Changed nodes that have finished keep their results. */
  readonly acceptDrift?: boolean | undefined;
  /** Path of a node that runs again; it and the nodes after it do not count as finished. */
  readonly from?: string | undefined;
  /** Digests of the files of its modules, as they are loaded now. */
  readonly modules?: ModuleDigests | undefined;
}

/** The change to record; throws `run.drifted` when it affects nodes that have finished or begun. */
export function driftOf(
  state: RunState,
  change: Change,
): Pick<Resumed, 'plan' | 'drift' | 'modules'> {
  const ofFile = fileDrift(state, change);
  const { modules } = change;
  const { modules: before = {} } = state;
  if (modules === undefined || canonicalJson(modules) === canonicalJson(before)) return ofFile;
  const changed = changedModules(before, modules);
  if (changed.length === 0) return { ...ofFile, modules };
  return {
    ...ofFile,
    modules,
    drift: { kept: [], changed: [], ...ofFile.drift, modules: changed },
  };
}

/**
 * A file in only one of the two was loaded in another way, or by a file that has itself changed.
 */
function changedModules(before: ModuleDigests, now: ModuleDigests): readonly string[] {
  return Object.keys(now).filter((file) => (before[file] ?? now[file]) !== now[file]);
}

function fileDrift(state: RunState, change: Change): Pick<Resumed, 'plan' | 'drift'> {
  const plan = change.plan ?? state.plan;
  // changes that are not drift are adopted too: models, modules, limits, positions in the file
  const isSame = plan === state.plan || canonicalJson(plan) === canonicalJson(state.plan);
  const replaced = replacedInputs(state, change.input ?? {});
  let hasFileChanged = false;
  const finished = finishedNodes(state, change.from)
    .filter(({ file, name }) => {
      const before = findNode(state.plan, file, name);
      if (before?.fingerprint !== findNode(plan, file, name)?.fingerprint) {
        hasFileChanged = true;
        return true;
      }
      // the inputs of a child come from its caller
      return file === '' && before !== undefined && readsAny(state.plan, before, replaced);
    })
    .map(nameOf);
  const begun = begunNodes(state, plan, { replaced, from: change.from });
  const touched = [...new Set([...finished, ...begun.map(nameOf)])];
  hasFileChanged ||= begun.some(({ isChanged }) => isChanged);
  const lost = missingNodes(state, plan, change.from).map(nameOf);
  if (lost.length > 0) throw currentNodesGone(lost, state.run);
  if (touched.length > 0 && change.acceptDrift !== true) {
    const asked = begun.filter(({ isAsked }) => isAsked).map(nameOf);
    throw driftError({ run: state.run, nodes: touched, asked, inputs: replaced, hasFileChanged });
  }
  if (isSame && touched.length === 0) return {};
  return {
    ...(isSame ? {} : { plan }),
    drift: { kept: touched, changed: isSame ? [] : changedNodes(state, plan, touched) },
  };
}

/** A node whose text has changed since the run last executed. */
export interface ChangedNode {
  /** Its name, with its file where that is a called one. */
  readonly node: string;
  /** JSON Pointer into its current file, or into the former one where the node is gone. */
  readonly pointer: string;
  /** Whether it has finished or begun: then a resume has to accept the change. */
  readonly isFinished: boolean;
}

/** All changes that a resume with this plan would find; changes nothing. */
export function changesSince(state: RunState, plan: WorkflowPlan): readonly ChangedNode[] {
  const finished = finishedNodes(state, undefined).filter(
    ({ file, name }) =>
      findNode(state.plan, file, name)?.fingerprint !== findNode(plan, file, name)?.fingerprint,
  );
  const begun = begunNodes(state, plan, { replaced: [], from: undefined });
  const held = new Map([...finished, ...begun].map((each) => [nameOf(each), each] as const));
  const gone = missingNodes(state, plan, undefined).filter((each) => !held.has(nameOf(each)));
  const files = ['', ...Object.keys(plan.children)];
  const others = files.flatMap((file) =>
    nodesIn(plan, file)
      .filter(
        ({ name, fingerprint }) => findNode(state.plan, file, name)?.fingerprint !== fingerprint,
      )
      .map(({ name }) => ({ file, name }))
      .filter((each) => !held.has(nameOf(each))),
  );
  const changed = (each: NodeName, how: { readonly isFinished: boolean }): ChangedNode => {
    const found =
      findNode(plan, each.file, each.name) ?? findNode(state.plan, each.file, each.name);
    return { node: nameOf(each), pointer: found?.location.pointer ?? '', ...how };
  };
  return [
    ...[...held.values()].map((each) => changed(each, { isFinished: true })),
    ...[...gone, ...others].map((each) => changed(each, { isFinished: false })),
  ];
}

/** The nodes whose results the run keeps when it is rewound to `from`. */
function finishedNodes(state: RunState, from: string | undefined): readonly NodeName[] {
  const rewound = from === undefined ? undefined : findVisited(state, from);
  const kept: FinishedNodes = new Map();
  for (const scope of state.scopes.values()) {
    const isRewound = scope === rewound?.[0];
    if (!isRewound && isRerun(state, scope, rewound)) continue;
    addFinished(kept, scope, isRewound ? visitsBefore(...rewound) : scope.visitLog);
  }
  return [...kept].flatMap(([file, names]) => [...names].map((name) => ({ file, name })));
}

/** Whether the visit that a scope is at runs again: it is the rewound scope, or inside it. */
function isRerun(state: RunState, scope: Scope, rewound: ReturnType<typeof findVisited>): boolean {
  return rewound !== undefined && [...scopeAndAncestors(state, scope)].includes(rewound[0]);
}

interface BegunNode extends NodeName {
  /** Changed in the file, and not by an input. */
  readonly isChanged: boolean;
  /** A person is being asked its question. */
  readonly isAsked: boolean;
}

/**
 * Groups, sub-workflows and gates that have begun and would begin differently with the new text or
 * input: their members, their input and the question are fixed, like a result.
 */
function begunNodes(
  state: RunState,
  plan: WorkflowPlan,
  { replaced, from }: { readonly replaced: readonly string[]; readonly from: string | undefined },
): readonly BegunNode[] {
  const rewound = from === undefined ? undefined : findVisited(state, from);
  return [...state.scopes.values()].flatMap((scope): BegunNode[] => {
    const { file, visit } = scope;
    if (visit === undefined || isRerun(state, scope, rewound)) return [];
    const { phase, error } = visit;
    // a gate that was closed with its enclosing node asks anew
    const isAsked = phase.type === 'asking' && error === undefined && state.gates.has(phase.gate);
    if (!isAsked && scopesInside(state, visit).length === 0) return [];
    const named = { file, name: visit.node };
    const before = findNode(state.plan, file, visit.node);
    const beginning = before === undefined ? undefined : beginningOf(before);
    if (before === undefined || beginning === undefined) return [];
    const now = findNode(plan, file, visit.node);
    const isChanged = now !== undefined && beginningOf(now) !== beginning;
    const isFed = file === '' && readsAny(state.plan, before, replaced);
    return isChanged || isFed ? [{ ...named, isChanged, isAsked }] : [];
  });
}

/** The text that a group, a sub-workflow or a gate began with; undefined for nodes that read their text later. */
function beginningOf(node: NodePlan): string | undefined {
  switch (node.type) {
    case 'parallel':
      return canonicalJson([node.type, node.members]);
    case 'for_each':
      return canonicalJson([node.type, node.source, node.as, node.keyBy]);
    case 'workflow':
      return canonicalJson([node.type, node.workflow, node.inputMapping]);
    case 'human_gate': {
      // the routes are the meaning of an answer
      const leads = node.routes.filter(({ onError }) => onError === undefined);
      const routes = leads.map(({ when, move }) => ({ when, move }));
      return canonicalJson([node.type, node.prompt, node.options, node.questions, routes]);
    }
    default:
      return undefined;
  }
}

/** The names of inputs whose values change. */
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

function nameOf({ file, name }: NodeName): string {
  return file === '' ? name : `${name} (${file})`;
}

interface Drifted {
  readonly run: string;
  readonly nodes: readonly string[];
  /** Those of them that are asking a person. */
  readonly asked: readonly string[];
  readonly inputs: readonly string[];
  readonly hasFileChanged: boolean;
}

/** Blames the inputs when the file has not changed. */
function driftError({ run, nodes, asked, inputs, hasFileChanged }: Drifted): ErrandError {
  const names = nodes.join(', ');
  const what = `input${inputs.length === 1 ? '' : 's'} ${inputs.join(', ')}`;
  const undo = hasFileChanged ? 'Undo the change' : `Leave the ${what} as before`;
  const again =
    asked.length === 0
      ? ''
      : ` The question of ${asked.join(', ')} has changed since it was asked: errand show prints the old one, and errand retry ${run} --from NODE asks the new one.`;
  return new ErrandError({
    kind: 'run.drifted',
    message: hasFileChanged
      ? `Nodes that have finished or begun have changed in the file: ${names}`
      : `The ${what} changed after these nodes had read ${inputs.length === 1 ? 'it' : 'them'}: ${names}`,
    details: { nodes: [...nodes], ...(inputs.length === 0 ? {} : { inputs: [...inputs] }) },
    action: {
      kind: hasFileChanged ? 'fix_file' : 'change_input',
      detail: `${undo}, keep the old results with --accept-drift, or start a new run.${again}`,
    },
  });
}

function currentNodesGone(nodes: readonly string[], run: string): ErrandError {
  return new ErrandError({
    kind: 'run.drifted',
    message: `The run is at nodes that the file no longer has: ${nodes.join(', ')}`,
    details: { nodes: [...nodes], gone: [...nodes] },
    action: {
      kind: 'fix_file',
      detail: `Put the nodes back into the file, run a node before or around them again with errand retry ${run} --from NODE, or start a new run.`,
    },
  });
}
