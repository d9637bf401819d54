/** Signatures of Standard Webhooks: HMAC-SHA256 over id, time and body, one for each secret. */
import { createHmac } from 'node:crypto';
import { ErrandError } from '../../errors/thrown/errand-error.ts';

/** A secret as bytes. */
export type WebhookSecret = Uint8Array;

const PREFIX = 'whsec_';
const MIN_BYTES = 24;
const MAX_BYTES = 64;

export interface SignedMessage {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/** Several secrets by space. Throws `validation.input`, which never contains a part of a secret. */
export function webhookSecrets(text: string | undefined): readonly WebhookSecret[] {
  const words = (text ?? '').split(/\s+/).filter((word) => word !== '');
  if (words.length === 0)
    throw refused('ERRAND_WEBHOOK_SECRET is not set, and webhooks are signed');
  return words.map((word) => {
    const encoded = word.startsWith(PREFIX) ? word.slice(PREFIX.length) : undefined;
    const isBase64 = encoded !== undefined && /^[A-Za-z0-9+/]+={0,2}$/.test(encoded);
    const bytes = isBase64 ? Buffer.from(encoded, 'base64') : undefined;
    if (bytes === undefined || bytes.length < MIN_BYTES || bytes.length > MAX_BYTES)
      throw refused(
        `A secret in ERRAND_WEBHOOK_SECRET does not have the form ${PREFIX} and ${MIN_BYTES} to ${MAX_BYTES} bytes in base64`,
      );
    return bytes;
  });
}

/** The header `webhook-signature`: receivers accept the message when one of them fits. */
export function signatures(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly WebhookSecret[],
): string {
  const signed = `${id}.${timestamp}.${body}`;
  return secrets
    .map((secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`)
    .join(' ');
}

function refused(message: string): ErrandError {
  return new ErrandError({
    kind: 'validation.input',
    message,
    details: { variable: 'ERRAND_WEBHOOK_SECRET' },
    action: {
      kind: 'change_input',
      detail: 'Make one with: echo "whsec_$(openssl rand -base64 32)"',
    },
  });
}
