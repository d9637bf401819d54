/** In which order extensions are loaded and started: what one needs comes before it. */
import { ErrandError } from '../errors/errand-error.ts';
import { suggest } from '../errors/suggest.ts';

export interface Dependent {
  readonly name: string;
  readonly needs: readonly string[];
}

/**
 * Otherwise as they were given. Throws `extension.contract` for two of one name, `extension.missing`
 * for what nobody is, and `extension.cycle` for those that need each other.
 */
export function orderExtensions<E extends Dependent>(all: readonly E[]): readonly E[] {
  const byName = new Map<string, E>();
  for (const each of all) {
    if (byName.has(each.name)) throw twice(each.name);
    byName.set(each.name, each);
  }
  const ordered = new Set<E>();
  for (const each of all) add(each, [], { byName, ordered });
  return [...ordered];
}

interface Ordering<E> {
  readonly byName: ReadonlyMap<string, E>;
  readonly ordered: Set<E>;
}

/** `way`: those that led here, each needing the next. */
function add<E extends Dependent>(each: E, way: readonly string[], ordering: Ordering<E>): void {
  const { byName, ordered } = ordering;
  if (ordered.has(each)) return;
  const start = way.indexOf(each.name);
  if (start >= 0) throw inCircle([...way.slice(start), each.name]);
  for (const name of each.needs) {
    const needed = byName.get(name);
    if (needed === undefined) throw missing(each.name, name, [...byName.keys()]);
    add(needed, [...way, each.name], ordering);
  }
  ordered.add(each);
}

function twice(name: string): ErrandError {
  return new ErrandError({
    kind: 'extension.contract',
    message: `Two different extensions are called ${name}`,
    details: { extension: name },
    action: { kind: 'fix_setup', detail: 'Leave one of them out, or rename it.' },
  });
}

function missing(by: string, name: string, known: readonly string[]): ErrandError {
  const meant = suggest(name, known);
  return new ErrandError({
    kind: 'extension.missing',
    message: `The extension ${by} needs the extension ${name}, which is not there`,
    details: { extension: by, needs: name },
    action: {
      kind: 'fix_setup',
      detail:
        meant === undefined
          ? `Add ${name} to the \`extensions\` of the file or of the host.`
          : `Write ${meant} in the \`needs\` of ${by}, or add ${name}.`,
    },
  });
}

function inCircle(circle: readonly string[]): ErrandError {
  return new ErrandError({
    kind: 'extension.cycle',
    message: `Extensions need each other in a circle: ${circle.join(' → ')}`,
    details: { circle },
  });
}
