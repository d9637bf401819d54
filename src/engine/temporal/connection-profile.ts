/**
 * Reads how Temporal's own tools reach their server: a profile of their configuration file, and the
 * variables that win over it. Temporal's package does the reading; this file refuses what the package
 * would pass over or take for something else.
 */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { readProperty } from '../../errors/support/safe-json.ts';
import { ErrandError, isKind } from '../../errors/thrown/errand-error.ts';
import type { Environment } from '../../workflow/yaml/file-port.ts';
import { loadEnvconfigModule, type ConnectionProfile } from './temporal-sdk.ts';

/**
 * Throws `validation.input` for unusable settings, and `extension.missing` without the package where more
 * is set than an address and a namespace.
 */
export function readProfile(env: Environment, directory: string): ConnectionProfile {
  const envconfig = loadUnlessSimple(env, directory);
  if (envconfig === undefined) return simpleProfile(env);
  refuseUnusable(env);
  const name = variable(env, 'TEMPORAL_PROFILE') ?? 'default';
  let profile: ConnectionProfile;
  try {
    profile = envconfig.loadClientConfigProfile({ overrideEnvVars: spelledOut(env) });
  } catch (thrown) {
    throw unusableFile(name, thrown);
  }
  const wrong = wrongKey(profile);
  if (wrong === undefined) return profile;
  throw settingsRefusal(
    `${wrong} in the profile ${name} of Temporal’s configuration file has the wrong type`,
    'Write switches as true or false, and everything else as text in quotes.',
  );
}

/** The variables that need no package to be read. */
const SIMPLE: ReadonlySet<string> = new Set([
  'TEMPORAL_ADDRESS',
  'TEMPORAL_NAMESPACE',
  'TEMPORAL_TASK_QUEUE',
]);

function loadUnlessSimple(
  env: Environment,
  directory: string,
): ReturnType<typeof loadEnvconfigModule> | undefined {
  try {
    return loadEnvconfigModule(directory);
  } catch (thrown) {
    const isSimple = Object.keys(env).every(
      (name) => !name.startsWith('TEMPORAL_') || SIMPLE.has(name),
    );
    if (isSimple && isKind(thrown, 'extension.missing')) return undefined;
    throw thrown;
  }
}

function simpleProfile(env: Environment): ConnectionProfile {
  const address = variable(env, 'TEMPORAL_ADDRESS');
  const namespace = variable(env, 'TEMPORAL_NAMESPACE');
  return {
    ...(address === undefined ? {} : { address }),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

export function settingsRefusal(message: string, detail: string): ErrandError {
  return new ErrandError({
    kind: 'validation.input',
    message,
    action: { kind: 'fix_setup', detail },
  });
}

/** An empty variable counts as unset; a key read from a file ends in a line break. */
export function variable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

const HEADER = 'TEMPORAL_GRPC_META_';
const TLS = 'TEMPORAL_TLS';
const NO_HOST_VERIFICATION = 'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION';
const PEMS = ['SERVER_CA_CERT', 'CLIENT_CERT', 'CLIENT_KEY'].map((end) => `${TLS}_${end}`);

/** The environment in the spelling that the package understands. */
function spelledOut(env: Environment): Record<string, string> {
  const isTlsWanted = switchIn(env, TLS);
  const entries = Object.entries(env).flatMap(([name, value = '']) => {
    if (name.startsWith(HEADER)) return headerVariable(name, value.trim());
    if (!name.startsWith('TEMPORAL_')) return [[name, value] as const];
    const text = variable(env, name);
    // the package would ask for TLS because of this one, even where it is false
    if (text === undefined || name === NO_HOST_VERIFICATION) return [];
    // the package takes TRUE in capitals for false
    return [[name, name === TLS ? String(isTlsWanted) : text] as const];
  });
  return Object.fromEntries(entries);
}

/** `TEMPORAL_GRPC_META_X_TEAM=a` is the header `x-team: a`; an empty one removes that of the file. */
function headerVariable(name: string, value: string): readonly (readonly [string, string])[] {
  // the package replaces only the first underscore
  const header = name.slice(HEADER.length).toLowerCase().replaceAll('_', '-');
  return header === '' ? [] : [[HEADER + header, value]];
}

function switchIn(env: Environment, name: string): boolean | undefined {
  const text = variable(env, name)?.toLowerCase();
  if (text === undefined) return undefined;
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw settingsRefusal(`${name} is neither true nor false`, `Set ${name} to true or false.`);
}

/** Refuses what the package would pass over. */
function refuseUnusable(env: Environment): void {
  if (switchIn(env, TLS) !== false && switchIn(env, NO_HOST_VERIFICATION) === true)
    throw settingsRefusal(
      `${NO_HOST_VERIFICATION} is set, but Temporal’s TypeScript SDK always verifies the host`,
      'Unset it. Set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the certificate of the authority, and TEMPORAL_TLS_SERVER_NAME to the host name in the certificate.',
    );
  const twice = PEMS.find((name) =>
    [`${name}_PATH`, `${name}_DATA`].every((each) => variable(env, each) !== undefined),
  );
  if (twice !== undefined)
    throw settingsRefusal(`${twice}_PATH and ${twice}_DATA are both set`, 'Set one of the two.');
  const file = variable(env, 'TEMPORAL_CONFIG_FILE');
  // without the file that was named, this would reach another server
  if (file !== undefined && !existsSync(file))
    throw settingsRefusal(
      `TEMPORAL_CONFIG_FILE names ${basename(file)}, which does not exist`,
      'Correct the path, or unset TEMPORAL_CONFIG_FILE.',
    );
}

/** Leaves out the words of the package: they quote the lines of the file, keys among them. */
function unusableFile(profile: string, thrown: unknown): ErrandError {
  const line = readProperty(thrown, 'line');
  if (typeof line === 'number')
    return settingsRefusal(
      `Temporal’s configuration file is not valid TOML in line ${line}`,
      'Correct that line, or name another file with TEMPORAL_CONFIG_FILE.',
    );
  const code = readProperty(thrown, 'code');
  if (typeof code === 'string')
    return settingsRefusal(
      `Temporal’s configuration file cannot be read (${code})`,
      'Let this user read it, or name another file with TEMPORAL_CONFIG_FILE.',
    );
  return settingsRefusal(
    `Temporal’s configuration file has no usable profile ${profile}`,
    `Name a profile of that file with TEMPORAL_PROFILE, or add [profile.${profile}]. Give each certificate and key once, there or in the environment, as a path or as text.`,
  );
}

/** The package does not check the types of the file's values. */
function wrongKey({ address, namespace, apiKey, tls, grpcMeta }: ConnectionProfile) {
  const pathIn = (pem: object | undefined): unknown => readProperty(pem, 'path');
  const texts: Readonly<Record<string, unknown>> = {
    address,
    namespace,
    api_key: apiKey,
    server_name: tls?.serverName,
    server_ca_cert_path: pathIn(tls?.serverCACert),
    client_cert_path: pathIn(tls?.clientCert),
    client_key_path: pathIn(tls?.clientKey),
    ...grpcMeta,
  };
  const isWrong = (value: unknown): boolean => value !== undefined && typeof value !== 'string';
  if (tls?.disabled !== undefined && typeof tls.disabled !== 'boolean') return 'disabled';
  return Object.keys(texts).find((key) => isWrong(texts[key]));
}
