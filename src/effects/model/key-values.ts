/** The keys of a process's environment, so that whoever writes anything down can take them out. */
import type { Environment } from './connection.ts';
import { HOSTS } from './hosts.ts';

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

export function keyValuesIn(env: Environment): readonly string[] {
  return VARIABLES.flatMap((name) => {
    const value = Object.hasOwn(env, name) ? env[name]?.trim() : undefined;
    return value === undefined || value === '' ? [] : [value];
  });
}
