/** Navigation over the History API: follows links of the page without a reload. */
import { signal } from '@preact/signals';
import { addressOf, pathOf, type Address } from './address.ts';
import { BASE } from './api.ts';

export const address = signal<Address>(here());

function here(): Address {
  const { pathname, search } = window.location;
  return addressOf(pathname.slice(BASE.length), search);
}

/** The address of a page in the form of a link. */
function href(to: Address): string {
  return BASE + pathOf(to);
}

export function go(to: Address, { replace = false } = {}): void {
  const path = href(to);
  if (replace) window.history.replaceState(null, '', path);
  else window.history.pushState(null, '', path);
  const isOther = to.page !== address.value.page;
  linkLeft.value = undefined;
  address.value = to;
  if (isOther) window.scrollTo(0, 0);
}

/** The link that the person followed away from the page that is shown again. */
export const linkLeft = signal<string | undefined>(undefined);

/** Follows links inside the page, and the back button. */
export function listenToNavigation(): void {
  window.addEventListener('popstate', ({ state }: PopStateEvent) => {
    linkLeft.value = leftIn(state);
    address.value = here();
  });
  document.addEventListener('click', (event) => {
    const link = linkOf(event);
    if (link === undefined) return;
    event.preventDefault();
    window.history.replaceState({ left: link.getAttribute('href') }, '');
    go(addressOf(link.pathname.slice(BASE.length), link.search));
  });
}

/** The state of a history entry, which outlives the page that wrote it. */
function leftIn(state: unknown): string | undefined {
  const left =
    typeof state === 'object' && state !== null && 'left' in state ? state.left : undefined;
  return typeof left === 'string' ? left : undefined;
}

/** The link that a plain click follows inside the page. */
function linkOf(event: MouseEvent): HTMLAnchorElement | undefined {
  const isPlain =
    event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  if (!isPlain || event.defaultPrevented || !(event.target instanceof Element)) return undefined;
  const link = event.target.closest('a');
  if (!(link instanceof HTMLAnchorElement) || link.origin !== window.location.origin)
    return undefined;
  const isOurs = link.pathname === BASE || link.pathname.startsWith(`${BASE}/`);
  const isFile =
    link.target !== '' || link.hasAttribute('download') || link.dataset['file'] !== undefined;
  return isOurs && !isFile && link.getAttribute('href')?.startsWith('#') === false
    ? link
    : undefined;
}
