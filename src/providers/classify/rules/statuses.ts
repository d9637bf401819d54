/** Rules for when nothing more exact holds: a named field, then the HTTP status alone. */
import { anyOf } from '../concepts/saying.ts';
import type { Conclusion, Rule } from '../rule.ts';

/** Settings of a call, as opposed to what it is about. */
const SETTING =
  /^(?:body\.)?(?:temperature|top_?p|top_?k|n|seed|stop|stream|max_(?:completion_|output_)?tokens|presence_penalty|frequency_penalty|logprobs|top_logprobs|logit_bias|service_tier|verbosity|reasoning(?:_effort|\.\w+)?|thinking(?:\.\w+)?|tool_choice|parallel_tool_calls|store|metadata|user|modalities|session\.\w+)$/;

/** A field of the request that holds none of its content. */
const OTHER_FIELD =
  /^(?:body\.)?(?!(?:messages?|inputs?|prompts?|contents?|texts?|query|queries|documents?|tools?|functions?|model|files?|images?|audios?|videos?|media|history|conversation|body|data|items?|chunks?|attachments?|turns?|roles?)(?:\b|_))(?!\w*(?:url|content|prompt|message|text|image|video|audio|file|document|tool|token|key|model|turn|status|error|code|media|response|face|transcript|speech|role|history))[a-z]\w{1,60}$/i;

export const WRONG_SETTING: Conclusion = {
  kind: 'provider.invalid_request',
  category: 'configuration',
  scope: 'request',
  recovery: 'human',
};

