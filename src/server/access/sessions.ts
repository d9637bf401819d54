/**
 * Sessions of the page: a cookie is a nonce, signed with the token that it was exchanged for. So a
 * session outlives a restart where its token does, and only ended sessions have to be remembered.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { EndedSessions, type EndedSessionsOptions, type SessionId } from './ended-sessions.ts';
import type { Token } from './access-tokens.ts';

export interface SessionOptions extends Pick<EndedSessionsOptions, 'notes' | 'now'> {
  readonly tokens: readonly Token[];
  /** The path that the cookie is sent to. */
  readonly path: string;
  readonly isSecure: boolean;
}

/** A session of a token that stays the same; one of a minted token ends with the server. */
const MAX_AGE_SECONDS = 30 * 24 * 3600;

interface Session extends SessionId {
  readonly token: Token;
}

export class Sessions {
  readonly #options: SessionOptions;
  readonly #ended: EndedSessions;
  readonly #name: string;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#name = cookieName(options.tokens);
    this.#ended = new EndedSessions({ ...options, maxAgeSeconds: MAX_AGE_SECONDS });
  }

  /** The value of `Set-Cookie` that begins a session. */
  begin(token: Token): string {
    const { now } = this.#options;
    const nonce = `${Math.floor(now() / 1000).toString(36)}.${randomBytes(18).toString('base64url')}`;
    const value = `${Buffer.from(token.name).toString('base64url')}.${nonce}.${sign(token, nonce)}`;
    return this.#cookie(value, token.isMinted === true ? undefined : MAX_AGE_SECONDS);
  }

  /** Ends the session of the request for good; returns the value of `Set-Cookie` that removes it. */
  async end(cookies: string | null): Promise<string> {
    const session = this.#signedIn(cookies);
    if (session !== undefined) await this.#ended.add(session);
    return this.#cookie('', 0);
  }

  /** The token of the session that the cookies of a request name. */
  async tokenOf(cookies: string | null): Promise<Token | undefined> {
    const session = this.#signedIn(cookies);
    return session === undefined || (await this.#ended.has(session)) ? undefined : session.token;
  }

  /** The session of a cookie that this server or one with the same token has signed. */
  #signedIn(cookies: string | null): Session | undefined {
    const value = this.#valueIn(cookies);
    if (value === undefined) return undefined;
    const [encoded = '', since = '', random = '', signature = ''] = value.split('.');
    const { tokens, now } = this.#options;
    const name = Buffer.from(encoded, 'base64url').toString();
    const token = tokens.find((each) => each.name === name);
    if (token === undefined) return undefined;
    const nonce = `${since}.${random}`;
    const sinceSeconds = Number.parseInt(since, 36);
    const isRight = isSame(sign(token, nonce), signature);
    const isYoung = now() / 1000 - sinceSeconds <= MAX_AGE_SECONDS;
    return isRight && isYoung ? { token, nonce, sinceSeconds } : undefined;
  }

  #valueIn(cookies: string | null): string | undefined {
    for (const part of (cookies ?? '').split(';')) {
      const [name = '', ...rest] = part.split('=');
      if (name.trim() === this.#name) return rest.join('=').trim();
    }
    return undefined;
  }

  #cookie(value: string, maxAge: number | undefined): string {
    const { path, isSecure } = this.#options;
    return [
      `${this.#name}=${value}`,
      `Path=${path}`,
      'HttpOnly',
      'SameSite=Strict',
      ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
      ...(isSecure ? ['Secure'] : []),
    ].join('; ');
  }
}

/** Cookies ignore ports, so servers on one host have cookies of different names. */
function cookieName(tokens: readonly Token[]): string {
  const own = createHmac('sha256', tokens.map(({ secret }) => secret).join(' '));
  return `errand_session_${own.update('errand cookie').digest('hex').slice(0, 8)}`;
}

function sign({ secret, name }: Token, nonce: string): string {
  return createHmac('sha256', secret).update(`errand session ${name} ${nonce}`).digest('base64url');
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
