/** Rules for a code that says no more than that something is wrong, where a field names what it is. */
import { NONE, type Rule } from '../rule.ts';

/** Settings that take one of a few words or numbers. */
const VALUED =
  'n|temperature|top_p|top_k|seed|voice|quality|speed|style|verbosity|effort|reasoning_effort|reasoning\\.effort|service_tier|stream|logprobs|top_logprobs|presence_penalty|frequency_penalty|best_of|dimensions';

/** `n has to be 1`, `temperature does not take 3`, ``for `effort` this model knows `low` only``. */
const ONLY_VALUES = new RegExp(
  `(?:^|[\\s"'\`(])(?:${VALUED})["'\`]? (?:(?:has to|needs to|must|can only|may only) be|(?:does not|doesn['’]t|cannot|can['’]t) take|(?:knows|takes) only|only (?:knows|takes)) ["'\`]?(?:\\d|true\\b|false\\b|(?<=["'\`])\\w)|\\bfor ["'\`](?:${VALUED})["'\`] [^.\\n]{0,40}["'\`]\\w+["'\`] only\\b`,
  'i',
);

export const NAMED_FIELD_RULES: readonly Rule[] = [
  {
    id: 'parameter.value',
    when: {
      statuses: [NONE, 200, 400, 422],
      mentions:
        /\b(?:unknown|unrecogni[sz]ed|invalid|bad|illegal) (?:param(?:eter)?|option|argument|field|attribute) values?\b/i,
      notCodes: ['unknown_model', 'invalid_model', 'model_not_found'],
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'the value is unknown; the parameter is known',
  },
  {
    id: 'parameter.choice',
    when: {
      statuses: [NONE, 400, 422],
      params: /^tool_?choice\b/i,
      phrases: ['tool_schema'],
      notPhrases: ['unsupported'],
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'the choice among the tools is a setting; their definitions are fine',
  },
  {
    id: 'parameter.only-values',
    when: {
      statuses: [NONE, 200, 400, 422],
      phrasesToo: ['about_value'],
      mentions: ONLY_VALUES,
      notPhrases: ['tool_schema'],
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'the message states the values that a setting may have; the setting itself is known',
  },
  {
    id: 'history.arguments',
    when: {
      statuses: [NONE, 400, 422],
      params: /(?:^|[.\]])arguments$|^(?:messages|input)\b.*\btool_calls\b/,
      mentions: /\bjson\b/i,
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'the arguments of a call are a part of the history, which a model wrote',
  },
  {
    id: 'parameter.without-tools',
    when: {
      statuses: [NONE, 400, 422],
      phrasesToo: ['tool_schema', 'about_tool_choice'],
      mentions:
        /\b(?:tool_?choice|tool_?config|function[ _]?call(?:ing)?(?:[ _]?config)?|parallel_tool_calls)\b[^.\n]{0,60}\b(?:without|although|while|absent|but no|(?:there (?:are|is)|has|have|with) no|(?:allowed|used|supported|valid) (?:only )?(?:when|if|with))\b[^.\n]{0,40}\b(?:tools|functions|function_?declarations)\b/i,
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'a setting for tools came without any tools; no definition is at fault',
  },
  {
    id: 'parameter.of-config',
    when: {
      statuses: [NONE, 400, 422],
      params:
        /^(?:(?:generation_?config|inference_?config|safety_?settings|cached_?content)\b(?!\W?\w*schema)|#\/(?!(?:messages|inputs?|input_?texts?|texts?|prompt|contents?|documents?|images?|tools|system|query)$)[a-z]\w*$)/i,
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'the path names a field of the set-up for the reply',
  },
  {
    id: 'parameter.of-code',
    when: {
      codes: ['invalid_parameter', 'invalid_parameter_value'],
      params:
        /^(?!(?:messages|inputs?|prompt|contents?|text|query|documents?|tools|functions|model|files?|images?|audio|videos?|media)\b)(?!\w*(?:url|content|prompt|message|text|image|video|audio|file))[a-z]\w{1,60}$/i,
      notPhrases: ['unsupported', 'spent', 'auth', 'content_filter', 'oversize'],
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'a wrong parameter by its code, and a field names it: it is none of the content',
  },
  {
    id: 'parameter.type-of-code',
    when: {
      statuses: [400, 422],
      codes: ['invalid_type'],
      params:
        /^(?:body\.)?(?!(?:messages|inputs?|prompt|contents?|text|query|documents?|tools|functions|model|files?)$)[a-z]\w{0,40}$/,
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'a setting has a value of the wrong type, whatever is said of the value',
  },
  {
    id: 'parameter.kind',
    when: {
      codes: [
        'literal',
        'enum',
        'int_parsing',
        'int_type',
        'float_parsing',
        'float_type',
        'bool_parsing',
        'bool_type',
        'greater_than',
        'greater_than_equal',
        'less_than',
        'less_than_equal',
      ],
      params: /^body\.(?!(?:messages|inputs?|prompt|contents?|text|query|documents?|tools)$)\w+$/,
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'a validator names a field of the request that takes one of a few values or numbers',
  },
];
