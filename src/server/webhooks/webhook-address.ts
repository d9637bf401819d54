/** The address of a webhook as the operator gives it: https, or http on this machine. */
import { createHash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import type { Endpoint } from '../../engine/carry-on.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';

export interface WebhookAddress extends Endpoint {
  readonly url: string;
}

const ID_DIGITS = 32;
const NAME_DIGITS = 8;

/** Throws `validation.input`. The path and the query stay out of every message: they may be a secret. */
export function webhookAddress(text: string): WebhookAddress {
  if (!URL.canParse(text)) throw refused('An address of --webhook is not a URL');
  const url = new URL(text);
  const isSafe =
    url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  if (!isSafe)
    throw refused(`The webhook ${url.protocol}//${url.host} is not https, nor on this machine`);
  if (url.username !== '' || url.password !== '')
    throw refused(`The webhook ${url.protocol}//${url.host} has a user name or a password in it`);
  url.hash = '';
  const digest = createHash('sha256').update(url.href).digest('hex');
  return {
    url: url.href,
    id: digest.slice(0, ID_DIGITS),
    name: `${url.origin} (${digest.slice(0, NAME_DIGITS)})`,
  };
}

function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '[::1]' ||
    (isIPv4(name) && name.startsWith('127.'))
  );
}

function refused(message: string): ErrandError {
  return new ErrandError({
    kind: 'validation.input',
    message,
    details: { option: 'webhook' },
    action: { kind: 'change_input', detail: 'Give --webhook an address that begins with https://' },
  });
}
