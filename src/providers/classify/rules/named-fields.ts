/** Rules for a code that says no more than that something is wrong, where a field names what it is. */
import { NONE, type Rule } from '../rule.ts';

export const NAMED_FIELD_RULES: readonly Rule[] = [
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
