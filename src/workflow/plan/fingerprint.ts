/** Fingerprint of everything that a finished node depended on: when it differs, the node has drifted. */
import { hashValue } from './stable-hash.ts';
import type { FilePlan, WorkflowPlan } from './plan.ts';
import type { NodePlan } from './node-plan.ts';
import type { Assertion, Route } from './route-plan.ts';

type Unmarked<T> = T extends NodePlan ? Omit<T, 'fingerprint'> : never;

/** A model, a description and a location in the file may change between two legs of a run. */
export function withFingerprint(node: Unmarked<NodePlan>): NodePlan {
  const { location: _location, description: _description, ...content } = node;
  const essence: Record<string, unknown> = {
    ...content,
    routes: node.routes.map(withoutPlace),
    assert: node.assert.map(withoutPlace),
    model: undefined,
  };
  if ('member' in node) essence['member'] = node.member.fingerprint;
  return { ...node, fingerprint: hashValue(essence) };
}

/** For a node that was changed after its file was read. */
export function fingerprintedAnew(node: NodePlan): NodePlan {
  const { fingerprint: _fingerprint, ...rest } = node;
  const inner = node.type === 'for_each' ? { member: fingerprintedAnew(node.member) } : {};
  return withFingerprint({ ...rest, ...inner });
}

/** The changed plan, whose changed nodes get new fingerprints. */
export function refingerprinted(whole: WorkflowPlan, changed: WorkflowPlan): WorkflowPlan {
  const children = Object.entries(changed.children).map(([file, child]) => {
    const nodes = changedNodes(whole.children[file] ?? child, child);
    return [file, { ...child, nodes }] as const;
  });
  return {
    ...changed,
    nodes: changedNodes(whole, changed),
    children: Object.fromEntries(children),
  };
}

function changedNodes(whole: FilePlan, changed: FilePlan): FilePlan['nodes'] {
  return changed.nodes.map((node, at) =>
    JSON.stringify(node) === JSON.stringify(whole.nodes[at]) ? node : fingerprintedAnew(node),
  );
}

export function fileFingerprint(plan: Omit<FilePlan, 'fingerprint'>): string {
  const { nodes, onError, input, state, contextMode, instructions, entryPoint, output } = plan;
  return hashValue({
    nodes: nodes.map(({ name, fingerprint }) => [name, fingerprint]),
    onError: onError.map(withoutPlace),
    input,
    state,
    contextMode,
    instructions,
    entryPoint,
    output,
  });
}

function withoutPlace<T extends Route | Assertion>(item: T): object {
  const { file: _file, pointer: _pointer, line: _line, column: _column, ...content } = item;
  return content;
}
