/** Access to a server: checks host, origin and token of each request, in this order. */
import type { Redactor } from '../../errors/redaction/redact.ts';
import { oneLine } from '../../errors/support/printable.ts';
import { readProperty } from '../../errors/support/safe-json.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { refusedHost, type HostRules } from './hosts.ts';
import { Sessions, type SessionOptions } from './sessions.ts';
import { ROLES, tokenWith, type Caller, type Role, type Token } from './access-tokens.ts';
import { WrongTokens } from './wrong-tokens.ts';

/** Who makes a request, and how they say so. */
export interface Visitor extends Caller {
  readonly via: 'token' | 'session' | 'host';
  /** The credential of the request; absent where the host decides. */
  readonly token?: Token;
}

type Authorize = (request: Request) => Promise<Caller | null> | Caller | null;

export interface AccessOptions extends SessionOptions {
  readonly hosts: HostRules;
  readonly isReadOnly: boolean;
  /** Decides instead of tokens; null refuses. */
  readonly authorize?: Authorize | undefined;
  readonly log: (line: string) => void;
  readonly redactor: Redactor;
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
      const caller = await this.#callerFrom(authorize, request);
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

  /**
   * Undefined for nobody. Only the log says what is wrong with the host; a client must not know.
   */
  async #callerFrom(authorize: Authorize, request: Request): Promise<Caller | undefined> {
    let caller: Caller | undefined;
    try {
      // in a program without types, a look-up that finds nobody returns undefined
      caller = (await authorize(request)) ?? undefined;
    } catch (thrown) {
      if (thrown instanceof ErrandError) throw thrown;
      throw this.#hostFailed('The function authorize of the host threw', thrown);
    }
    if (caller === undefined || ROLES.includes(caller.role)) return caller;
    const roles = ROLES.join(', ');
    throw this.#hostFailed(
      `The function authorize of the host gave a role that does not exist; the roles are ${roles}`,
    );
  }

  #hostFailed(message: string, cause?: unknown): ErrandError {
    const why = readProperty(cause, 'message');
    const { log, redactor } = this.#options;
    log(typeof why === 'string' ? `${message}: ${oneLine(redactor.text(why))}` : message);
    return hostFailed(message, cause);
  }

  #visitor(token: Token, via: Visitor['via']): Visitor {
    // programs have tokens; only the page begins a session
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

function hostFailed(message: string, cause?: unknown): ErrandError {
  return new ErrandError(
    {
      kind: 'extension.contract',
      message,
      action: {
        kind: 'fix_code',
        detail:
          'Make authorize return {name, role} for a caller, and null for a request that it does not admit.',
      },
    },
    { cause },
  );
}

function unauthenticated(message: string): ErrandError {
  return new ErrandError({ kind: 'request.unauthenticated', message });
}

/** Undefined if the request names no token; another scheme counts as a wrong token. */
function bearerOf(header: string | null): string | undefined {
  if (header === null || header.trim() === '') return undefined;
  const [, token] = /^Bearer +(\S+) *$/i.exec(header) ?? [];
  return token ?? '';
}
