/**
 * Counts the tries of each path, whatever process makes them: an attempt that is decided again after a crash
 * is the same try, and one inside another try of an enclosing node is a new one.
 */
import type { AttemptAt } from '../../machine/ports/interference-port.ts';

export interface CurrentTry {
  /** From 1. */
  readonly ordinal: number;
  readonly visit: number;
}

export class TryCount {
  readonly #seen = new Map<string, Map<string, CurrentTry>>();
  readonly #current = new Map<string, CurrentTry>();

  begin({ path, visit, attempt }: AttemptAt): CurrentTry {
    const around = enclosingPaths(path).map((each) => this.#current.get(each)?.ordinal ?? 0);
    const key = [...around, visit, attempt].join(':');
    const ofPath = this.#seen.get(path) ?? new Map<string, CurrentTry>();
    this.#seen.set(path, ofPath);
    const known = ofPath.get(key) ?? { ordinal: ofPath.size + 1, visit };
    ofPath.set(key, known);
    this.#current.set(path, known);
    return known;
  }

  of(path: string): CurrentTry {
    return this.#current.get(path) ?? { ordinal: 1, visit: 1 };
  }
}

/** `a[1]/b/c` → `a`, `a[1]/b`: the nodes that a path is inside of, the outermost first. */
export function enclosingPaths(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(0, -1).map((_, at) =>
    parts
      .slice(0, at + 1)
      .join('/')
      .replace(/\[[^\]]*\]$/, ''),
  );
}
