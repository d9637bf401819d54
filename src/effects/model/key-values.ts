/**
 * The secrets that a process is configured with by its environment: keys of providers and of Temporal,
 * and where runs are kept. Whoever writes anything down takes them out, and no program gets them unasked.
 */
import { isSecretSetting } from '../../errors/secret-names.ts';
import type { Environment } from './connection.ts';
import { HOSTS } from './hosts.ts';

const STORE = 'ERRAND_STORE';

const VARIABLES: readonly string[] = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'MISTRAL_API_KEY',
  'AZURE_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'AWS_BEARER_TOKEN_BEDROCK',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'TEMPORAL_API_KEY',
  'TEMPORAL_TLS_CLIENT_KEY_DATA',
  ...Object.values(HOSTS).flatMap(({ keys }) => keys),
];

const WITHHELD: ReadonlySet<string> = new Set([...VARIABLES, STORE]);

/** Headers for Temporal's server, of which some authenticate. */
const HEADER_OF_TEMPORAL = 'TEMPORAL_GRPC_META_';

/** Whether a variable configures Errand itself, so that no program of a workflow gets it unasked. */
export function isWithheld(variable: string): boolean {
  return WITHHELD.has(variable) || isSecretHeader(variable);
}

export function keyValuesIn(env: Environment): readonly string[] {
  const headers = Object.keys(env).filter(isSecretHeader);
  const keys = [...VARIABLES, ...headers].flatMap((name) => valueOf(env, name));
  const stores = valueOf(env, STORE);
  return [...keys, ...stores.flatMap((address) => storeSecrets(address, env))];
}

/** The address of a store, and the password in it or beside it. A file or the memory has none. */
export function storeSecrets(address: string, env: Environment): readonly string[] {
  if (address === 'memory' || address.startsWith('sqlite:')) return [];
  const passwords = passwordsIn(address);
  const isPostgres = /^postgres(?:ql)?:/.test(address);
  return [address, ...passwords, ...(isPostgres ? valueOf(env, 'PGPASSWORD') : [])];
}

/** As written and as meant: what is encoded in the address is not where it is used. */
function passwordsIn(address: string): readonly string[] {
  const rest = address.slice(address.indexOf('://') + 3);
  const [beforeQuery = ''] = rest.split('?');
  // a password may hold any of the signs that end it where it was not encoded
  const users = [rest, beforeQuery, beforeQuery.split('/')[0] ?? ''].map((text) =>
    text.slice(0, Math.max(0, text.lastIndexOf('@'))),
  );
  const ofUsers = users.flatMap((user) =>
    user.includes(':') ? [user.slice(user.indexOf(':') + 1)] : [],
  );
  const settings = Array.from(
    address.matchAll(/([\w-]+)=([^&\s]+)/g),
    ([, name = '', value = '']) => ({ name, value }),
  );
  const ofSettings = settings.flatMap(({ name, value }) =>
    isSecretSetting(name) || /password$/i.test(name) ? [value] : [],
  );
  return [...new Set([...ofUsers, ...ofSettings].flatMap((text) => [text, decoded(text)]))];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // not encoded at all
    return text;
  }
}

function isSecretHeader(variable: string): boolean {
  return (
    variable.startsWith(HEADER_OF_TEMPORAL) &&
    isSecretSetting(variable.slice(HEADER_OF_TEMPORAL.length))
  );
}

function valueOf(env: Environment, name: string): readonly string[] {
  const value = Object.hasOwn(env, name) ? env[name]?.trim() : undefined;
  return value === undefined || value === '' ? [] : [value];
}
