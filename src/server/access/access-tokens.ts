/** Tokens of a server: who may do what. Secrets are compared in constant time. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ErrandError } from '../../errors/thrown/errand-error.ts';

export const ROLES = ['read', 'run', 'edit'] as const;
/** Each role includes the ones before it. */
export type Role = (typeof ROLES)[number];

export interface Token {
  readonly name: string;
  readonly secret: string;
  readonly role: Role;
  /** Made for this start of the server: its sessions end with it. */
  readonly isMinted?: true;
}

/** Who makes a request. */
export interface Caller {
  readonly name: string;
  readonly role: Role;
  /** Whether a person makes it: only people answer gates with `answered_by: person`. Default: false. */
  readonly isPerson?: boolean;
}

const MIN_SECRET_CHARS = 16;
const MAX_NAME_CHARS = 64;
const NAME = /^[\p{L}\p{N}_.@-]+$/u;

export function includesRole(role: Role, wanted: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(wanted);
}

/**
 * The tokens of `ERRAND_TOKENS` and `ERRAND_TOKEN`. Throws `validation.input` for unreadable ones;
 * the message never has a secret.
 */
export function tokensIn(
  env: Readonly<Record<string, string | undefined>>,
  { allowEdit }: { readonly allowEdit: boolean },
): readonly Token[] {
  const several = (env['ERRAND_TOKENS'] ?? '').trim();
  const one = (env['ERRAND_TOKEN'] ?? '').trim();
  const listed = several === '' ? [] : several.split(',').map((part, at) => readToken(part, at));
  const single = one === '' ? [] : [{ name: 'token', secret: one, role: ownRole(allowEdit) }];
  const all = [...listed, ...single];
  if (one !== '' && one.length < MIN_SECRET_CHARS)
    throw refused(
      `ERRAND_TOKEN has fewer than ${MIN_SECRET_CHARS} characters`,
      'Set ERRAND_TOKEN to a longer secret, for example one that `openssl rand -hex 24` prints.',
    );
  for (const { name, secret } of listed)
    if (secret.length < MIN_SECRET_CHARS)
      throw refused(
        `The secret of the token ${name} has fewer than ${MIN_SECRET_CHARS} characters`,
      );
  for (const [at, { name, secret }] of all.entries())
    for (const other of all.slice(at + 1)) {
      if (other.name === name) throw refused(`Two tokens have the name ${name}`);
      if (other.secret === secret)
        throw refused(`The tokens ${name} and ${other.name} have the same secret`);
    }
  return all;
}

export function mintedToken({ allowEdit }: { readonly allowEdit: boolean }): Token {
  const secret = randomBytes(24).toString('base64url');
  return { name: 'local', secret, role: ownRole(allowEdit), isMinted: true };
}

function ownRole(allowEdit: boolean): Role {
  return allowEdit ? 'edit' : 'run';
}

function readToken(part: string, at: number): Token {
  const [name = '', secret = '', role, ...more] = part.trim().split(':');
  const known = ROLES.find((each) => each === role);
  const where = `Entry ${at + 1} of ERRAND_TOKENS`;
  if (!NAME.test(name) || name.length > MAX_NAME_CHARS)
    throw refused(`${where} has no usable name`);
  if (secret === '' || known === undefined || more.length > 0)
    throw refused(`${where} cannot be read`);
  return { name, secret, role: known };
}

// a form such as NAME:SECRET:ROLE would be redacted as a secret
const FORM = `Separate the entries of ERRAND_TOKENS with commas. Each entry is a name, a secret and a role (${ROLES.join(', ')}), with colons between them; a secret has at least ${MIN_SECRET_CHARS} characters, without a colon or a comma.`;

function refused(message: string, detail = FORM): ErrandError {
  return new ErrandError({
    kind: 'validation.input',
    message,
    action: { kind: 'change_input', detail },
  });
}

/** Compares every token, so that the time does not show which one is nearly right. */
export function tokenWith(tokens: readonly Token[], secret: string): Token | undefined {
  const given = digest(secret);
  let found: Token | undefined;
  for (const token of tokens) if (timingSafeEqual(digestOf(token), given)) found = token;
  return found;
}

const digests = new WeakMap<Token, Buffer>();

/** Made once for each token: every request needs it. */
function digestOf(token: Token): Buffer {
  const known = digests.get(token) ?? digest(token.secret);
  digests.set(token, known);
  return known;
}

/** Digests have one length, which the comparison needs. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
