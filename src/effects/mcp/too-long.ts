/**
 * A result that is longer than anything could use. It is not read, so its request is answered with an
 * error of ours in its place, under a code that no server uses.
 */
import { readProperty } from '../../errors/json.ts';
import type { McpMessage } from './sdk.ts';

const TOO_LONG = -48_501;
const LOST = -48_502;

/** From the ends of a message: what it answers; undefined where that cannot be seen. */
export function tooLongFor(head: string, tail: string): McpMessage | undefined {
  const found =
    /^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d+)/.exec(head) ??
    /^\s*\{\s*"id"\s*:\s*(\d+)/.exec(head) ??
    /,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail);
  return found === null ? undefined : tooLong(Number(found[1]));
}

export function tooLong(id: string | number): McpMessage {
  return answer(id, TOO_LONG, 'The result is too long');
}

/** The stream that should have brought the answer is over. */
export function lost(id: string | number): McpMessage {
  return answer(id, LOST, 'The connection was lost');
}

export function isTooLong(thrown: unknown): boolean {
  return readProperty(thrown, 'code') === TOO_LONG;
}

export function isLost(thrown: unknown): boolean {
  return readProperty(thrown, 'code') === LOST;
}

function answer(id: string | number, code: number, message: string): McpMessage {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
