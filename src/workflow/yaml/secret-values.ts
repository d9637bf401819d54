/**
 * Finds the secret values of a file. A value from a variable is a secret wherever the file uses it, unless
 * it is too short or too plain to tell from the words of outputs. A literal is a secret only under a secret
 * name in a field for credentials (`api_key`, `headers`, `env`); any other is in the file for everyone to
 * read.
 */
import { isTrivial } from '../../errors/redaction/redact.ts';
import { isSecretSetting } from '../../errors/redaction/secret-names.ts';
import type { Path } from '../plan/pointer.ts';
import { isAddress, secretPartsOfAddress } from './address-secrets.ts';
import { expandEnvironment, filledFrom } from './environment.ts';
import type { Environment } from './file-port.ts';
import { isIdentifyingNumber } from './plain-numbers.ts';
import { isPlainWords } from './plain-words.ts';

/** How a field of the file is used. */
export type FieldUse =
  /** Connects or authenticates: more of its values count as secrets. */
  | 'credential'
  /** Names a model, which every screen and bill shows. */
  | 'model'
  | 'other';

export interface WrittenValue {
  /** The key of the value. */
  readonly name: string;
  readonly written: string;
  readonly use: FieldUse;
}

export function secretsIn(
  { name, written, use }: WrittenValue,
  environment: Environment,
): readonly string[] {
  const isNamed = isSecretSetting(name);
  const filled = [...filledFrom(written, environment)].flatMap(([variable, value]) => {
    if (isNamed || isSecretSetting(variable)) return [value, ...secretPartsOfAddress(value)];
    return secretsOfValue(variable, value, use);
  });
  if (!isNamed || use !== 'credential') return filled.filter(isTelling);
  const { text } = expandEnvironment(written, environment);
  return [...filled, text, text.replace(SCHEME, '')].filter(isTelling);
}

/** The value of a variable with an ordinary name. */
function secretsOfValue(variable: string, value: string, use: FieldUse): readonly string[] {
  if (isAddress(value)) {
    // errors print parts of an address, so each counts by itself
    const parts = secretPartsOfAddress(value);
    return parts.length === 0 ? [] : [value, ...parts];
  }
  if (use === 'model') return [];
  const isCounted = COUNTED.test(variable) && /^\d+$/.test(value.trim());
  if (isIdentifyingNumber(value.trim()) && !isCounted) return [value];
  const keys = keysInPath(value.trim());
  if (keys.length > 0) return [value, ...keys];
  if (isOrdinary(value)) return [];
  return use === 'other' && isSetting(value) ? [] : [value];
}

/** Names of variables whose numbers are counted, measured or given out in turn, as `GITHUB_RUN_ID`. */
const COUNTED = /_(?:ID|SIZE|BYTES|COUNT|MS|SECONDS|EPOCH|TIMESTAMP)$/i;

const PATH = /^(?:~|\.{1,2})?[/\\]|^[A-Za-z]:[/\\]/;

/** Base64 may begin like a path, and hooks have their token in one; names of folders look otherwise. */
function keysInPath(text: string): readonly string[] {
  if (!PATH.test(text)) return [];
  return text.split(/[/\\]/).filter(isKey);
}

const MIN_KEY_CHARS = 16;

/** A key changes between small letters, capitals and digits at almost every sign, a name seldom, a hash never. */
function isKey(segment: string): boolean {
  const isMixed = [/[a-z]/, /[A-Z]/, /\d/].every((sign) => sign.test(segment));
  const pieces = segment.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  return isMixed && segment.length >= MIN_KEY_CHARS && pieces.length / segment.length > 0.4;
}

/** Fields that connect: their text stays as written, and the effect that connects fills it in. */
export function staysWritten(path: Path): boolean {
  if (path[0] !== 'workflow' || path[1] !== 'runtime') return false;
  if (path[2] === 'provider') return PROVIDER_FIELDS.has(path[3]);
  return path[2] === 'mcp_servers' && SERVER_FIELDS.has(path[4]);
}

const PROVIDER_FIELDS: ReadonlySet<unknown> = new Set([
  'api_key',
  'api_key_command',
  'base_url',
  'headers',
]);
const SERVER_FIELDS: ReadonlySet<unknown> = new Set(['env', 'headers', 'url', 'command', 'args']);

export function useOf(path: Path): FieldUse {
  // the environment of a node's program
  if (staysWritten(path) || (path[0] !== 'workflow' && path.at(-2) === 'env')) return 'credential';
  const keys = path.filter((step) => typeof step === 'string').join('.');
  return MODEL_FIELD.test(keys) ? 'model' : 'other';
}

const MODEL_FIELD =
  /^(?:workflow\.runtime\.default_model|(?:nodes|agents|for_each\.agent)\.model)(?:\.model)?$/;

/**
 * Every event, path and screen shows names as they are, because a run is found by them. A secret in
 * one could not be redacted, so no variable is filled into them.
 */
export function isNameField(path: Path): boolean {
  return NAME_FIELD.test(path.filter((step) => typeof step === 'string').join('.'));
}

const NAME_FIELD = new RegExp(
  `^(?:workflow\\.(?:name|entry_point|on_error\\.(?:to|on_error))|(?:nodes|agents|parallel|for_each(?:\\.agent)?)\\.(?:${[
    'name',
    'type',
    'as',
    'agents',
    'manages',
    'function',
    'tool',
    'tools',
    'writes',
    'raises',
    'policy\\.\\w+',
    'routes\\.(?:to|on_error)',
    'options\\.route',
    'abort_route',
    'questions\\.id',
    'assert\\.raise',
  ].join('|')}))$`,
);

const SCHEME = /^(?:bearer|basic|token|apikey) +/i;

function isTelling(value: string): boolean {
  return !isTrivial(value);
}

/**
 * Settings that are not secret under an ordinary name: paths, media types, languages, regions, versions,
 * numbers and short values.
 */
const ORDINARY = [
  /^.{0,7}$/s,
  PATH,
  /^(?:application|audio|image|multipart|text|video)\/[\w.+-]+(?: *;.*)?$/,
  /^[a-z]{2,3}[-_][A-Z]{2}(?:\.[\w-]+)?$/,
  /^[a-z]{2}(?:-[a-z]+)+-\d$/,
  /^[-+v(]?\d[\d ().:/TZ+-]*$/,
  /^(?:localhost|[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|ai|internal|local))(?::\d+)?$/,
];

function isOrdinary(value: string): boolean {
  const text = value.trim();
  return isTrivial(text) || ORDINARY.some((pattern) => pattern.test(text));
}

/** Values that prompts and arguments take from variables: words, and files by a relative path. */
function isSetting(value: string): boolean {
  const text = value.trim();
  return isPlainWords(text) || RELATIVE_FILE.test(text);
}

const RELATIVE_FILE = /^[\w.-]+(?:\/[\w.-]+)+\.[a-z]{1,5}$/i;
