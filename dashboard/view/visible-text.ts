/**
 * Characters that nobody sees, and marks that turn text around, are shown as escapes, as a terminal shows
 * them: an output cannot look like something else. It holds for every text of every page, so no place can forget it.
 */
import { options, type VNode } from 'preact';
import { visible } from '../../src/errors/support/printable.ts';

/** For everything that is drawn from now on. */
export function showUnseen(): void {
  const before = options.vnode?.bind(options);
  options.vnode = (vnode: VNode): void => {
    // Preact makes such a node for each text that it draws, wherever it came from; its types have elements only
    const made = vnode as { readonly type: unknown; props: unknown };
    if (made.type === null && typeof made.props === 'string') made.props = visible(made.props);
    before?.(vnode);
  };
}
