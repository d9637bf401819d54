/** Where a fault happens: at a node, a model, a tool, or a tool server. */
import type { Place } from '../places/atlas.ts';

export interface FaultSubject {
  readonly type: 'node' | 'model' | 'tool' | 'mcp';
  readonly name: string;
}

const PREFIXES = ['model', 'tool', 'mcp'] as const;

export function subjectOf(at: string): FaultSubject {
  const type = PREFIXES.find((prefix) => at.startsWith(`${prefix}:`));
  return type === undefined
    ? { type: 'node', name: at }
    : { type, name: at.slice(type.length + 1) };
}

/** Whether the node itself calls something. */
export function hasEffect({ node }: Place): boolean {
  switch (node.type) {
    case 'agent':
    case 'supervisor':
    case 'script':
    case 'call':
    case 'tool':
    case 'transform':
      return true;
    default:
      return false;
  }
}
