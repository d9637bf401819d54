/**
 * What a call carries so that a server can tell a repeated one: the key of the action, which is the
 * same for every try of it, and beside it which try this is.
 */
import { readProperty } from '../../errors/json.ts';
import type { EffectContext } from '../effect.ts';

const KEY_NAME = 'errand/idempotency-key';
const ATTEMPT_NAME = 'errand/attempt';

export type CallMeta = Readonly<Record<string, unknown>>;

export function metaOf({
  idempotencyKey,
  attempt,
}: Pick<EffectContext, 'idempotencyKey' | 'attempt'>): CallMeta {
  return { [KEY_NAME]: idempotencyKey, [ATTEMPT_NAME]: attempt };
}

/** Names one try of a call on a connection; empty for a message that is no call. */
export function tryOf(meta: CallMeta | undefined): string {
  const key = keyIn(meta);
  return key === undefined ? '' : `${key}.${String(meta?.[ATTEMPT_NAME])}`;
}

/** Of a message as it goes over HTTP: the header that carries its key. */
export function keyHeader(body: unknown): Readonly<Record<string, string>> {
  if (typeof body !== 'string' || !body.includes(KEY_NAME)) return {};
  try {
    const key = keyIn(readProperty(readProperty(JSON.parse(body), 'params'), '_meta'));
    return key === undefined ? {} : { 'idempotency-key': key };
  } catch {
    // not a message of the protocol, so no call
    return {};
  }
}

function keyIn(meta: unknown): string | undefined {
  const key = readProperty(meta, KEY_NAME);
  return typeof key === 'string' ? key : undefined;
}
