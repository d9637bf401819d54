/** What is said of an effect in doubt, so that it can be looked up on the other side. */
import { isArray, isPlainObject, type JsonObject, type JsonValue } from '../errors/json.ts';
import type { ErrorReport } from '../errors/report.ts';
import type { EffectWork } from './effect-work.ts';
import type { EffectRef } from './events.ts';

/** Of an effect that may have happened; part of the report, so what is secret is taken out of it. */
export interface InDoubt {
  readonly key: string;
  readonly type: EffectRef['type'];
  readonly target: string;
  /** Of a script: its command, its arguments and what it reads. */
  readonly arguments?: JsonValue;
  /** Those of it that were still there when the run was taken up again. */
  readonly processes?: readonly number[];
}

/** The details of its report. */
export function doubtDetails({ key, type, target }: EffectRef, work?: EffectWork): JsonObject {
  const given = work === undefined ? undefined : argumentsOf(work);
  return {
    idempotency_key: key,
    effect: type,
    target,
    ...(given === undefined ? {} : { arguments: given }),
  };
}

function argumentsOf(work: EffectWork): JsonObject | undefined {
  switch (work.type) {
    case 'tool':
    case 'call':
      return work.arguments;
    case 'script': {
      const { command, args, stdin } = work;
      return { command, args: [...args], ...(stdin === undefined ? {} : { stdin }) };
    }
    case 'transform':
      return work.input;
    case 'model':
      return undefined;
  }
}

export function keyInDoubt({ details }: Pick<ErrorReport, 'details'>): string | undefined {
  const key = details?.['idempotency_key'];
  return typeof key === 'string' ? key : undefined;
}

/** As its report has it; undefined for any other failure. */
export function inDoubtOf({ details }: Pick<ErrorReport, 'details'>): InDoubt | undefined {
  if (!isPlainObject(details)) return undefined;
  const { idempotency_key: key, effect: type, target, arguments: given } = details;
  if (typeof key !== 'string' || typeof target !== 'string') return undefined;
  const known = TYPES.find((each) => each === type);
  if (known === undefined) return undefined;
  const { processes } = details;
  const left = isArray(processes) ? processes.filter((each) => typeof each === 'number') : [];
  return {
    key,
    type: known,
    target,
    ...(given === undefined ? {} : { arguments: given }),
    ...(left.length === 0 ? {} : { processes: left }),
  };
}

const TYPES: readonly EffectRef['type'][] = ['model', 'tool', 'script', 'call', 'transform'];

/** What was asked for, in a sentence: `notify with {"to":"ada"}`. */
export function workWords(work: EffectWork): string {
  switch (work.type) {
    case 'tool':
      return `${work.tool} with ${briefly(work.arguments)}`;
    case 'call':
      return `${work.function} with ${briefly(work.arguments)}`;
    case 'script':
      return [
        work.command,
        ...work.args.map((arg) => (/^[\w./=:@,+-]+$/.test(arg) ? arg : briefly(arg))),
      ]
        .join(' ')
        .slice(0, MAX_CHARS);
    case 'transform':
      return 'its code';
    case 'model':
      return work.call.model;
  }
}

/** What it is looked up by, in a sentence. */
export function doubtWords({
  key,
  target,
  arguments: given,
}: Pick<InDoubt, 'key' | 'target' | 'arguments'>): string {
  const what = given === undefined ? target : `${target} with ${briefly(given)}`;
  return `${what} (idempotency key ${key})`;
}

const MAX_CHARS = 300;

function briefly(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}…`;
}
