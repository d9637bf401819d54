/** Visits every node and group of a document, members of `for_each` included, even in an invalid document. */
import { NODE_TYPES, type NodeType } from '../plan/node-plan.ts';
import type { Path } from '../plan/pointer.ts';
import { isExtensionType } from '../nodes/extension.ts';
import { asList, asMap, type Raw } from './read-raw.ts';

export interface FoundNode {
  /** Undefined where the file names no known type. */
  readonly type: NodeType | undefined;
  readonly node: Raw;
  readonly path: Path;
  /** Whether routes may lead to it; a member of `for_each` is reached through its group only. */
  readonly isTarget: boolean;
}

/** The bound of nesting in documents also bounds this walk. */
export function eachNode(root: unknown): FoundNode[] {
  const file = asMap(root);
  return [
    ...nodesIn(file, 'agents', 'agent'),
    ...nodesIn(file, 'nodes', 'agent'),
    ...nodesIn(file, 'parallel', 'parallel'),
    ...nodesIn(file, 'for_each', 'for_each'),
  ];
}

function nodesIn(file: Raw, list: string, fallback: NodeType): FoundNode[] {
  return asList(file[list]).flatMap((item, index) =>
    withMembers({ node: asMap(item), path: [list, index], fallback, isTarget: true }),
  );
}

interface Place {
  readonly node: Raw;
  readonly path: Path;
  readonly fallback: NodeType;
  readonly isTarget: boolean;
}

function withMembers({ node, path, fallback, isTarget }: Place): FoundNode[] {
  const type = typeOf(node, fallback);
  const own: FoundNode = { type, node, path, isTarget };
  if (type !== 'for_each' || !('agent' in node)) return [own];
  const member = asMap(node['agent']);
  const around = { path: [...path, 'agent'], fallback: 'agent', isTarget: false } as const;
  return [own, ...withMembers({ node: member, ...around })];
}

function typeOf(node: Raw, fallback: NodeType): NodeType | undefined {
  if (!('type' in node)) return fallback;
  // a node of an extension follows the rules of a call
  if (isExtensionType(node['type'])) return 'call';
  // questions are asked at a gate
  if (node['type'] === 'questions') return 'human_gate';
  return NODE_TYPES.find((type) => type === node['type']);
}
