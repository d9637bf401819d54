/** The arguments of a call, checked against the schema that the tool is listed with. */
import { isPlainObject, type JsonObject, type JsonValue } from '../errors/support/safe-json.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import { checkValue } from '../workflow/json-schema/check-value.ts';
import { DEFAULT_WAIT_SECONDS, MAX_WAIT_SECONDS } from './tools.ts';
import { unreadableIn } from './read-message.ts';

/** Throws `request.invalid`, and `request.too_large`, for what no schema has to look at. */
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
  const subject = finding.pointer === '' ? 'The call' : `The argument ${shown(finding.pointer)}`;
  throw invalid(`${subject} ${finding.message}`);
}

/** More than the most is the most: a wait that is too long is no reason to refuse a call. */
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
