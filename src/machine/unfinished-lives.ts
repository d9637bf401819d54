/**
 * Where the lives are that are not over: open at a path, or rising, when they went past every route of
 * their node and wait for the fate of what is around it.
 */
import type { Life } from './life.ts';

type Places = Map<string, Set<Life>>;

export class UnfinishedLives {
  /** By the path that they are at; empty for the run. */
  readonly #open: Places = new Map();
  /** By the path of the node around theirs; empty for the run. */
  readonly #rising: Places = new Map();
  readonly #placeOf = new Map<Life, { readonly among: Places; readonly path: string }>();

  all(): readonly Life[] {
    return [...this.#open.values(), ...this.#rising.values()].flatMap((lives) => [...lives]);
  }

  openAt(path: string): readonly Life[] {
    return [...(this.#open.get(path) ?? [])];
  }

  risingTo(path: string): readonly Life[] {
    return [...(this.#rising.get(path) ?? [])];
  }

  /** The one that the node itself has failed with. */
  failedAt(path: string): Life | undefined {
    return this.openAt(path).find(({ failedNode }) => failedNode === path);
  }

  open(life: Life, path: string): void {
    this.#move(life, path, this.#open);
  }

  rise(life: Life, path: string): void {
    this.#move(life, path, this.#rising);
  }

  leave(life: Life): void {
    const place = this.#placeOf.get(life);
    if (place === undefined) return;
    const there = place.among.get(place.path);
    there?.delete(life);
    if (there?.size === 0) place.among.delete(place.path);
    this.#placeOf.delete(life);
  }

  #move(life: Life, path: string, among: Places): void {
    this.leave(life);
    const there = among.get(path) ?? new Set();
    among.set(path, there.add(life));
    this.#placeOf.set(life, { among, path });
  }
}
