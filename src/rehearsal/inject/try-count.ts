/**
 * Counts the tries of each path across processes: an attempt that is decided again after a crash is
 * the same try, and one inside another try of an enclosing node is a new one.
 */
import type { RunEvent } from '../../machine/state/events.ts';
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

  /** After a death: only what is stored has happened. */
  rebuild(events: readonly RunEvent[]): void {
    this.#seen.clear();
    this.#current.clear();
    const visits = new Map<string, number>();
    for (const event of events) {
      if (event.type !== 'node:started') continue;
      const { node, path, attempt } = event;
      const around = enclosingPaths(path).map((each) => this.#current.get(each)?.ordinal ?? 0);
      const key = `${path} ${around.join(':')}`;
      const visit = (visits.get(key) ?? 0) + (attempt === 0 ? 1 : 0);
      visits.set(key, visit);
      this.begin({ node, path, visit, attempt });
    }
  }

  of(path: string): CurrentTry {
    return this.#current.get(path) ?? { ordinal: 1, visit: 1 };
  }
}

/** `a[1]/b/c` → `a`, `a[1]/b`: the nodes that a path is inside of, the outermost first. */
export function enclosingPaths(path: string): readonly string[] {
  if (!path.includes('/')) return [];
  const parts = path.split('/');
  return parts.slice(0, -1).map((_, at) =>
    parts
      .slice(0, at + 1)
      .join('/')
      .replace(/\[[^\]]*\]$/, ''),
  );
}
