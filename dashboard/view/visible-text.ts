/**
 * Characters that nobody sees, and marks that turn text around, are shown as escapes, as a terminal shows
 * them: an output cannot look like something else. It holds for every text of every page, so no place can forget it.
 */
import { options, type ComponentChildren, type VNode } from 'preact';
import { visible } from '../../src/errors/support/printable.ts';

function shown(children: ComponentChildren): ComponentChildren {
  if (typeof children === 'string') return visible(children);
  if (!Array.isArray(children)) return children;
  const isText = children.some((child) => typeof child === 'string');
  return isText ? children.map((child) => shown(child as ComponentChildren)) : children;
}

/** For everything that is drawn from now on. */
export function showUnseen(): void {
  const { vnode: before } = options;
  options.vnode = (vnode: VNode): void => {
    // made just now, so nobody else has them yet
    const props = vnode.props as { children?: ComponentChildren };
    if (props.children !== undefined) props.children = shown(props.children);
    before?.(vnode);
  };
}
