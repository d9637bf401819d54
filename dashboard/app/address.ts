/** Addresses of the pages: read from the path and the query of the location, and written back. */

export type Address =
  | { readonly page: 'runs'; readonly filters: RunFilters }
  | { readonly page: 'run'; readonly run: string; readonly step?: string }
  | { readonly page: 'repair'; readonly run: string }
  | { readonly page: 'gates' }
  | { readonly page: 'workflows' }
  | { readonly page: 'workflow'; readonly name: string }
  | { readonly page: 'kind'; readonly kind: string }
  | { readonly page: 'unknown'; readonly path: string };

export interface RunFilters {
  readonly status?: string;
  readonly attention?: string;
  readonly workflow?: string;
  readonly kind?: string;
  /** The cursor at which the page of the list begins. */
  readonly cursor?: string;
}

const FILTERS = ['status', 'attention', 'workflow', 'kind', 'cursor'] as const;

/** `path` excludes the base at which the server is mounted. */
export function addressOf(path: string, search: string): Address {
  const query = new URLSearchParams(search);
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  const [first, second, third] = parts;
  if (first === undefined) return { page: 'runs', filters: filtersIn(query) };
  if (first === 'gates' && parts.length === 1) return { page: 'gates' };
  if (first === 'workflows' && second === undefined) return { page: 'workflows' };
  if (first === 'workflows' && second !== undefined && parts.length === 2)
    return { page: 'workflow', name: second };
  if (first === 'kinds' && second !== undefined && parts.length === 2)
    return { page: 'kind', kind: second };
  if (first === 'runs' && second !== undefined && parts.length === 2) {
    const step = query.get('step');
    return { page: 'run', run: second, ...(step === null || step === '' ? {} : { step }) };
  }
  if (first === 'runs' && second !== undefined && third === 'repair' && parts.length === 3)
    return { page: 'repair', run: second };
  return { page: 'unknown', path };
}

function filtersIn(query: URLSearchParams): RunFilters {
  return Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = query.get(name) ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );
}

/** A path with invalid encoding is taken literally. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // the page then says that nothing has this name
    return part;
  }
}

/** The path and query of an address, without the base. */
export function pathOf(address: Address): string {
  switch (address.page) {
    case 'runs': {
      const query = new URLSearchParams(
        FILTERS.flatMap((name) => {
          const value = address.filters[name];
          return value === undefined ? [] : [[name, value]];
        }),
      ).toString();
      return query === '' ? '/' : `/?${query}`;
    }
    case 'run': {
      const step =
        address.step === undefined
          ? ''
          : `?${new URLSearchParams({ step: address.step }).toString()}`;
      return `/runs/${encodeURIComponent(address.run)}${step}`;
    }
    case 'repair':
      return `/runs/${encodeURIComponent(address.run)}/repair`;
    case 'gates':
      return '/gates';
    case 'workflows':
      return '/workflows';
    case 'workflow':
      return `/workflows/${encodeURIComponent(address.name)}`;
    case 'kind':
      return `/kinds/${encodeURIComponent(address.kind)}`;
    case 'unknown':
      return address.path;
  }
}
