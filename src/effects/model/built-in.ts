/**
 * The providers that Errand can call by name: their package, its options, and how they support a schema.
 * `find-model.ts` loads the packages when they are used.
 */
import type { ConnectionSettings } from './connection-settings.ts';
import { convertHostUsage } from '../../providers/pricing/host-usage.ts';
import { HOSTS, type Host } from './openai-compatible-hosts.ts';
import type { SchemaSupport } from './prompt.ts';

export interface BuiltIn {
  readonly package: string;
  /** The export that creates the provider. */
  readonly create: string;
  readonly schemas: SchemaSupport;
  /** Accepts reasoning in a request even without provider metadata. */
  readonly takesThoughts?: boolean;
  /** Its events are frames of bytes, and not lines of text. */
  readonly hasBinaryEvents?: boolean;
  /** Makes the options of the provider; missing settings are reported to the connection. */
  readonly options: (connection: ConnectionSettings) => Readonly<Record<string, unknown>>;
}

const PROVIDERS: Readonly<Record<string, BuiltIn>> = {
  openai: simple('@ai-sdk/openai', 'createOpenAI', ['OPENAI_API_KEY'], 'OPENAI_BASE_URL'),
  anthropic: simple(
    '@ai-sdk/anthropic',
    'createAnthropic',
    ['ANTHROPIC_API_KEY'],
    'ANTHROPIC_BASE_URL',
  ),
  google: simple('@ai-sdk/google', 'createGoogle', [
    'GOOGLE_GENERATIVE_AI_API_KEY',
    'GEMINI_API_KEY',
    'GOOGLE_API_KEY',
  ]),
  mistral: {
    ...simple('@ai-sdk/mistral', 'createMistral', ['MISTRAL_API_KEY']),
    takesThoughts: true,
  },
  azure: {
    package: '@ai-sdk/azure',
    create: 'createAzure',
    schemas: 'schema',
    options: azureOptions,
  },
  bedrock: {
    package: '@ai-sdk/amazon-bedrock',
    create: 'createAmazonBedrock',
    schemas: 'schema',
    hasBinaryEvents: true,
    options: bedrockOptions,
  },
};

/** Looks a provider up by its name in reports. */
export function builtInProvider(name: string): BuiltIn | undefined {
  if (Object.hasOwn(PROVIDERS, name)) return PROVIDERS[name];
  const host = Object.hasOwn(HOSTS, name) ? HOSTS[name] : undefined;
  return host === undefined ? undefined : compatible(name, host);
}

/** Refuse a tool conversation without its reasoning; platform.moonshot.ai/docs */
const WANT_THOUGHTS: ReadonlySet<string> = new Set(['moonshot']);

/** Any other host whose address is in the settings. */
export function compatible(name: string, host: Host = { keys: [], isLocal: true }): BuiltIn {
  return {
    package: '@ai-sdk/openai-compatible',
    create: 'createOpenAICompatible',
    schemas: host.schemas ?? 'schema',
    takesThoughts: host.takesThoughts ?? WANT_THOUGHTS.has(name),
    options: (connection) => hostOptions(name, host, connection),
  };
}

function simple(
  from: string,
  create: string,
  [key, ...otherKeys]: readonly [string, ...string[]],
  ...baseUrls: readonly string[]
): BuiltIn {
  return {
    package: from,
    create,
    schemas: 'schema',
    options: (connection) => ({
      apiKey: connection.requiredKey(key, ...otherKeys),
      baseURL: connection.baseUrl(...baseUrls),
      headers: connection.headers,
    }),
  };
}

function hostOptions(
  name: string,
  { keys, baseUrl, baseUrlVariable, isLocal, schemas }: Host,
  connection: ConnectionSettings,
): Record<string, unknown> {
  const variables = baseUrlVariable === undefined ? [] : [baseUrlVariable];
  const baseURL = connection.baseUrl(...variables) ?? baseUrl;
  if (baseURL === undefined) {
    const orVariable = baseUrlVariable === undefined ? '' : ` or ${baseUrlVariable}`;
    connection.lacks(`Set \`runtime.provider.base_url\`${orVariable}.`);
  }
  const [first, ...others] = keys;
  const apiKey =
    isLocal === true || first === undefined
      ? connection.apiKey(...keys)
      : connection.requiredKey(first, ...others);
  return {
    name,
    baseURL,
    apiKey,
    headers: connection.headers,
    // otherwise a stream ends without its token count
    includeUsage: true,
    supportsStructuredOutputs: schemas !== 'words',
    convertUsage: convertHostUsage,
  };
}

function azureOptions(connection: ConnectionSettings): Record<string, unknown> {
  const endpoint = connection.baseUrl('AZURE_BASE_URL');
  const resource = connection.variable('AZURE_RESOURCE_NAME');
  const portal = connection.variable('AZURE_OPENAI_ENDPOINT');
  if (endpoint === undefined && resource === undefined && portal === undefined) {
    connection.lacks('Set AZURE_RESOURCE_NAME or AZURE_OPENAI_ENDPOINT.');
  }
  return {
    apiKey: connection.requiredKey('AZURE_API_KEY', 'AZURE_OPENAI_API_KEY'),
    resourceName: resource,
    // the portal shows the address without the common path
    baseURL: endpoint ?? (resource === undefined ? withOpenAiPath(portal) : undefined),
    apiVersion: connection.variable('AZURE_API_VERSION', 'OPENAI_API_VERSION'),
    headers: connection.headers,
  };
}

function withOpenAiPath(portal: string | undefined): string | undefined {
  const address = portal?.replace(/\/+$/, '');
  return address === undefined || /\/openai(?:\/v1)?$/.test(address)
    ? address
    : `${address}/openai`;
}

function bedrockOptions(connection: ConnectionSettings): Record<string, unknown> {
  const apiKey = connection.apiKey('AWS_BEARER_TOKEN_BEDROCK');
  const accessKeyId = connection.variable('AWS_ACCESS_KEY_ID');
  const secretAccessKey = connection.variable('AWS_SECRET_ACCESS_KEY');
  const region = connection.variable('AWS_REGION', 'AWS_DEFAULT_REGION');
  if (region === undefined) connection.lacks('Set AWS_REGION.');
  if (apiKey === undefined && (accessKeyId === undefined || secretAccessKey === undefined)) {
    connection.lacks(
      'Set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; for a profile or a role, register the provider in code with a `credentialProvider`.',
    );
  }
  return {
    region,
    apiKey,
    accessKeyId,
    secretAccessKey,
    sessionToken: connection.variable('AWS_SESSION_TOKEN'),
    baseURL: connection.baseUrl(),
    headers: connection.headers,
  };
}
