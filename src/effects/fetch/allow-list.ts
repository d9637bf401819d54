/** The hosts that may be called: an entry allows one host, or its subdomains, on one protocol and port. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { quoted } from '../../workflow/diagnostics/diagnostic-words.ts';

export type AllowList = (url: URL) => boolean;

interface Entry {
  readonly protocol: string;
  readonly host: string;
  /** True for `*.example.com`, which does not mean `example.com`. */
  readonly isBelow: boolean;
  readonly port: string;
}

/** `api.example.com`, `*.example.com`, `example.com:8443`, `http://example.com`. Throws `validation.input`. */
export function createAllowList(entries: readonly string[]): AllowList {
  const parsed = entries.map(parseEntry);
  return (url) => parsed.some((entry) => fits(entry, url));
}

/** A trailing dot does not change the host. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function parseEntry(text: string): Entry {
  const isBelow = /^(?:https?:\/\/)?\*\./.test(text);
  const plain = text.replace('*.', '');
  const address = plain.includes('://') ? plain : `https://${plain}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isWhole = url?.pathname === '/' && url.search === '' && url.username === '';
  if (url === undefined || !isWhole || !/^https?:$/.test(url.protocol) || plain.includes('*'))
    throw new ErrandError({
      kind: 'validation.input',
      message: `${quoted(text)} is not a host that can be allowed`,
      action: {
        kind: 'change_input',
        detail: 'Write a host, such as api.example.com or *.example.com, or http://host:port.',
      },
    });
  return { protocol: url.protocol, host: hostOf(url), isBelow, port: url.port };
}

function fits({ protocol, host, isBelow, port }: Entry, url: URL): boolean {
  if (url.protocol !== protocol || url.port !== port) return false;
  const requestedHost = hostOf(url);
  return isBelow ? requestedHost.endsWith(`.${host}`) : requestedHost === host;
}
