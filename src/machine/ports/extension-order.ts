/** Order in which extensions are loaded and started: each after those that it needs. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { suggest } from '../../errors/support/suggest.ts';

export interface Dependent {
  readonly name: string;
  readonly needs: readonly string[];
}

/**
 * Otherwise keeps the order. Throws `extension.contract` for two of one name, `extension.missing` for
 * an unknown name, and `extension.cycle` for extensions that need each other.
 */
export function orderExtensions<E extends Dependent>(all: readonly E[]): readonly E[] {
  const byName = new Map<string, E>();
  for (const each of all) {
    if (byName.has(each.name)) throw duplicateName(each.name);
    byName.set(each.name, each);
  }
  const ordered = new Set<E>();
  for (const each of all) addWithNeeds(each, [], { byName, ordered });
  return [...ordered];
}

interface Ordering<E> {
  readonly byName: ReadonlyMap<string, E>;
  readonly ordered: Set<E>;
}

/** `way`: the chain that led here, each extension needing the next. */
function addWithNeeds<E extends Dependent>(
  each: E,
  way: readonly string[],
  ordering: Ordering<E>,
): void {
  const { byName, ordered } = ordering;
  if (ordered.has(each)) return;
  const start = way.indexOf(each.name);
  if (start >= 0) throw dependencyCycle([...way.slice(start), each.name]);
  for (const name of each.needs) {
    const needed = byName.get(name);
    if (needed === undefined) throw missingExtension(each.name, name, [...byName.keys()]);
    addWithNeeds(needed, [...way, each.name], ordering);
  }
  ordered.add(each);
}

function duplicateName(name: string): ErrandError {
  return new ErrandError({
    kind: 'extension.contract',
    message: `Two different extensions are called ${name}`,
    details: { extension: name },
    action: { kind: 'fix_setup', detail: 'Leave one of them out, or rename it.' },
  });
}

function missingExtension(by: string, name: string, known: readonly string[]): ErrandError {
  const meant = suggest(name, known);
  return new ErrandError({
    kind: 'extension.missing',
    message: `The extension ${by} needs the extension ${name}, which is missing`,
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

function dependencyCycle(circle: readonly string[]): ErrandError {
  return new ErrandError({
    kind: 'extension.cycle',
    message: `Extensions need each other in a circle: ${circle.join(' → ')}`,
    details: { circle },
  });
}
