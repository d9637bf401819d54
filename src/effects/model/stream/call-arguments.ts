/**
 * The arguments of a tool call: a value, or the model's text if it is not a value that can be kept
 * as written.
 */
import { readProperty, type JsonValue } from '../../../errors/support/safe-json.ts';
import type { ToolCall } from '../../../machine/conversation/model-message.ts';
import {
  isFiniteThroughout,
  keepsDigits,
  readJson,
} from '../../../workflow/json-schema/exact-number.ts';
import type { CallPart } from '../language-model.ts';

/** The value of a part's text; undefined if it is not JSON, or empty. */
export interface ReadArguments {
  readonly value: unknown;
  readonly isRead: boolean;
}

/** A model may write nothing for a tool without arguments. */
export function readArguments({ input, toolName }: CallPart, tools: ReadonlySet<string>) {
  if (typeof input !== 'string') return { value: input, isRead: true };
  const isKnown = tools.has(toolName);
  if (isKnown && input.trim() === '') return { value: {}, isRead: true };
  const value = parsed(input);
  if (value === undefined) return { value: input, isRead: false };
  // text instead of arguments is shown to the model as its own words, unless a tool takes a text
  return { value, isRead: isKnown || typeof value !== 'string' };
}

/** `pieces` is the text of the arguments, if it came in pieces too. Throws for a value that is not JSON. */
export function toToolCall(
  { toolCallId: id, toolName: name, input }: CallPart,
  { value, isRead }: ReadArguments,
  pieces: string | undefined,
): ToolCall {
  if (!isRead && typeof value === 'string') return { id, name, unparsable: value };
  if (value === undefined) return { id, name, arguments: {} };
  const texts = new Set([input, pieces].filter((each) => typeof each === 'string'));
  for (const written of texts) if (isInexact(written)) return { id, name, unparsable: written };
  if (typeof input !== 'string' && JSON.stringify(value) === undefined)
    throw new TypeError('The arguments of a tool call are no JSON');
  // true: it is JSON, or was parsed from it
  const provided = value as JsonValue;
  if (isFiniteThroughout(provided)) return { id, name, arguments: provided };
  // an infinite number would be null in the log: the model is asked to correct it
  const asWords = (_: string, each: unknown): unknown =>
    typeof each === 'number' && !Number.isFinite(each) ? String(each) : each;
  return { id, name, unparsable: JSON.stringify(provided, asWords) };
}

/** It has a number that would lose digits, or a key twice. */
function isInexact(written: string): boolean {
  try {
    return readJson(written, keepsDigits).inexact !== undefined;
  } catch {
    // a piece was lost: the provider sent the whole at the end
    return false;
  }
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return MAY_HAVE_PROTOTYPE.test(text) && hasPrototype(value) ? undefined : value;
  } catch {
    // not JSON: the model is shown what it wrote
    return undefined;
  }
}

/** Written out, or as escapes. */
const MAY_HAVE_PROTOTYPE = /__proto__|constructor|\\u00/;

/**
 * Whether copying it key by key could change inherited properties. Not recursive, because it may be
 * very deep.
 */
function hasPrototype(value: unknown): boolean {
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (Object.hasOwn(next, '__proto__')) return true;
    const own = Object.hasOwn(next, 'constructor') ? readProperty(next, 'constructor') : undefined;
    if (typeof own === 'object' && own !== null && Object.hasOwn(own, 'prototype')) return true;
    for (const each of Object.values(next)) open.push(each);
  }
  return false;
}
