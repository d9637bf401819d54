/**
 * Finds a `Response` with an unread body, by its shape: the thrown value itself, or a property of
 * the error of a client that reads no bodies. Reading is asynchronous, so the caller does it.
 */
import { readProperty } from '../../errors/support/safe-json.ts';
import { hasKey } from './extractor.ts';

/** Undefined if there is no response, or no body. */
export function unreadResponse(thrown: unknown): object | undefined {
  const response = [thrown, readProperty(thrown, 'response')].find(isResponse);
  return readProperty(response, 'body') === null ? undefined : response;
}

function isResponse(value: unknown): value is object {
  const isCallable = (key: string): boolean => typeof readProperty(value, key) === 'function';
  return hasKey(value, 'bodyUsed') && isCallable('clone') && isCallable('text');
}
