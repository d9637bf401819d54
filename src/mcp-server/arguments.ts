/** The arguments of a call, checked against the schema that the list of tools shows. */
import { isPlainObject, type JsonObject, type JsonValue } from '../errors/support/safe-json.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import { checkValue } from '../workflow/json-schema/check-value.ts';
import { DEFAULT_WAIT_SECONDS, MAX_WAIT_SECONDS } from './tools.ts';
import { unreadableIn } from './read-message.ts';

/** Throws `request.invalid` and `request.too_large` before any schema has to look. */
export function givenArguments(given: unknown): JsonObject {
  if (given === undefined) return {};
  if (!isPlainObject(given)) throw invalid('The arguments are not an object');
  const unreadable = unreadableIn(given);
  if (unreadable !== undefined) throw unreadable;
  // parsed from JSON
  return given as JsonObject;
}

/** Throws `request.invalid`. */
export function checkArguments(schema: JsonObject, given: JsonObject): void {
  const [finding] = checkValue(schema, given);
  if (finding === undefined) return;
  const names = Object.keys(isPlainObject(schema['properties']) ? schema['properties'] : {});
  const name = shown(finding.pointer);
  const takes = names.length === 0 ? 'none' : names.join(', ');
  const isUnknown =
    Object.keys(given).some((each) => `/${each}` === finding.pointer) &&
    schema['additionalProperties'] === false &&
    !names.includes(finding.pointer.slice(1));
  if (isUnknown) throw invalid(`There is no argument ${name}; the tool takes ${takes}`);
  const count = Object.keys(given).length;
  const { minProperties, maxProperties } = schema;
  if (finding.pointer === '' && typeof minProperties === 'number' && count < minProperties)
    throw invalid(`The call needs at least ${minProperties} of the arguments ${takes}`);
  if (finding.pointer === '' && typeof maxProperties === 'number' && count > maxProperties)
    throw invalid(`The call may have at most ${maxProperties} of the arguments ${takes}`);
  const subject = finding.pointer === '' ? 'The call' : `The argument ${shown(finding.pointer)}`;
  throw invalid(`${subject} ${finding.message}`);
}

/** Lowers a wait above the maximum to the maximum: it is no reason to refuse a call. */
export function withShorterWait(given: JsonObject, name: string | undefined): JsonObject {
  if (name === undefined) return given;
  const seconds = given[name];
  const isLong = typeof seconds === 'number' && seconds > MAX_WAIT_SECONDS;
  return isLong ? { ...given, [name]: MAX_WAIT_SECONDS } : given;
}

export function waitMs(seconds: JsonValue | undefined, preset = DEFAULT_WAIT_SECONDS): number {
  return (typeof seconds === 'number' ? seconds : preset) * 1000;
}

function shown(pointer: string): string {
  const name = pointer.slice(1);
  return name.length > 80 ? `${name.slice(0, 79)}…` : name;
}

export function invalid(message: string): ErrandError {
  return new ErrandError({
    kind: 'request.invalid',
    message,
    action: {
      kind: 'change_input',
      detail: 'Give the arguments as the schema of the tool describes them.',
    },
  });
}
