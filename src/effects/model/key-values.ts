/**
 * The secrets in the environment of a process: keys of providers and of Temporal, and the address of the
 * store. They are redacted from everything that is stored, and scripts do not inherit them.
 */
import { isSecretSetting } from '../../errors/redaction/secret-names.ts';
import type { Environment } from '../../workflow/yaml/file-port.ts';
import { HOSTS } from './openai-compatible-hosts.ts';

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

/** The only variable of PostgreSQL that is itself a credential; others name files and addresses. */
const STORE_PASSWORD = 'PGPASSWORD';

/** Tokens that callers of a server show, and keys that it signs its webhooks with. */
const SERVER_SECRETS: readonly string[] = [
  'ERRAND_TOKEN',
  'ERRAND_TOKENS',
  'ERRAND_WEBHOOK_SECRET',
];

/** The requests of a command to the receiver of its spans and metrics. */
const RECEIVER_HEADERS: readonly string[] = ['', 'TRACES_', 'METRICS_'].map(
  (signal) => `OTEL_EXPORTER_OTLP_${signal}HEADERS`,
);

/** Matched by name, because a value may be too short to be redacted by value. */
const OWN_VARIABLES: ReadonlySet<string> = new Set([
  ...VARIABLES,
  ...SERVER_SECRETS,
  STORE,
  STORE_PASSWORD,
]);

/** Headers for Temporal's server; some of them authenticate. */
const HEADER_OF_TEMPORAL = 'TEMPORAL_GRPC_META_';

/** Addresses of providers; a person may have put the credentials of a gateway into one. */
const PROVIDER_ADDRESS = /_(?:BASE_URL|API_BASE|ENDPOINT)$/i;
const PROXY = /_PROXY$/i;

/** Whether a variable configures Errand itself and holds a secret, so that scripts do not inherit it. */
export function isErrandVariable(variable: string, value: string): boolean {
  if (OWN_VARIABLES.has(variable) || isSecretHeader(variable)) return true;
  return PROVIDER_ADDRESS.test(variable) && credentialsIn(value).length > 0;
}

/** Whether a variable is the machine's way into the network, without which many programs cannot run. */
export function isProxy(variable: string): boolean {
  return PROXY.test(variable);
}

export function keyValuesIn(env: Environment): readonly string[] {
  const headers = Object.keys(env).filter(isSecretHeader);
  const keys = [...VARIABLES, ...headers].flatMap((name) => valueOf(env, name));
  const addresses = Object.keys(env)
    .filter((name) => PROVIDER_ADDRESS.test(name) || isProxy(name))
    .flatMap((name) => valueOf(env, name));
  const stores = valueOf(env, STORE);
  return [
    ...keys,
    ...addresses.flatMap(credentialsIn),
    ...serverSecrets(env),
    ...RECEIVER_HEADERS.flatMap((name) => valueOf(env, name).flatMap(headerSecrets)),
    ...stores.flatMap((address) => storeSecrets(address, env)),
  ];
}

/** The secret of each token stands between its name and its role. */
function serverSecrets(env: Environment): readonly string[] {
  const listed = valueOf(env, 'ERRAND_TOKENS').flatMap((tokens) => tokens.split(','));
  return [
    ...listed.flatMap((token) => token.split(':').slice(1, 2)),
    ...valueOf(env, 'ERRAND_TOKEN'),
    ...valueOf(env, 'ERRAND_WEBHOOK_SECRET')
      .flatMap((secrets) => secrets.split(/\s+/))
      .flatMap(formsOfSigningKey),
  ];
}

/** Libraries of receivers take the key without its prefix, and sign with the bytes that it stands for. */
function formsOfSigningKey(secret: string): readonly string[] {
  const key = secret.slice(secret.indexOf('_') + 1);
  return [secret, key, Buffer.from(key, 'base64').toString('hex')];
}

/** Keys of a receiver have many names; a value that is short and not named as one is a tenant or a data set. */
function headerSecrets(headers: string): readonly string[] {
  return headers.split(',').flatMap((header) => {
    const at = header.indexOf('=');
    const value = decoded(header.slice(at + 1).trim()).replace(/^(?:Bearer|Basic) +/i, '');
    const isSecret = isSecretSetting(header.slice(0, at).trim()) || value.length >= KEY_LENGTH;
    return at > 0 && value !== '' && isSecret ? [value] : [];
  });
}

const KEY_LENGTH = 20;

/** The address of a store, and its password. Files and memory have none. */
export function storeSecrets(address: string, env: Environment): readonly string[] {
  if (address === 'memory' || address.startsWith('sqlite:')) return [];
  const passwords = passwordsIn(address);
  const isPostgres = /^postgres(?:ql)?:/.test(address);
  return [address, ...passwords, ...(isPostgres ? valueOf(env, STORE_PASSWORD) : [])];
}

/** The password of an address, or a token in its place. Most addresses have none. */
function credentialsIn(address: string): readonly string[] {
  if (!address.includes('://')) return [];
  const token = /:\/\/([^/?#@:]+)@/.exec(address)?.[1];
  return [...passwordsIn(address), ...(token === undefined ? [] : [token, decoded(token)])].filter(
    (part) => part !== '',
  );
}

/** Encoded as in the address, and decoded as it is used. */
function passwordsIn(address: string): readonly string[] {
  const afterScheme = address.slice(address.indexOf('://') + 3);
  const [beforeQuery = ''] = afterScheme.split('?');
  // an unencoded password may contain the characters that would end it
  const users = [afterScheme, beforeQuery, beforeQuery.split('/')[0] ?? ''].map((text) =>
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
    // not percent-encoded
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
