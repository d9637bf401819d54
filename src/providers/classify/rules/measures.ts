/**
 * Rules for bounds that a message states: how much of what one request may have. A bound per request is one of
 * size, whatever words of limits stand around it; a bound of a field is one of the set-up.
 */
import { NONE, type Rule } from '../rule.ts';
import { WRONG_SETTING } from './statuses.ts';

/** Nothing that the output limit shares a window with. */
const OF_THE_REPLY_ALONE =
  /^(?![^]*\b(?:prompts?|inputs?|messages?|context|window|length|conversation|sum|total|together|left|remaining|required|missing|instead)\b)[^]*\d/i;

/** `max_tokens: 9000 is beyond 8192, …`: the value, a comparison and the bound. */
const OVER_THE_CAP =
  /(?<!\b(?:prompts?|inputs?|messages?|context|tokens)\b[^.\n]{0,60})\bmax_?(?:new_?|output_?|completion_?)?tokens\b(?![^.\n]{0,120}\b(?:prompts?|inputs?|messages?|context|window|length|conversation|sum|total|together|left|remaining)\b)[^.\n]{0,24}\d[\d,]{2,9}\W{1,3}(?:but |is |are |was )?(?:above|over|beyond|exceeds|larger|greater|higher|more|>|(?:this|the) model (?:stops|ends|writes|generates))[^.\n]{0,40}\d/i;

