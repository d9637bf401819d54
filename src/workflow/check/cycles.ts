/**
 * Finds the cycles of a graph: nodes that can lead back to themselves, grouped (Tarjan's components), in
 * an order where every group comes after the groups it leads to. Iterative, so that a chain of
 * thousands of nodes cannot overflow the stack.
 */
export interface Component {
  readonly members: readonly string[];
  /** More than one member, or one that leads to itself. */
  readonly isCycle: boolean;
}

interface Visit {
  readonly name: string;
  readonly targets: readonly string[];
  next: number;
}

export function components(
  names: Iterable<string>,
  targetsOf: (name: string) => readonly string[],
): readonly Component[] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const pending: string[] = [];
  const isPending = new Set<string>();
  const found: Component[] = [];

  const open = (name: string): Visit => {
    order.set(name, order.size);
    low.set(name, order.get(name) ?? 0);
    pending.push(name);
    isPending.add(name);
    return { name, targets: targetsOf(name), next: 0 };
  };
  const lower = (name: string, to: number): void => {
    low.set(name, Math.min(low.get(name) ?? to, to));
  };
  const close = ({ name, targets }: Visit): void => {
    if (low.get(name) !== order.get(name)) return;
    const members = pending.splice(pending.lastIndexOf(name));
    for (const member of members) isPending.delete(member);
    found.push({ members, isCycle: members.length > 1 || targets.includes(name) });
  };

  for (const start of names) {
    if (order.has(start)) continue;
    const stack = [open(start)];
    for (let visit = stack.at(-1); visit !== undefined; visit = stack.at(-1)) {
      const target = visit.targets[visit.next++];
      if (target === undefined) {
        stack.pop();
        close(visit);
        const caller = stack.at(-1);
        if (caller !== undefined) lower(caller.name, low.get(visit.name) ?? 0);
      } else if (!order.has(target)) stack.push(open(target));
      else if (isPending.has(target)) lower(visit.name, order.get(target) ?? 0);
    }
  }
  return found;
}
