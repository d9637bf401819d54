/**
 * `@anthropic-ai/sdk`, and the other clients of the same generator (Groq, Together, Cerebras) that keep
 * the whole body in `error`. An error event in a stream has headers and no status.
 */
import { readProperty } from '../../errors/support/safe-json.ts';
import {
  hasKey,
  parseBody,
  readMessage,
  readName,
  readStatus,
  readText,
  type Extracted,
  type Extractor,
} from './extractor.ts';
import { keepHeaders } from './headers.ts';
import { clientFinding, helperError, textBehindStatus } from './openai.ts';

export const anthropic: Extractor = {
  source: 'anthropic',
  extract(link) {
    if (isApiError(link)) return apiError(link);
    const isOwn = readName(link) === 'AnthropicError';
    if (!isOwn) return undefined;
    return helperError(link, 'anthropic') ?? { provider: 'anthropic', ...ownComplaint(link) };
  },
};

function isApiError(link: unknown): boolean {
  const hasAll = ['status', 'headers', 'error'].every((key) => hasKey(link, key));
  return hasAll && hasKey(link, 'message') && !hasKey(link, 'param');
}

function apiError(link: unknown): Extracted {
  const status = readStatus(link, 'status');
  const headers = readProperty(link, 'headers');
  const error = readProperty(link, 'error');
  const message = readMessage(link);
  const provider = hasKey(link, 'apiMessage') || isAnthropicBody(error) ? 'anthropic' : undefined;
  if (status === undefined && headers === undefined) {
    return { ...clientFinding(link), provider, message };
  }
  return {
    provider,
    status: status ?? 200,
    phase: status === undefined ? 'streaming' : 'headers',
    headers: keepHeaders(headers),
    message,
    body: parseBody(error) ?? textBehindStatus(message, status),
  };
}

function isAnthropicBody(body: unknown): boolean {
  return readProperty(body, 'type') === 'error';
}

function ownComplaint(link: unknown): Extracted {
  const message = readText(link, 'message') ?? '';
  const isAboutKeys = /apiKey|credential|profile|auth/i.test(message);
  return { finding: isAboutKeys ? 'api_key_missing' : 'invalid_prompt', message };
}
