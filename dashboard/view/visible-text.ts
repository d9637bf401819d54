/**
 * Shows invisible characters and marks that reverse text as escapes, like a terminal: so an output
 * cannot look like something else. It covers every text of every page, so no place can forget it.
 */
import { options, type VNode } from 'preact';
import { visible } from '../../src/errors/support/printable.ts';

/** Applies to everything that is drawn from now on. */
export function showUnseen(): void {
  const before = options.vnode?.bind(options);
  options.vnode = (vnode: VNode): void => {
    // Preact makes such a node for each text that it draws, from any source; its types only have
    // elements
    const made = vnode as { readonly type: unknown; props: unknown };
    if (made.type === null && typeof made.props === 'string') made.props = visible(made.props);
    before?.(vnode);
  };
}
