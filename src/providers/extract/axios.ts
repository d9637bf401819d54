/** Errors in axios' shape, which several small provider clients pass on unchanged. */
import { readProperty } from '../../errors/support/safe-json.ts';
import type { Finding } from '../provider-failure.ts';
import { readAddress } from './address.ts';
import {
  parseBody,
  readMessage,
  readName,
  readStatus,
  readText,
  type Extracted,
  type Extractor,
} from './extractor.ts';
import { keepHeaders } from './headers.ts';
import { describeFault } from './transport.ts';

export const axios: Extractor = {
  source: 'axios',
  extract(link) {
    const isCancelled = readProperty(link, '__CANCEL__') === true;
    if (readProperty(link, 'isAxiosError') !== true && !isCancelled) return undefined;
    const address = readAddress(addressOf(readProperty(link, 'config')));
    const response = readProperty(link, 'response');
    const status = readStatus(response, 'status');
    return status === undefined
      ? { ...address, ...withoutAnswer(link) }
      : { ...address, ...fromResponse(link, response, status) };
  },
};

function fromResponse(link: unknown, response: unknown, status: number): Extracted {
  return {
    status,
    phase: 'headers',
    headers: keepHeaders(readProperty(response, 'headers')),
    message: readMessage(link),
    body: parseBody(readProperty(response, 'data')),
  };
}

function withoutAnswer(link: unknown): Extracted {
  const finding = findingOf(link);
  const message = readMessage(link);
  return finding === undefined ? { message, transport: describeFault(link) } : { finding, message };
}

function findingOf(link: unknown): Finding | undefined {
  const code = readText(link, 'code');
  if (code === 'ERR_CANCELED' || readName(link) === 'CanceledError') return 'aborted';
  // axios' own timer; a timeout of the socket has a system call
  const isTimer = /^timeout of \d+ ?ms exceeded/.test(readMessage(link) ?? '');
  return isTimer ? 'timed_out' : undefined;
}

function addressOf(config: unknown): string | undefined {
  const url = readText(config, 'url');
  const base = readText(config, 'baseURL');
  if (url === undefined || base === undefined || /^[a-z]+:\/\//i.test(url)) return url ?? base;
  return `${base.replace(/\/+$/, '')}/${url.replace(/^\/+/, '')}`;
}
