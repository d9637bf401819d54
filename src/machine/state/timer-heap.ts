/** Heap of a run's timers, the earliest first, so that ten thousand waits do not slow down a step. */
export interface Timers {
  readonly heap: Timer[];
}

interface Timer {
  readonly atMs: number;
  readonly scope: string;
}

export function newTimers(): Timers {
  return { heap: [] };
}

export function setTimer({ heap }: Timers, atMs: number, scope: string): void {
  heap.push({ atMs, scope });
  let child = heap.length - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (!isBefore(heap[child], heap[parent])) return;
    swap(heap, child, parent);
    child = parent;
  }
}

/** When the next wait may end; includes waits that have ended for another reason. */
export function nextTimerMs({ heap }: Timers): number | undefined {
  return heap[0]?.atMs;
}

/** Removes and returns the scopes whose timers are due, in order; they may no longer wait. */
export function takeDue({ heap }: Timers, nowMs: number): string[] {
  const due: string[] = [];
  while (heap[0] !== undefined && heap[0].atMs <= nowMs) {
    due.push(heap[0].scope);
    removeFirst(heap);
  }
  return due;
}

/** Keeps each of these timers once, and drops the others. */
export function keepTimers({ heap }: Timers, isKept: (timer: Timer) => boolean): void {
  const kept = new Map(
    heap.filter(isKept).map((timer) => [`${timer.atMs} ${timer.scope}`, timer] as const),
  );
  heap.length = 0;
  for (const { atMs, scope } of kept.values()) setTimer({ heap }, atMs, scope);
}

function removeFirst(heap: Timer[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  heap[0] = last;
  let parent = 0;
  for (;;) {
    const left = 2 * parent + 1;
    const smaller = isBefore(heap[left + 1], heap[left]) ? left + 1 : left;
    if (!isBefore(heap[smaller], heap[parent])) return;
    swap(heap, smaller, parent);
    parent = smaller;
  }
}

/** Breaks ties by scope, so that the order does not depend on the order of insertion. */
function isBefore(a: Timer | undefined, b: Timer | undefined): boolean {
  if (a === undefined) return false;
  if (b === undefined) return true;
  return a.atMs === b.atMs ? a.scope < b.scope : a.atMs < b.atMs;
}

function swap(heap: Timer[], a: number, b: number): void {
  const first = heap[a];
  const second = heap[b];
  if (first === undefined || second === undefined) return;
  heap[a] = second;
  heap[b] = first;
}
