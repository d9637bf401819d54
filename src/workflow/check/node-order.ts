/** Order of nodes: whether one can have run before another. Reachability of all pairs, as rows of bits. */
import type { Flow } from './flow-graph.ts';

export interface Order {
  /** True when there is a path from `first` to `then`; from a node to itself only through a loop. */
  leadsTo(first: string, then: string): boolean;
}

export function orderOf(flow: Flow): Order {
  const index = new Map([...flow.nodes.keys()].map((name, position) => [name, position]));
  // a file whose templates read no node needs none of it
  let rows: ReadonlyMap<string, Uint32Array> | undefined;
  return {
    leadsTo(first, then) {
      const at = index.get(then);
      rows ??= rowsOf(flow, index);
      return at !== undefined && isSet(rows.get(first), at);
    },
  };
}

/** For each node, the nodes after it. */
function rowsOf(flow: Flow, index: ReadonlyMap<string, number>): ReadonlyMap<string, Uint32Array> {
  const words = Math.ceil(index.size / 32);
  const rows = new Map<string, Uint32Array>();

  for (const { members, isCycle } of flow.components) {
    const row = new Uint32Array(words);
    if (isCycle) for (const member of members) set(row, index.get(member) ?? 0);
    for (const member of members) {
      for (const { to } of flow.from.get(member) ?? []) {
        const at = index.get(to);
        if (at === undefined) continue;
        set(row, at);
        join(row, rows.get(to));
      }
    }
    for (const member of members) rows.set(member, row);
  }
  return rows;
}

function join(row: Uint32Array, other: Uint32Array | undefined): void {
  if (other === undefined || other === row) return;
  for (let at = 0; at < row.length; at++) row[at] = (row[at] ?? 0) | (other[at] ?? 0);
}

function set(row: Uint32Array, at: number): void {
  row[at >>> 5] = (row[at >>> 5] ?? 0) | (1 << (at & 31));
}

function isSet(row: Uint32Array | undefined, at: number): boolean {
  return (((row?.[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1;
}
