/**
 * Metadata of a call by which a server can recognise a repeated one: the idempotency key of the action,
 * which is the same for every attempt, and the number of the attempt. The trace of the attempt is beside
 * them, under the names that MCP gives it.
 */
import { readProperty } from '../../errors/support/safe-json.ts';
import type { EffectContext } from '../effect-port.ts';

const KEY_NAME = 'errand/idempotency-key';
const ATTEMPT_NAME = 'errand/attempt';

export type CallMeta = Readonly<Record<string, unknown>>;

export function metaOf({
  idempotencyKey,
  attempt,
  trace,
}: Pick<EffectContext, 'idempotencyKey' | 'attempt' | 'trace'>): CallMeta {
  return { [KEY_NAME]: idempotencyKey, [ATTEMPT_NAME]: attempt, ...trace };
}

/** Identifies one attempt of a call on a connection; empty for a message that is not a call. */
export function attemptOf(meta: CallMeta | undefined): string {
  const key = keyIn(meta);
  return key === undefined ? '' : `${key}.${String(meta?.[ATTEMPT_NAME])}`;
}

/** The HTTP header with the idempotency key of a message. */
export function keyHeader(body: unknown): Readonly<Record<string, string>> {
  if (typeof body !== 'string' || !body.includes(KEY_NAME)) return {};
  try {
    const key = keyIn(readProperty(readProperty(JSON.parse(body), 'params'), '_meta'));
    return key === undefined ? {} : { 'idempotency-key': key };
  } catch {
    // not a message of the protocol, so not a call
    return {};
  }
}

function keyIn(meta: unknown): string | undefined {
  const key = readProperty(meta, KEY_NAME);
  return typeof key === 'string' ? key : undefined;
}
