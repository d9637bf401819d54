/** Navigation over the History API: links of the page are followed without loading it again. */
import { signal } from '@preact/signals';
import { addressOf, pathOf, type Address } from './address.ts';
import { BASE } from './api.ts';

export const address = signal<Address>(here());

function here(): Address {
  const { pathname, search } = window.location;
  return addressOf(pathname.slice(BASE.length), search);
}

/** The address of a page as links have it. */
export function href(to: Address): string {
  return BASE + pathOf(to);
}

export function go(to: Address, { replace = false } = {}): void {
  const path = href(to);
  if (replace) window.history.replaceState(null, '', path);
  else window.history.pushState(null, '', path);
  const isOther = to.page !== address.value.page;
  address.value = to;
  if (isOther) window.scrollTo(0, 0);
}

/** Follows links inside the page, and the back button. */
export function listenToNavigation(): void {
  window.addEventListener('popstate', () => {
    address.value = here();
  });
  document.addEventListener('click', (event) => {
    const link = linkOf(event);
    if (link === undefined) return;
    event.preventDefault();
    go(addressOf(link.pathname.slice(BASE.length), link.search));
  });
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