/** Before the phrases, which know limits but not of what. */
export const MEASURE_FIRST_RULES: readonly Rule[] = [
  {
    id: 'rate.single-request-said',
    when: {
      statuses: [429],
      mentions:
        /\b(?:single|one|this|the|your) (?:prompt|request|call|message|input) (?:alone|(?:by )?itself)\b|\b(?:single|one|this) (?:prompt|request|call|message)\b[^.\n]{0,30}\b(?:larger|bigger|greater|more|exceeds?|over|above)\b[^.\n]{0,20}\b(?:whole|entire|full|complete|burst|bucket)\b|\beven (?:when|if|with)\b[^.\n]{0,24}\b(?:empty|unused|fresh|idle)\b|\bnever (?:fit|pass|succeed|be (?:admitted|served|accepted|granted))\b|\brefused forever\b|\bsplit(?:ting)? (?:it )?(?:up )?(?:is the only|is required|is necessary)|\b(?:cost|size|tokens)\b[^.\n]{0,20}\bexceeds? (?:the )?(?:burst|bucket)\b/i,
    },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'the request alone is said to be above the limit, so that no wait lets it pass',
  },
  {
    id: 'measure.tokens-per-request',
    when: {
      statuses: [NONE, 200, 400, 413, 422],
      phrases: ['about_tokens'],
      mentions:
        /\btokens?\b[^.\n]{0,40}\bper[ -](?:request|message|call|prompt|query|batch)\b|\bper[ -](?:request|message|prompt) tokens?\b/i,
      notPhrases: ['output_cap', 'spent', 'long_window', 'short_window'],
    },
    means: { kind: 'provider.context_length', scope: 'request', recovery: 'human' },
    why: 'a bound of tokens for one request is that of the window, no rate',
  },
  {
    id: 'measure.batch',
    when: {
      statuses: [400, 413, 422],
      mentions:
        /\b(?<!physical )batch size(?: of)? \d[\d,]{0,9} ?(?:>|exceeds|is (?:larger|greater|bigger|more|above))|\b(?<!physical )batch size limit(?: is| of|:) \d|\bnumber of (?:texts|inputs|documents|items|images|embeddings|strings) ?(?:\(\d[\d,]{0,9}\) )?(?:is (?:larger|greater|more|above)|exceeds|must|has to|may)|\b(?:max(?:imum)?|largest|total|allowed) number of (?:texts|inputs|documents|items|images|embeddings|strings)(?: allowed)?(?: is|:| of) ?\d|\b(?:texts|inputs|documents|embeddings|strings)\b[^.\n]{0,60}\bnumber\b[^.\n]{0,24}\b(?:at most|is|:) ?\d|\b(?:one|a|the same|each) batch\b[^.\n]{0,20}\b\d+ (?:requests|texts|inputs|items)\b|\b\d+ (?:requests|texts|inputs|items)\b[^.\n]{0,24}\b(?:one|a|the same) batch\b/i,
    },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'the message counts the inputs of one call; each of them may be short',
  },
  {
    id: 'measure.number',
    when: {
      statuses: [200, 400, 413, 422],
      mentions:
        /\b(?:the )?number of (?!\w{0,20} ?(?:projects?|voices?|seats?|keys?|agents?|users?|members?|models?|deployments?|collections?|index(?:es)?|workspaces?|sessions?|connections?|requests?|calls?|tokens?|tools?|functions?|concurrent|files you|stops?)\b)[a-z]\w{2,30}[^\n]{0,80}\bexceeds? (?:the |its |an? )?(?:limit|maximum|max|allowed)\b(?: \w{2,12}){0,2} \d/i,
    },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'the message counts parts of one call, and no possessions of the account',
  },
  {
    id: 'parameter.idempotency-key',
    when: { statuses: [400, 422], mentions: /\bidempotency[ _-]?key\b/i },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'this key tells requests apart; it opens no account',
  },
  {
    id: 'too-large.dimensions',
    when: {
      statuses: [200, 400, 422],
      mentions:
        /\b(?:image|picture|photo|video|frame)s?\b[^.\n]{0,40}\b(?:dimensions?|resolution|width|height|sides?)\b[^.\n]{0,60}\d[^.\n]{0,30}\b(?:got|was|is|has) \d{2,6} ?[x×] ?\d{2,6}/i,
    },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'the message states the bounds of a picture, and how large it is',
  },
  {
    id: 'measure.id-in-history',
    when: {
      statuses: [400, 422],
      params: /^(?:body\.)?(?:messages|input)\b.*[.\]](?:id|\w{1,30}_id|name)$/,
      mentions: /\btoo long\b|\blonger than\b|\bat most \d|\bmax(?:imum)?(?: length)?\b/i,
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'an id or a name in the history is too long; the history is not',
  },
  {
    id: 'parameter.output-cap',
    when: {
      statuses: [400, 422],
      params:
        /^(?:body\.|(?:generation|inference)_?config\.)?max_?(?:output_?|completion_?|new_?)?tokens$/i,
      mentions: OF_THE_REPLY_ALONE,
      notPhrases: ['unsupported', 'unsupported_parameter', 'token_sum'],
    },
    means: WRONG_SETTING,
    why: 'the output limit is refused, and neither the prompt nor the window is spoken of',
  },
  {
    id: 'measure.output-cap',
    when: {
      statuses: [NONE, 200, 400, 422],
      phrasesToo: ['about_tokens'],
      mentions: OVER_THE_CAP,
      notPhrases: ['unsupported', 'token_sum'],
    },
    means: WRONG_SETTING,
    why: 'the same, where only the sentence names the limit',
  },
  {
    id: 'measure.side',
    when: {
      statuses: [200, 400, 413, 422],
      phrasesToo: ['about_excess'],
      mentions:
        /\b(?:no|not|never|neither|n['’]t)\b(?: [\w-]+){0,5} (?:longer|larger|bigger|wider|higher|taller|more|beyond|above|over|past)(?: than)? \d[\d,.]{0,9} ?(?:pixels?|px|[kmg]i?b)\b(?! (?:per|of) )|\b(?:audio|videos?|recordings?|clips?|files?|speech|soundtracks?)\b[^.\n]{0,20}\b(?:not|never|n['’]t)\b(?: \w+){0,2} longer than \d[\d,.]{0,9} (?:hours?|minutes?|seconds?)\b/i,
    },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'the message states how long the side of a picture or a recording may be at most',
  },
  {
    id: 'measure.field',
    when: {
      statuses: [400, 422],
      params:
        /^(?:body\.)?(?:name|title|description|user|metadata|label|tags?|suffix|instructions|\w{0,30}_(?:id|key|name|identifier))\b/i,
      mentions: /\btoo long\b|\bat most\b|\bmax(?:imum)?(?: length)?\b/i,
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'a field beside the prompt is too long; the prompt is fine',
  },
];

/** After the phrases and the concepts: before the status alone says that the request was refused. */
export const MEASURE_RULES: readonly Rule[] = [
  {
    id: 'measure.count',
    when: {
      statuses: [400, 413, 422],
      mentions:
        /\b(?:at most|up to|(?:no|not) more than|maximum(?: number)? of|only|limited to|limit (?:is|of)|max(?:imum)?)[ :(]{1,2}\d[\d,_]{0,9}(?: [a-z]{1,12})? (?:images?|pictures?|photos?|files?|documents?|pages?|inputs?|items?|texts?|videos?|clips?|attachments?|records?|rows|characters|chars|messages|urls?|seconds|minutes|[kmg]b|bytes|pixels)\b(?! (?:per (?:second|minute|hour|day|week|month)|long\b|in length))/i,
    },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'the message states how many of something one request may have',
  },
  {
    id: 'measure.count-behind',
    when: {
      statuses: [400, 413, 422],
      mentions:
        /\b\d[\d,]{0,9} (?:images?|pictures?|photos?|files?|documents?|pages?|inputs?|items?|texts?|videos?|clips?|attachments?|records?|rows|characters|chars|messages|urls?|seconds?|minutes?|hours?|pixels?|px|[kmg]i?b|bytes) (?:at (?:the )?most|at (?:the )?maximum)\b(?! per )|\b\d[\d,]{0,9} (?:images?|files?|documents?|pages?|inputs?|items?|videos?|clips?|seconds|minutes)\b[^.\n]{0,24}\b\d[\d,]{0,9} (?:is|are) (?:as many|as much|the most|all)\b/i,
    },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'the same, with the bound behind what it counts',
  },
  {
    id: 'parameter.none-of-model',
    when: {
      statuses: [400, 422],
      mentions:
        /\b(?:nothing|none|no)\b(?: \w+){0,5} (?:supports|takes|accepts|offers|(?:that|which) (?:this|the) model (?:has|knows))\b/i,
    },
    means: { kind: 'provider.unsupported', scope: 'model', recovery: 'human' },
    why: 'the verb is affirmative, but its subject or its object is nothing',
  },
  {
    id: 'parameter.duration',
    when: {
      statuses: [400, 422],
      mentions:
        /\b(?:deadline|time-?out|timestamp|ttl|expir(?:y|ation)|keep[_ -]?alive)\b[^.\n]{0,40}\b(?:too (?:short|long|small|large|low|high)|below|minimum|at least|at most|(?:may|must|can|cannot|should|has to)(?: not)? be (?:more|less|longer|shorter|between|within|above|over))\b/i,
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'a length of time that was set for the call is out of its range; nothing took too long',
  },
  {
    id: 'server.refused',
    when: {
      statuses: [400, 404, 409, 412, 418, 422],
      mentions:
        /^(?:an? )?(?:unexpected )?internal (?:server |system |service )?(?:error|failure)\b/i,
    },
    means: { kind: 'provider.server_error', scope: 'provider', recovery: 'now' },
    why: 'the server speaks of a fault of its own, under the status of a refusal',
  },
];
