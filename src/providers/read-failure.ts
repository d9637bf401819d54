/**
 * Reads a failure that a caller wrote. Its type is not checked at run time, and a caller who
 * handles a failure must not get a second one from us, so unusable parts are left out.
 */
import { isArray, isPlainObject, readProperty } from '../errors/support/safe-json.ts';
import { keepHeaders } from './extract/headers.ts';
import { FINDINGS, PHASES, type ProviderFailure, type TransportFault } from './provider-failure.ts';

/** Returns the failure itself if it has the right type. */
export function readFailure(given: unknown): ProviderFailure {
  return isFailure(given) ? given : repaired(given);
}

const TEXTS = ['provider', 'model', 'api', 'code', 'type', 'message'] as const;

function isFailure(given: unknown): given is ProviderFailure {
  if (!isPlainObject(given)) return false;
  const { provider, model, api, code, type, message } = given;
  const { operation, status, headers, phase, source, finding, transport } = given;
  return (
    [provider, model, api, code, type, message].every(isTextOrNone) &&
    (status === undefined || typeof status === 'number') &&
    (operation === 'generate' || operation === 'submit') &&
    isOneOf(PHASES, phase) &&
    typeof source === 'string' &&
    (finding === undefined || isOneOf(FINDINGS, finding)) &&
    isHeaders(headers) &&
    (transport === undefined || isFault(transport))
  );
}

function repaired(given: unknown): ProviderFailure {
  const read = (name: string): unknown => readProperty(given, name);
  const [status, phase, finding, source] = ['status', 'phase', 'finding', 'source'].map(read);
  const headers = read('headers');
  const transport = faultOf(read('transport'));
  const body = read('body');
  const likelyPhase = typeof status === 'number' ? 'headers' : 'sent';
  return {
    ...textsOf(given, TEXTS),
    operation: read('operation') === 'submit' ? 'submit' : 'generate',
    ...(typeof status === 'number' ? { status } : {}),
    headers: isHeaders(headers) ? headers : keepHeaders(headers),
    ...(body === undefined ? {} : { body }),
    ...(read('isUnread') === true ? { isUnread: true } : {}),
    ...(transport === undefined ? {} : { transport }),
    phase: isOneOf(PHASES, phase) ? phase : likelyPhase,
    delivered: read('delivered') === true,
    source: typeof source === 'string' ? source : 'caller',
    ...(isOneOf(FINDINGS, finding) ? { finding } : {}),
  };
}

const FAULT_TEXTS = ['name', 'message', 'code', 'syscall'] as const;
/** No honest cause chain is longer. */
const MAX_DEPTH = 20;

function isFault(given: unknown, depth = 0): given is TransportFault {
  if (!isPlainObject(given) || depth > MAX_DEPTH) return false;
  const { causes } = given;
  return (
    FAULT_TEXTS.every((name) => isTextOrNone(given[name])) &&
    (causes === undefined || (isArray(causes) && causes.every((each) => isFault(each, depth + 1))))
  );
}

function faultOf(given: unknown, depth = 0): TransportFault | undefined {
  if (given === null || given === undefined || depth > MAX_DEPTH) return undefined;
  if (typeof given === 'string') return { message: given };
  const causes = readProperty(given, 'causes');
  const inner = isArray(causes) ? causes.map((each) => faultOf(each, depth + 1)) : [];
  const known = inner.filter((each) => each !== undefined);
  return { ...textsOf(given, FAULT_TEXTS), ...(known.length === 0 ? {} : { causes: known }) };
}

/** A code may be a number. */
function textsOf<Name extends string>(
  given: unknown,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const texts: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = readProperty(given, name);
    if (typeof value === 'string' || typeof value === 'number') texts[name] = String(value);
  }
  return texts;
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

/** A `Headers` or a `Map` has no keys of its own; `keepHeaders` reads it. */
function isHeaders(value: unknown): value is Readonly<Record<string, string>> {
  if (!isPlainObject(value) || typeof value['entries'] === 'function') return false;
  return Object.entries(value).every(
    ([name, text]) => typeof text === 'string' && name === name.toLowerCase(),
  );
}

function isOneOf<Word extends string>(words: readonly Word[], value: unknown): value is Word {
  return words.some((word) => word === value);
}
