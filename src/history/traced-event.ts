/**
 * An event as far as its span needs it: without inputs, outputs, prompts and answers. It leaves
 * Temporal's sandbox for the surrounding process, which must get as little as possible of a run's
 * data.
 */
import { isArray, isPlainObject, type JsonValue } from '../errors/support/safe-json.ts';
import type { RunEvent } from '../machine/state/events.ts';

export function tracedEvent(event: RunEvent): RunEvent {
  switch (event.type) {
    case 'run:started': {
      const { answers: _answers, ...rest } = event;
      return { ...rest, input: {} };
    }
    case 'run:resumed': {
      const { plan: _plan, input: _input, ...rest } = event;
      return rest;
    }
    case 'run:completed':
      return { ...event, output: null };
    case 'run:failed':
    case 'node:failed':
    case 'effect:failed':
    case 'node:completed':
    case 'effect:succeeded':
      return event.output === undefined ? event : { ...event, output: tracedOutput(event.output) };
    case 'effect:requested': {
      const { prompt: _prompt, ...rest } = event;
      return rest;
    }
    case 'node:started': {
      const { members, ...rest } = event;
      return members === undefined ? event : { ...rest, members: { keys: members.keys } };
    }
    case 'gate:opened':
      return { ...event, prompt: '', options: [] };
    case 'gate:answered':
      return { ...event, value: null };
    case 'child:started':
      return { ...event, input: {} };
    default:
      return event;
  }
}

/** The keys that attributes are made of: who replied, how it ended, how many members failed. */
function tracedOutput(output: JsonValue): JsonValue {
  if (!isPlainObject(output)) return null;
  const { answeredBy, toolCalls, exit_code: exitCode, errors } = output;
  return {
    ...(typeof answeredBy === 'string' ? { answeredBy } : {}),
    ...(isArray(toolCalls) && toolCalls.length > 0 ? { toolCalls: [null] } : {}),
    ...(typeof exitCode === 'number' ? { exit_code: exitCode } : {}),
    ...(isPlainObject(errors)
      ? { errors: Object.fromEntries(Object.keys(errors).map((key) => [key, null])) }
      : {}),
  };
}
