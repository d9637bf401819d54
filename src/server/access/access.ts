/** Access to a server: checks host, origin and token of each request, in this order. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { refusedHost, type HostRules } from './hosts.ts';
import { Sessions, type SessionOptions } from './sessions.ts';
import { tokenWith, type Caller, type Role, type Token } from './tokens.ts';
import { WrongTokens } from './wrong-tokens.ts';

/** Who makes a request, and how they say so. */
export interface Visitor extends Caller {
  readonly via: 'token' | 'session' | 'host';
  /** The credential of the request; absent where the host decides. */
  readonly token?: Token;
}

export interface AccessOptions extends SessionOptions {
  readonly hosts: HostRules;
  readonly isReadOnly: boolean;
  /** Decides instead of tokens; null refuses. */
  readonly authorize?: ((request: Request) => Promise<Caller | null> | Caller | null) | undefined;
  readonly log: (line: string) => void;
}

export class Access {
  readonly sessions: Sessions;
  readonly #options: AccessOptions;
  readonly #wrong: WrongTokens;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.sessions = new Sessions(options);
    this.#wrong = new WrongTokens(options.now);
  }

  /** Throws `request.forbidden`. */
  checkHost(request: Request): void {
    const { headers, url } = request;
    const host = headers.get('host') ?? new URL(url).host;
    const refused = refusedHost(host, headers.get('origin'), this.#options.hosts);
    if (refused !== undefined)
      throw new ErrandError({ kind: 'request.forbidden', message: refused });
  }

  /** Whether a page of this origin may read answers. */
  isAllowedOrigin(origin: string): boolean {
    return this.#options.hosts.origins.has(origin);
  }

  /** Rejects with `request.unauthenticated`, `request.limited` or, for a cookie, `request.forbidden` or `store.*`. */
  async admit(request: Request, address: string): Promise<Visitor> {
    const { authorize, tokens } = this.#options;
    if (authorize !== undefined) {
      // a look-up that finds nobody gives undefined in a program without types
      const caller = (await authorize(request)) ?? undefined;
      if (caller === undefined) throw unauthenticated('The request was not authorized');
      const { name, isPerson = false } = caller;
      return { name, role: this.#roleOf(caller), via: 'host', isPerson };
    }
    const bearer = bearerOf(request.headers.get('authorization'));
    if (bearer !== undefined) {
      const token = tokenWith(tokens, bearer);
      if (token !== undefined) return this.#visitor(token, 'token');
      throw this.#wrongToken(address);
    }
    const token = await this.sessions.tokenOf(request.headers.get('cookie'));
    if (token === undefined) throw unauthenticated('The request has no token');
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead && request.headers.get('origin') === null)
      throw new ErrandError({
        kind: 'request.forbidden',
        message: 'A request with a session needs an Origin',
      });
    return this.#visitor(token, 'session');
  }

  #visitor(token: Token, via: Visitor['via']): Visitor {
    // programs have tokens; a session is begun by the page
    const isPerson = via === 'session';
    return { name: token.name, role: this.#roleOf(token), via, token, isPerson };
  }

  #roleOf({ role }: Caller): Role {
    return this.#options.isReadOnly ? 'read' : role;
  }

  #wrongToken(address: string): ErrandError {
    this.#options.log(`refused a wrong token from ${address}`);
    const waitMs = this.#wrong.note(address);
    if (waitMs === undefined) return unauthenticated('The token is wrong');
    return new ErrandError({
      kind: 'request.limited',
      message: 'Too many wrong tokens came from this address',
      details: { retryAfterMs: waitMs },
    });
  }
}

function unauthenticated(message: string): ErrandError {
  return new ErrandError({ kind: 'request.unauthenticated', message });
}

/** Undefined where the request names no token; another scheme is a token that is wrong. */
function bearerOf(header: string | null): string | undefined {
  if (header === null || header.trim() === '') return undefined;
  const [, token] = /^Bearer +(\S+) *$/i.exec(header) ?? [];
  return token ?? '';
}
