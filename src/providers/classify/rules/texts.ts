/**
 * Rules for prose alone. They come after everything structured, and each is marked low confidence. The
 * order matters where one wording contains another.
 */
import { anyOf } from '../concepts/saying.ts';
import { NONE, type Rule } from '../rule.ts';

/** A request that was refused, or a text that lost its status. */
const REFUSED = [NONE, 400, 404, 406, 409, 410, 412, 415, 418, 422, 424];

const QUEUE_FULL =
  /\b(?:queue|cache|buffer|pool|backlog) (?:is |was )?full\b|队列[^。\n]{0,8}满|キュー[^。\n]{0,8}満|대기열[^.\n]{0,8}가득|очередь[^.\n]{0,20}переполнена/i;

export const TEXT_RULES: readonly Rule[] = [
  {
    id: 'permission.breach',
    when: { phrases: ['breach'] },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'the account was closed for what it did, not for what it owes',
  },
  {
    id: 'quota.text',
    when: { phrases: ['spent'], notPhrases: ['short_window'] },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'human' },
    why: 'the message speaks of money, credits or a spent plan, whatever the status',
  },
  {
    id: 'quota.long-window-status',
    when: { statuses: [429], phrases: ['long_window'] },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'window' },
    why: 'a limit by the day or longer',
  },
  {
    id: 'quota.long-window-limit',
    when: {
      statuses: [200, ...REFUSED, 401, 402, 403, 500, 503],
      phrases: ['long_window'],
      phrasesToo: ['rate_limit', 'limit_hit'],
    },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'window' },
    why: 'a limit by the day or longer, under a status that does not mean a rate limit',
  },
  {
    id: 'quota.forbidden',
    when: { statuses: [200, 400, 401, 402, 403], phrases: ['quota'], notPhrases: ['short_window'] },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'window' },
    why: 'a quota under a status that means no rate: the door is closed until it is filled again',
  },
  {
    id: 'rate.oversize-status',
    when: { statuses: [429], phrases: ['oversize'] },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'a request that is too large, reported as throttling; repeating it cannot work',
  },
  {
    id: 'output-cap.text',
    when: {
      phrases: ['output_cap'],
      notPhrases: ['rate_limit', 'token_sum', 'unsupported_parameter'],
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'the output limit is set higher than the model allows; the prompt is fine',
  },
  {
    id: 'content.text',
    when: {
      statuses: [200, ...REFUSED, 403, 451, 498, 500],
      phrases: ['content_filter'],
      notPhrases: ['oversize', 'context', 'window', 'auth'],
    },
    means: { kind: 'provider.content_filter', scope: 'request', recovery: 'human' },
    why: 'the message speaks of a content policy',
  },
  {
    id: 'context.text',
    when: {
      statuses: [200, ...REFUSED, 403, 413, 500, 502, 503],
      phrases: ['context'],
      notPhrases: ['short_window'],
    },
    means: { kind: 'provider.context_length', scope: 'request', recovery: 'human' },
    why: 'the message says that the prompt does not fit the window',
  },
  {
    id: 'context.window-text',
    when: {
      statuses: [200, ...REFUSED, 403, 413, 500, 502, 503],
      phrases: ['window'],
      phrasesToo: ['excess'],
      notPhrases: ['short_window'],
    },
    means: { kind: 'provider.context_length', scope: 'request', recovery: 'human' },
    why: 'the message names the size of the window, and says that something is longer',
  },
  {
    id: 'too-large.text',
    when: { statuses: [200, ...REFUSED, 413], phrases: ['oversize'] },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'the message says that the request or a file in it is too large',
  },
  {
    id: 'no-key.unsent',
    when: { hasStatus: false, phrases: ['key_absent'] },
    means: { kind: 'provider.not_configured', scope: 'key', recovery: 'human' },
    why: 'without a response it is the client that misses a key; nothing was sent',
  },
  {
    id: 'no-key.text',
    when: { statuses: [NONE, 400, 401, 403, 404, 500, 503], phrases: ['no_key'] },
    means: { kind: 'provider.not_configured', scope: 'key', recovery: 'human' },
    why: 'the gateway reports that it has no key',
  },
  {
    id: 'certificate.text',
    when: { phrases: ['certificate'] },
    means: {
      kind: 'provider.network',
      category: 'configuration',
      outcome: 'not_started',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'the message speaks of a certificate that is not trusted, whatever wraps it',
  },
  {
    id: 'rate.or-pay',
    when: { statuses: [402], phrases: ['rate_limit', 'overload'], notPhrases: ['spent'] },
    means: { kind: 'provider.rate_limited', scope: 'account', recovery: 'window' },
    why: 'a limit of calls that a payment would lift; no money is said to be used up',
  },
  {
    id: 'permission.scopes',
    when: { statuses: [401], phrases: ['scopes'] },
    means: { kind: 'provider.permission', scope: 'key', recovery: 'human' },
    why: 'the key is known and lacks a scope, although the status says that it is not known',
  },
  {
    id: 'auth.text',
    when: { statuses: [200, ...REFUSED, 498, 500], phrases: ['auth'] },
    means: { kind: 'provider.auth', scope: 'key', recovery: 'human' },
    why: 'the message speaks of the key, whatever the status',
  },
  {
    id: 'permission.text-forbidden',
    when: {
      statuses: [403],
      phrases: ['auth'],
      says: anyOf([['right', 'forbidden']], ['key', 'token', 'login', 'expired', 'invalid']),
      mentions: /licen[cs]|entitle|subscri|\bplan\b|include/i,
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'forbidden, and a licence or a plan is missing, not a key',
  },
  {
    id: 'auth.text-forbidden',
    when: { statuses: [403], phrases: ['auth'], notPhrases: ['permission'] },
    means: { kind: 'provider.auth', scope: 'key', recovery: 'human' },
    why: 'forbidden, and the message speaks of the key itself',
  },
  {
    id: 'overload.queue-full',
    when: { statuses: [200, 400], phrases: ['overload'], mentions: QUEUE_FULL },
    means: {
      kind: 'provider.overloaded',
      outcome: 'not_started',
      scope: 'model',
      recovery: 'window',
    },
    why: 'the queue was full, so nothing was put into it',
  },
  {
    id: 'overload.text',
    when: {
      statuses: [NONE, 200, 400, 408, 424, 425, 429, 500, 502, 503, 504, 520, 529],
      phrases: ['overload'],
      notPhrases: ['short_window', 'permission'],
    },
    means: { kind: 'provider.overloaded', scope: 'model', recovery: 'window' },
    why: 'the message says that there is no capacity at the moment',
  },
  {
    id: 'overload.not-there-yet',
    when: { statuses: [404], phrases: ['overload'], phrasesToo: ['wait'] },
    means: { kind: 'provider.overloaded', scope: 'model', recovery: 'window' },
    why: 'the model is on its way, and the message says when to come again',
  },
  {
    id: 'server.no-memory',
    when: { statuses: [NONE, 400, 500, 503], phrases: ['memory'] },
    means: {
      kind: 'provider.server_error',
      category: 'configuration',
      scope: 'model',
      recovery: 'human',
    },
    why: 'the machine is too small for the model; a repeat finds it no larger',
  },
  {
    id: 'server.crashed',
    when: { statuses: [NONE, 200, 400, 422, 424, 500], phrases: ['crashed'] },
    means: { kind: 'provider.server_error', scope: 'model', recovery: 'now' },
    why: 'the program that runs the model crashed, whatever the status says',
  },
  {
    id: 'tool-schema.text',
    when: { statuses: REFUSED, phrases: ['tool_schema'] },
    means: { kind: 'provider.tool_schema', scope: 'request', recovery: 'human' },
    why: 'the message speaks of the schema of a tool or of the output',
  },
  {
    id: 'media.text',
    when: {
      statuses: [200, ...REFUSED],
      phrases: ['media'],
      notPhrases: ['unsupported_parameter'],
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'an image or a file that cannot be read',
  },
  {
    id: 'permission.region',
    when: { statuses: [NONE, 200, 400, 404, 412, 422, 500], phrases: ['region'] },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'the message says that the caller’s country or region is not served',
  },
  {
    id: 'permission.text',
    when: {
      statuses: [NONE, 200, 400, 412, 422, 500, 502],
      phrases: ['permission', 'scopes'],
      notPhrases: ['unsupported', 'model', 'connection'],
    },
    means: { kind: 'provider.permission', scope: 'key', recovery: 'human' },
    why: 'the message says that a right is missing, whatever the status',
  },
  {
    id: 'permission.wrapped',
    when: { statuses: [400, 500, 502], phrases: ['denied'] },
    means: { kind: 'provider.permission', scope: 'key', recovery: 'human' },
    why: 'a gateway passes on that access is denied',
  },
  {
    id: 'permission.entitlement',
    when: { statuses: [404], phrases: ['entitlement'] },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'the model exists, but a form, a licence or a policy of the account blocks it',
  },
  {
    id: 'conflict.text',
    when: { statuses: [400, 423], phrases: ['conflict'] },
    means: { kind: 'provider.conflict', scope: 'request', recovery: 'now' },
    why: 'the message says that another request uses the same resource',
  },
  {
    id: 'unsupported.parameter-text',
    when: { statuses: [...REFUSED, 500], phrases: ['unsupported_parameter'] },
    means: { kind: 'provider.unsupported', scope: 'model', recovery: 'human' },
    why: 'the message names a parameter that is not known there',
  },
  {
    id: 'model.text',
    when: { statuses: [200, ...REFUSED, 410, 500], phrases: ['model'] },
    means: { kind: 'provider.model_not_found', scope: 'model', recovery: 'human' },
    why: 'the message says that there is no such model',
  },
  {
    id: 'unsupported.text',
    when: { statuses: [200, ...REFUSED, 500, 501], phrases: ['unsupported'] },
    means: { kind: 'provider.unsupported', scope: 'model', recovery: 'human' },
    why: 'the message says that the model or host cannot do this',
  },
  {
    id: 'messages.text',
    when: {
      statuses: [400, 422],
      phrases: ['parameter'],
      params: /^(?:body\.)?(?:messages|input|contents)[[.]/,
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'a message misses a part or has a wrong one',
  },
  {
    id: 'parameter.text',
    when: { statuses: [200, 400, 422], phrases: ['parameter'] },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'a setting of the call is out of its range; the prompt is fine',
  },
  {
    id: 'rate.text',
    when: { statuses: [NONE, 200, 400, 403, 500, 502, 503, 529], phrases: ['rate_limit'] },
    means: { kind: 'provider.rate_limited', scope: 'model', recovery: 'hint' },
    why: 'the message speaks of a rate limit under another status',
  },
  {
    id: 'timeout.container',
    when: { codes: ['model'], phrases: ['timeout'] },
    means: { kind: 'provider.timeout', scope: 'model', recovery: 'now' },
    why: 'the container that runs the model did not respond to the service in front of it',
  },
  {
    id: 'network.client',
    when: { hasTransport: true, phrases: ['connection'] },
    means: { kind: 'provider.network', outcome: 'unknown', scope: 'provider', recovery: 'now' },
    why: 'the client itself could not connect; the status in its text is one it made up',
  },
  {
    id: 'network.of-wrapper',
    when: { statuses: [503], phrases: ['connection'], mentions: /[a-z]Exception - / },
    means: { kind: 'provider.network', outcome: 'unknown', scope: 'provider', recovery: 'now' },
    why: 'LiteLLM says that it could not connect; the status is its own',
  },
  {
    id: 'network.text',
    when: { statuses: [NONE, 400, 500, 502], phrases: ['connection'] },
    means: { kind: 'provider.network', outcome: 'unknown', scope: 'provider', recovery: 'now' },
    why: 'a gateway says that it could not reach the provider, under a status of its own',
  },
  {
    id: 'timeout.text',
    when: { statuses: [NONE, 200, 424, 499, 500, 502, 503], phrases: ['timeout'] },
    means: { kind: 'provider.timeout', scope: 'provider', recovery: 'now' },
    why: 'the message says that something upstream took too long',
  },
  {
    id: 'server.text',
    when: { statuses: [NONE, 200], phrases: ['server'] },
    means: { kind: 'provider.server_error', scope: 'provider', recovery: 'now' },
    why: 'a fault of the server inside a response with a good status',
  },
];
