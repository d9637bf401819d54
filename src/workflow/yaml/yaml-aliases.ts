/** Resolves aliases: each means the latest node before it that has the anchor. */
import { isAlias, isCollection, isNode, isPair, type Alias, type Node } from 'yaml';

export interface Aliases {
  readonly meanings: ReadonlyMap<Alias, Node>;
  /** Every anchor of the file. */
  readonly anchors: readonly string[];
}

export const NO_ALIASES: Aliases = { meanings: new Map(), anchors: [] };

/** One walk in document order; the library would walk the whole file for each alias. */
export function resolveAliases(root: Node): Aliases {
  const anchors = new Map<string, Node>();
  const meanings = new Map<Alias, Node>();
  const visit = (node: unknown): void => {
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target !== undefined) meanings.set(node, target);
      return;
    }
    if (isPair(node)) {
      visit(node.key);
      visit(node.value);
      return;
    }
    if (!isNode(node)) return;
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    if (isCollection(node)) for (const item of node.items) visit(item);
  };
  visit(root);
  return { meanings, anchors: [...anchors.keys()] };
}
