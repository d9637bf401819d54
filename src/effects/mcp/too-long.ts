/**
 * Error responses that replace a response that is too long, lost or malformed, under codes that no server
 * uses.
 */
import { readProperty } from '../../errors/support/safe-json.ts';
import type { McpMessage } from './mcp-client-sdk.ts';

const TOO_LONG = -48_501;
const LOST = -48_502;
const NO_RESULT = -48_503;

/** Finds the request id in the ends of a message; undefined if it is not there. */
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

/** The stream ended without the response. */
export function lost(id: string | number): McpMessage {
  return answer(id, LOST, 'The connection was lost');
}

/** The response to a call is neither a result nor an error. */
export function noResult(id: string | number): McpMessage {
  return answer(id, NO_RESULT, 'The response is neither a result nor an error');
}

export function isNoResult(thrown: unknown): boolean {
  return readProperty(thrown, 'code') === NO_RESULT;
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
