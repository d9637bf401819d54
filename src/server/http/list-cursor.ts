/** Cursors of lists: opaque to clients, and bound only to their place in the list. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { CheckedRequest } from './http-route.ts';

export function encodeCursor(place: string): string {
  return Buffer.from(place).toString('base64url');
}

/** Throws `request.invalid` for a cursor that no list has returned. */
export function decodeCursor(cursor: string): string {
  const place = Buffer.from(cursor, 'base64url').toString();
  if (place !== '' && encodeCursor(place) === cursor) return place;
  throw new ErrandError({ kind: 'request.invalid', message: 'The cursor is not one of a list' });
}

/** The `Link` header of a page that is not the last one. */
export function nextLink({ raw }: CheckedRequest, next: string): { readonly link: string } {
  const url = new URL(raw.url);
  url.searchParams.set('cursor', next);
  return { link: `<${url.pathname}${url.search}>; rel="next"` };
}
