/** Details of an effect whose outcome is unknown, so that a person can look it up on the other side. */
import {
  isArray,
  isPlainObject,
  type JsonObject,
  type JsonValue,
} from '../../errors/support/safe-json.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { EffectInput } from '../decide/effect-input.ts';
import type { EffectRef } from '../state/events.ts';

/** An effect that may have happened, as its report describes it: without secrets. */
export interface InDoubt {
  /** Its idempotency key. */
  readonly key: string;
  /** The type of the target. */
  readonly type: EffectRef['type'];
  /** The model, the tool, the program or the function. */
  readonly target: string;
  /** The arguments of the call; for a script its command, arguments and standard input. */
  readonly arguments?: JsonValue;
  /** Its processes that were still running when the run resumed. */
  readonly processes?: readonly number[];
}

/** The details of its report. */
export function unknownOutcomeDetails(
  { key, type, target }: EffectRef,
  input?: EffectInput,
): JsonObject {
  const callArguments = input === undefined ? undefined : argumentsOf(input);
  return {
    idempotency_key: key,
    effect: type,
    target,
    ...(callArguments === undefined ? {} : { arguments: callArguments }),
  };
}

function argumentsOf(input: EffectInput): JsonObject | undefined {
  switch (input.type) {
    case 'tool':
    case 'call':
      return input.arguments;
    case 'script': {
      const { command, args, stdin } = input;
      return { command, args: [...args], ...(stdin === undefined ? {} : { stdin }) };
    }
    case 'transform':
      return input.input;
    case 'model':
      return undefined;
  }
}

export function unknownOutcomeKey({ details }: Pick<ErrorReport, 'details'>): string | undefined {
  const key = details?.['idempotency_key'];
  return typeof key === 'string' ? key : undefined;
}

/** Reads it from a report; undefined for any other failure. */
export function inDoubtOf({ details }: Pick<ErrorReport, 'details'>): InDoubt | undefined {
  if (!isPlainObject(details)) return undefined;
  const { idempotency_key: key, effect: type, target, arguments: callArguments } = details;
  if (typeof key !== 'string' || typeof target !== 'string') return undefined;
  const known = TYPES.find((each) => each === type);
  if (known === undefined) return undefined;
  const { processes } = details;
  const left = isArray(processes) ? processes.filter((each) => typeof each === 'number') : [];
  return {
    key,
    type: known,
    target,
    ...(callArguments === undefined ? {} : { arguments: callArguments }),
    ...(left.length === 0 ? {} : { processes: left }),
  };
}

const TYPES: readonly EffectRef['type'][] = ['model', 'tool', 'script', 'call', 'transform'];

/** Describes the input of an effect in a sentence: `notify with {"to":"ada"}`. */
export function inputWords(input: EffectInput): string {
  switch (input.type) {
    case 'tool':
      return `${input.tool} with ${shortJson(input.arguments)}`;
    case 'call':
      return `${input.function} with ${shortJson(input.arguments)}`;
    case 'script':
      return commandWords(input.command, input.args);
    case 'transform':
      return 'its code';
    case 'model':
      return input.call.model;
  }
}

/** The same for an effect of which only the report is left. */
export function requestWords(
  { type, target }: Pick<EffectRef, 'type' | 'target'>,
  callArguments: JsonValue | undefined,
): string {
  if (callArguments === undefined) return target;
  const args =
    type === 'script' && isPlainObject(callArguments) ? callArguments['args'] : undefined;
  return isArray(args)
    ? commandWords(target, args.map(String))
    : `${target} with ${shortJson(callArguments)}`;
}

function commandWords(command: string, args: readonly string[]): string {
  return [command, ...args.map((arg) => (/^[\w./=:@,+-]+$/.test(arg) ? arg : shortJson(arg)))]
    .join(' ')
    .slice(0, MAX_CHARS);
}

/** Describes how to look it up, in a sentence. */
export function unknownOutcomeWords({
  key,
  target,
  arguments: callArguments,
}: Pick<InDoubt, 'key' | 'target' | 'arguments'>): string {
  const what = callArguments === undefined ? target : `${target} with ${shortJson(callArguments)}`;
  return `${what} (idempotency key ${key})`;
}

const MAX_CHARS = 300;

function shortJson(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}…`;
}
