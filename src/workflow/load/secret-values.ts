/**
 * Which values of a file are secrets. In the places that are made for credentials (`api_key`, `headers`,
 * `env`) it is what comes from the environment, and what stands under a secret name; anywhere else it is
 * what comes from a variable with a secret name, or stands under one and comes from the environment. What
 * an author writes out is in the file for everyone to read, and the words of it stand in outputs too.
 */
import { isTrivial } from '../../errors/redact.ts';
import { isSecretSetting } from '../../errors/secret-names.ts';
import type { Path } from '../path.ts';
import { expandEnvironment, filledFrom } from './environment.ts';
import type { Environment } from './port.ts';

export interface WrittenValue {
  /** The name that it stands under. */
  readonly name: string;
  readonly written: string;
  /** Whether it stands in a place that is made for credentials. */
  readonly isCredential: boolean;
}

export function secretsIn(
  { name, written, isCredential }: WrittenValue,
  environment: Environment,
): readonly string[] {
  const isNamed = isSecretSetting(name);
  const filled = [...filledFrom(written, environment)].flatMap(([variable, value]) => {
    if (isNamed || isSecretSetting(variable)) return [value];
    if (isCredential && !isOrdinary(value)) return [value];
    // an address with a password in it is one wherever it stands
    const password = ADDRESS_PASSWORD.exec(value)?.[1];
    return password === undefined ? [] : [value, password];
  });
  if (!isNamed || !isCredential) return filled.filter(isTelling);
  const { text } = expandEnvironment(written, environment);
  return [...filled, text, text.replace(SCHEME, '')].filter(isTelling);
}

/** Where a file configures keys: such a text stays as written, and whoever connects fills it in. */
export function staysWritten(path: Path): boolean {
  if (path[0] !== 'workflow' || path[1] !== 'runtime') return false;
  if (path[2] === 'provider') return path[3] === 'api_key' || path[3] === 'headers';
  return path[2] === 'mcp_servers' && (path[4] === 'env' || path[4] === 'headers');
}

/** The same, and what a node gives to its program. */
export function isCredentialPlace(path: Path): boolean {
  return staysWritten(path) || (path[0] !== 'workflow' && path.at(-2) === 'env');
}

const ADDRESS_PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:([^\s/]+)@/i;
const SCHEME = /^(?:bearer|basic|token|apikey) +/i;

function isTelling(value: string): boolean {
  return !isTrivial(value);
}

/**
 * Settings that are no secrets under an ordinary name: paths, addresses without credentials, media types,
 * languages, regions, versions, numbers and what is short.
 */
const ORDINARY = [
  /^.{0,7}$/s,
  /^(?:~|\.{1,2})?[/\\]/,
  /^[A-Za-z]:[/\\]/,
  /^[a-z][a-z0-9+.-]*:\/\/[^@?#\s]*$/i,
  /^(?:application|audio|image|multipart|text|video)\/[\w.+-]+(?: *;.*)?$/,
  /^[a-z]{2,3}[-_][A-Z]{2}(?:\.[\w-]+)?$/,
  /^[a-z]{2}(?:-[a-z]+)+-\d$/,
  /^v?\d+(?:[.:-]\d+)*$/,
  /^(?:localhost|[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|ai|internal|local))(?::\d+)?$/,
];

function isOrdinary(value: string): boolean {
  const text = value.trim();
  return isTrivial(text) || ORDINARY.some((pattern) => pattern.test(text));
}
