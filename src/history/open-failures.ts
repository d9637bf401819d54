/**
 * Open failures: not yet resolved at a path, or propagating, when no route of their node handled them
 * and the enclosing node decides.
 */
import type { FailureHistoryEntry } from './failure-history-entry.ts';

type FailuresByPath = Map<string, Set<FailureHistoryEntry>>;

export class OpenFailures {
  /** By their path; empty for the run. */
  readonly #open: FailuresByPath = new Map();
  /** By the path of the enclosing node; empty for the run. */
  readonly #propagating: FailuresByPath = new Map();
  readonly #locations = new Map<
    FailureHistoryEntry,
    { readonly among: FailuresByPath; readonly path: string }
  >();

  all(): readonly FailureHistoryEntry[] {
    return [...this.#open.values(), ...this.#propagating.values()].flatMap((failures) => [
      ...failures,
    ]);
  }

  openAt(path: string): readonly FailureHistoryEntry[] {
    return [...(this.#open.get(path) ?? [])];
  }

  propagatingTo(path: string): readonly FailureHistoryEntry[] {
    return [...(this.#propagating.get(path) ?? [])];
  }

  /** The failure of the node itself. */
  failedAt(path: string): FailureHistoryEntry | undefined {
    return this.openAt(path).find(({ failedNode }) => failedNode === path);
  }

  open(failure: FailureHistoryEntry, path: string): void {
    this.#move(failure, path, this.#open);
  }

  propagate(failure: FailureHistoryEntry, path: string): void {
    this.#move(failure, path, this.#propagating);
  }

  close(failure: FailureHistoryEntry): void {
    const current = this.#locations.get(failure);
    if (current === undefined) return;
    const there = current.among.get(current.path);
    there?.delete(failure);
    if (there?.size === 0) current.among.delete(current.path);
    this.#locations.delete(failure);
  }

  #move(failure: FailureHistoryEntry, path: string, among: FailuresByPath): void {
    this.close(failure);
    const there = among.get(path) ?? new Set();
    among.set(path, there.add(failure));
    this.#locations.set(failure, { among, path });
  }
}
