/** Whether one node can have run before another: reachability for all pairs, as rows of bits. */
import { components } from './circles.ts';
import type { Flow } from './flow.ts';

export interface Order {
  /** True when there is a way from `first` to `then`; of a node to itself only around a loop. */
  leadsTo(first: string, then: string): boolean;
}

export function orderOf(flow: Flow): Order {
  const index = new Map([...flow.nodes.keys()].map((name, position) => [name, position]));
  const words = Math.ceil(index.size / 32);
  const rows = new Map<string, Uint32Array>();
  const targets = (name: string): string[] =>
    (flow.from.get(name) ?? []).map(({ to }) => to).filter((to) => index.has(to));

  for (const { members, isCircle } of components(index.keys(), targets)) {
    const row = new Uint32Array(words);
    if (isCircle) for (const member of members) set(row, index.get(member) ?? 0);
    for (const target of members.flatMap(targets)) {
      set(row, index.get(target) ?? 0);
      join(row, rows.get(target));
    }
    for (const member of members) rows.set(member, row);
  }
  return {
    leadsTo(first, then) {
      const at = index.get(then);
      return at !== undefined && isSet(rows.get(first), at);
    },
  };
}

function join(row: Uint32Array, other: Uint32Array | undefined): void {
  if (other === undefined) return;
  for (let at = 0; at < row.length; at++) row[at] = (row[at] ?? 0) | (other[at] ?? 0);
}

function set(row: Uint32Array, at: number): void {
  row[at >>> 5] = (row[at >>> 5] ?? 0) | (1 << (at & 31));
}

function isSet(row: Uint32Array | undefined, at: number): boolean {
  return (((row?.[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1;
}
