/**
 * The `Host` and `Origin` of a request. A stranger's page can point a name of its own at this
 * machine, so only known names pass; an address cannot be pointed anywhere.
 */
import { isIP } from 'node:net';

export interface HostRules {
  /** Names besides addresses and loopback names, in lower case. */
  readonly names: ReadonlySet<string>;
  /** Origins that may read answers from pages of other hosts. */
  readonly origins: ReadonlySet<string>;
  /** False: the application around the server has checked the host. */
  readonly checksHost: boolean;
}

/** Why the request is refused; undefined when it is not. */
export function refusedHost(
  host: string | null,
  origin: string | null,
  { names, origins, checksHost }: HostRules,
): string | undefined {
  const name = hostName(host);
  if (checksHost && (name === undefined || !isAllowed(name, names)))
    return 'The server does not answer under this Host';
  if (origin === null || origins.has(origin)) return undefined;
  return isSameHost(origin, host) ? undefined : 'The server does not allow this Origin';
}

function isAllowed(name: string, names: ReadonlySet<string>): boolean {
  const isLoopback = name === 'localhost' || name.endsWith('.localhost');
  return isIP(name) !== 0 || isLoopback || names.has(name);
}

const MAX_PORT = 65_535;

/** Without its port; undefined if it is not a host. */
export function hostName(host: string | null): string | undefined {
  const [, bracketed, plain, port = '0'] =
    /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?$/i.exec(host?.trim() ?? '') ?? [];
  if (Number(port) > MAX_PORT) return undefined;
  return (bracketed ?? plain)?.toLowerCase().replace(/\.$/, '');
}

/**
 * As a URL spells it: an address in its shortest form. Undefined for a host that no URL can have.
 */
export function hostInUrl(host: string | null): string | undefined {
  if (hostName(host) === undefined) return undefined;
  const url = `http://${host?.trim() ?? ''}`;
  return URL.canParse(url) ? new URL(url).host : undefined;
}

/** Cookies ignore ports, so the ports must be equal too. */
function isSameHost(origin: string, host: string | null): boolean {
  if (!URL.canParse(origin)) return false;
  const from = new URL(origin);
  const isWeb = from.protocol === 'http:' || from.protocol === 'https:';
  if (!isWeb || from.origin !== origin.toLowerCase()) return false;
  const here = `${from.protocol}//${host ?? ''}`;
  return URL.canParse(here) && new URL(here).host === from.host;
}