export const STATUS_RULES: readonly Rule[] = [
  {
    id: 'parameter.no-body',
    when: { statuses: [400, 422], params: /^body$/ },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'the whole body got lost on the way: the client speaks HTTP wrongly',
  },
  {
    id: 'message.incomplete',
    when: {
      statuses: [400, 422],
      params:
        /^(?:body\.)?(?:\w{1,40}\.)?(?:messages|inputs?|contents|history|conversation)[[.]\d/i,
      mentions: /\b(?:field|is|are|parameter) (?:a )?required\b|\bmissing\b/i,
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'the missing field belongs to a part of the conversation',
  },
  {
    id: 'parameter.type',
    when: {
      statuses: [400, 422],
      params:
        /^(?!(?:body\.)?(?:messages|inputs?|contents?|prompt|tools|functions|history)\b)[a-z]/i,
      mentions:
        /\bcannot (?:unmarshal|deserialize)\b|\binvalid type: |\bcould not be converted to\b/i,
    },
    means: WRONG_SETTING,
    why: 'the parser of the server names a setting whose value has the wrong type',
  },
  {
    id: 'parameter.absent',
    when: {
      statuses: [400, 422],
      params: /^(?:body\.)?[a-z]\w{0,40}$/i,
      mentions:
        /\b(?:field|is|are|parameter) (?:a )?required\b|missing (?:a )?(?:required|field|param)/i,
    },
    means: WRONG_SETTING,
    why: 'a field that every request must have is missing: the client speaks another API',
  },
  {
    id: 'parameter.off',
    when: {
      statuses: [400, 422],
      params: SETTING,
      says: anyOf(
        [['forbidden'], ['unsupported'], ['unavailable'], ['unknown']],
        ['account', 'key', 'right', 'plan', 'region', 'must', 'range'],
      ),
    },
    means: { kind: 'provider.unsupported', scope: 'model', recovery: 'human' },
    why: 'a setting of the call is said not to be accepted at all',
  },
  {
    id: 'parameter.name',
    when: { params: SETTING },
    means: WRONG_SETTING,
    why: 'the parameter that was refused is a setting of the call',
  },
  {
    id: 'answer.web-page',
    when: { forms: ['html'], statusRange: [200, 299] },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'a web page instead of a reply: the base URL is wrong',
  },
  {
    id: 'status.401',
    when: { statuses: [401] },
    means: { kind: 'provider.auth', scope: 'key', recovery: 'human' },
    why: 'the server does not know the caller',
  },
  {
    id: 'status.402',
    when: { statuses: [402, 507, 509] },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'human' },
    why: 'payment is required',
  },
  {
    id: 'model.forbidden',
    when: {
      statuses: [403],
      phrases: ['model'],
      mentions:
        /^(?![^]*\b(?:permissions?|rights?|privileges?)\b)[^]*(?:\bmodel\b[^.]{0,60}\bnot found\b|\b(?:no such|unknown) model\b)/i,
      notPhrases: ['permission', 'auth', 'region', 'spent', 'content_filter'],
    },
    means: { kind: 'provider.model_not_found', scope: 'model', recovery: 'human' },
    why: 'the message says that there is no such model, and speaks of no right',
  },
  {
    id: 'status.403',
    when: { statuses: [403] },
    means: { kind: 'provider.permission', scope: 'key', recovery: 'human' },
    why: 'the server knows the caller and refuses',
  },
  {
    id: 'status.451',
    when: { statuses: [451] },
    means: { kind: 'provider.permission', scope: 'key', recovery: 'human' },
    why: 'a law or a policy forbids it, and nothing says that the content is meant',
  },
  {
    id: 'address.text',
    when: { statuses: [400, 404, 405], phrases: ['wrong_address'] },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'the message speaks of the address: the base URL is wrong',
  },
  {
    id: 'address.bare',
    when: { statuses: [404, 405], bareStatus: true },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'a framework has no such path: the base URL is wrong; a host would name the model',
  },
  {
    id: 'address.gone',
    when: {
      statuses: [410],
      mentions: /\b(?:endpoint|api|version|route|path|v\d)\b/i,
      notPhrases: ['model', 'spent', 'auth'],
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'an old address of the API was closed; the message does not speak of a model',
  },
  {
    id: 'status.404',
    when: { statuses: [404, 410] },
    means: { kind: 'provider.model_not_found', scope: 'model', recovery: 'human' },
    why: 'nothing is there: usually the model, sometimes the path',
  },
  {
    id: 'status.407',
    when: { statuses: [407, 511] },
    means: {
      kind: 'provider.network',
      category: 'configuration',
      outcome: 'not_started',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'a proxy or a network login in between asks for a sign-in',
  },
  {
    id: 'status.3xx',
    when: { statusRange: [300, 399] },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      outcome: 'not_started',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'the API is not at this address but at another one',
  },
  {
    id: 'status.408',
    when: { statuses: [408, 504, 524, 598] },
    means: { kind: 'provider.timeout', scope: 'provider', recovery: 'now' },
    why: 'the server or its upstream took too long',
  },
  {
    id: 'conflict.pending',
    when: {
      statuses: [409],
      mentions:
        /\b(?:pending|unfinished|in[- ]progress|queued|running)\b[^.]{0,80}\balready exists?\b|\balready exists?\b[^.]{0,80}\b(?:pending|unfinished|in[- ]progress|queued|running)\b/i,
    },
    means: { kind: 'provider.conflict', scope: 'request', recovery: 'now' },
    why: 'the existing one is said to be pending, so it will end',
  },
  {
    id: 'conflict.taken',
    when: {
      statuses: [409],
      mentions: /\balready (?:exists?|taken|registered|in use)\b|\bduplicate\b/i,
    },
    means: WRONG_SETTING,
    why: 'the name or the id is taken, and stays so',
  },
  {
    id: 'conflict.ask-to-check',
    when: {
      statuses: [409],
      mentions:
        /\b(?:check|verify|make sure|ensure|confirm)(?: that)? (?:your|you)\b(?![^.]{0,80}\b(?:retry|again|later)\b)/i,
    },
    means: WRONG_SETTING,
    why: 'the caller is asked to check its own settings; another call would find them unchanged',
  },
  {
    id: 'status.409',
    when: { statuses: [409, 423] },
    means: { kind: 'provider.conflict', scope: 'request', recovery: 'now' },
    why: 'the request conflicts with another one on the same resource',
  },
  {
    id: 'status.413',
    when: { statuses: [413, 431] },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'too many bytes for the edge in front of the API',
  },
  {
    id: 'status.429',
    when: { statuses: [429] },
    means: { kind: 'provider.rate_limited', scope: 'model', recovery: 'hint' },
    why: 'too many requests, and nothing says that waiting is useless',
  },
  {
    id: 'status.499',
    when: { statuses: [499] },
    means: { kind: 'cancelled.call', scope: 'request', recovery: 'human' },
    why: 'the caller closed the connection before the response',
  },
  {
    id: 'status.501',
    when: { statuses: [501] },
    means: { kind: 'provider.unsupported', scope: 'model', recovery: 'human' },
    why: 'the server does not implement this',
  },
  {
    id: 'status.503',
    when: { statuses: [425, 503, 529] },
    means: { kind: 'provider.overloaded', scope: 'model', recovery: 'window' },
    why: 'the service has no capacity at the moment',
  },
  {
    id: 'status.5xx',
    when: { statusRange: [500, 599] },
    means: { kind: 'provider.server_error', scope: 'provider', recovery: 'now' },
    why: 'the server had an internal error',
  },
  {
    id: 'status.424',
    when: { statuses: [424] },
    means: { kind: 'provider.server_error', scope: 'model', recovery: 'now' },
    why: 'the model behind the API failed',
  },
  {
    id: 'status.address',
    when: { statuses: [405, 406, 411, 414, 415, 417, 421, 426] },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'the form of the request is wrong: method, address or encoding, not the content',
  },
  {
    id: 'status.400-without-reason',
    when: { statuses: [400], reasonless: true },
    means: {
      kind: 'provider.invalid_request',
      category: 'unknown',
      scope: 'request',
      recovery: 'human',
    },
    why: 'refused without a reason; content and settings look alike',
  },
  {
    id: 'parameter.other',
    when: { statuses: [400, 422], params: OTHER_FIELD },
    means: WRONG_SETTING,
    why: 'a field is named that is not part of the content, and nothing more is said',
  },
  {
    id: 'status.4xx',
    when: { statusRange: [400, 499] },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'the server refused the request as it is',
  },
];
