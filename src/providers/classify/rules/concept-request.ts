/** Rules for prose by its concepts, about the material and the form of a request; see `concepts.ts`. */
import { anyOf, each } from '../concepts/saying.ts';
import { NONE, type Rule } from '../rule.ts';

/** Words that make a sentence one about the server, its reply or its caller. */
const NOT_OF_THE_REQUEST = [
  'reply',
  'host',
  'connection',
  'machinery',
  'busy',
  'wait',
  'late',
  'cut',
  'key',
  'account',
  'plan',
  'quota',
  'money',
] as const;

/** Parts of a prompt, and what has a kind of its own. */
const PARTS = [
  'prompt',
  'text',
  'content',
  'media',
  'block',
  'turn',
  'tool',
  'schema',
  'call',
  'role',
  'model',
] as const;

/** `the last message has to come from the user`, `messages may not end with the assistant`. */
const MUST =
  '(?:has|have|must|should|needs?|may|can|cannot|ought|expected)(?: not)?(?: to)? (?:be|come|have|stem|begin|start|end|finish|belong)\\b(?! been)';
const SPEAKER = '(?:user|assistant|tool|system|human)';
const WHO_BEGINS_OR_ENDS = new RegExp(
  `\\b(?:last|final|first) (?:message|turn|entry|role)\\b[^.\\n]{0,24}\\b${MUST}[^.\\n]{0,40}\\b${SPEAKER}\\b|\\b(?:conversation|messages|history|dialogue)\\b[^.\\n]{0,12}\\b${MUST}(?<=begin|start|end|finish)[^.\\n]{0,24}\\b${SPEAKER}\\b|\\b(?:beginning|start|end) there ${MUST}[^.\\n]{0,30}\\b${SPEAKER}\\b`,
  'i',
);

/** Before the phrases, which know tokens but not minutes or pages. */
export const MATERIAL_LENGTH_RULES: readonly Rule[] = [
  {
    id: 'material.below-bound',
    when: {
      statuses: [NONE, 200, 400, 413, 415, 422],
      mentions:
        /\b(?:is|are|was) (?:less|smaller|shorter|lower) than \d[\d,.]{0,12} ?(?:bytes?|[kmg]i?b|pixels?|px)\b|\b(?:audio|video|recording|clip|speech|file)\b[^.\n]{0,40} (?:is|are|was) (?:less|shorter) than \d[\d,.]{0,12} ?(?:ms|milliseconds?|s|sec|seconds?)\b/i,
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'a file is said to be smaller or shorter than it must be',
  },
  {
    id: 'media.content-type',
    when: {
      statuses: [NONE, 200, 400, 415, 422, 500],
      phrases: ['about_content_type'],
      mentions:
        /\b(?:content|media|mime)[-_ ]?type\b.{0,80}\b(?:audio|image|video)\/\w|\b(?:audio|image|video)\/\w.{0,40}\b(?:content|media|mime)[-_ ]?type\b/i,
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'a file of the request has a type that is not taken',
  },
  {
    id: 'request.content-type',
    when: {
      statuses: [NONE, 200, 400, 415, 422, 500],
      phrases: ['about_content_type'],
      mentions:
        /\bcontent[-_ ]?type\b.{0,60}(?:\bmust\b|\bexpect|\brequired|unsupported)|unsupported content[- ]type/i,
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'the client sends its request in another form than the server takes',
  },
  {
    id: 'media.of-input',
    when: {
      statuses: [NONE, 200, 400, 415, 422],
      phrases: ['about_media'],
      mentions:
        /\b(?:reference|input|source|uploaded|first|last|start|end)[ _-](?:frame|image|video|audio|clip|photo|picture)s?\b[^.]{0,40}\b(?:fps|frame rate|sample rate|width|height|aspect|ratio|dimensions?|format|codec)\b/i,
      says: each(
        ['media'],
        ['invalid', 'must', 'unsupported'],
        ['excess', 'too', 'over', 'model', 'account', 'plan', 'host', 'reply', 'tool'],
      ),
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'a property of a file that was sent with the request, not a setting for the reply',
  },
  {
    id: 'concept.own-machinery',
    when: {
      statuses: [500, 502],
      phrases: ['about_machinery'],
      says: [
        ...each(
          ['machinery'],
          ['late', 'unavailable', 'refused', 'cut', 'failed', 'connection', 'lacking', 'reached'],
          ['prompt'],
        ),
        ...each(['filter'], ['late', 'unavailable', 'cut'], ['prompt', 'content', 'text']),
        ...anyOf([['filter', 'failed', 'model']], ['prompt', 'content', 'text']),
      ],
    },
    means: { kind: 'provider.server_error', scope: 'provider', recovery: 'now' },
    why: 'something that the server stands on failed, whatever its name sounds like',
  },
  {
    id: 'server.own-files',
    when: {
      statuses: [500, 502],
      mentions:
        /permission denied[^a-z]{1,6}['"/]|'\/[^']{1,200}' ?permission denied|errno 13\b|EACCES/i,
    },
    means: { kind: 'provider.server_error', scope: 'provider', recovery: 'now' },
    why: 'a right to a file of the server is missing, not one of the caller',
  },
  {
    id: 'turn.at-the-end',
    when: {
      statuses: [NONE, 200, 400, 422, 500],
      mentions: WHO_BEGINS_OR_ENDS,
      notPhrases: ['unsupported'],
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'the message says whose turn must come first or last',
  },
  {
    id: 'concept.long-material',
    when: {
      statuses: [NONE, 200, 400, 413, 422],
      phrases: ['about_media'],
      phrasesToo: ['about_excess'],
      says: anyOf(
        [
          ['media', 'too', 'length'],
          ['media', 'excess', 'length'],
          ['media', 'too', 'much'],
          ['media', 'excess'],
          ['media', 'reached', 'bound'],
        ],
        [
          'tokens',
          'window',
          'rate',
          'requests',
          'quota',
          'account',
          'plan',
          'day',
          'must',
          'unsupported',
        ],
      ),
    },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'a recording, a file or their number is said to be more than one request may have',
  },
];

export const MATERIAL_RULES: readonly Rule[] = [
  {
    id: 'concept.late-refusal',
    when: {
      statuses: [400, 404, 409, 422],
      says: each(
        ['host', 'requests', 'connection', 'model'],
        ['late'],
        ['param', 'sampling', 'must', 'invalid', 'bound', 'fetch', 'media', 'address'],
      ),
    },
    means: { kind: 'provider.timeout', scope: 'provider', recovery: 'now' },
    why: 'something is said to have taken too long, under the status of a refusal',
  },
  {
    id: 'material.encoded',
    when: {
      statuses: [NONE, 200, 400, 415, 422],
      mentions: /\bencoded\b/i,
      says: each(
        ['media', 'text'],
        ['must', 'invalid'],
        [...NOT_OF_THE_REQUEST, 'sampling', 'tool'],
      ),
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'a file or a text of the request has to be encoded in another way',
  },
  {
    id: 'concept.material',
    when: {
      statuses: [NONE, 200, 415, 424],
      says: anyOf(
        [
          ['media', 'invalid'],
          ['media', 'missing'],
          ['media', 'unset'],
          ['media', 'lacking'],
          ['media', 'unsupported'],
          ['media', 'too', 'short'],
          ['media', 'fetch', 'failed'],
          ['media', 'fetch', 'refused'],
          ['media', 'right', 'failed'],
          ['media', 'right', 'forbidden'],
        ],
        [...NOT_OF_THE_REQUEST, 'tool'],
      ),
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'a file of the request is said to be unreadable or out of reach',
  },
  {
    id: 'template.refused',
    when: {
      statuses: [NONE, 200, 400, 500],
      mentions: /\bjinja\b|\bchat[ _]template\b/i,
      says: each(
        ['role', 'turn', 'text', 'prompt'],
        ['must', 'invalid', 'missing', 'most', 'unset'],
        ['machinery', 'busy', 'late', 'key', 'unset'],
      ),
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'the template that joins the messages refused their roles or their order',
  },
  {
    id: 'concept.refused',
    when: {
      statuses: [NONE, 200, 500],
      says: [
        ...each(['text', 'turn', 'block'], ['invalid', 'must', 'unset'], NOT_OF_THE_REQUEST),
        ...anyOf(
          [
            ['requests', 'invalid'],
            ['media', 'decode', 'failed'],
            ['prompt', 'invalid'],
          ],
          NOT_OF_THE_REQUEST,
        ),
        ...each(
          ['call'],
          ['must', 'missing'],
          ['host', 'machinery', 'busy', 'wait', 'late', 'key'],
        ),
      ],
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'a part of the request is said to be wrong, under a status that does not say so',
  },
  {
    id: 'server.own-reply',
    when: {
      statuses: [500, 502],
      mentions: /\bvalidation errors? for [A-Z]\w{0,60}(?:Response|Chunk|Event|Output|Result)\b/,
    },
    means: { kind: 'provider.server_error', scope: 'provider', recovery: 'now' },
    why: 'the server could not read its own reply; the fields that it misses are not those of the request',
  },
  {
    id: 'concept.refused-setting',
    when: {
      statuses: [200, 500],
      says: [
        ...each(['sampling'], ['must', 'invalid', 'range'], NOT_OF_THE_REQUEST),
        ...each(['param'], ['must', 'invalid'], NOT_OF_THE_REQUEST),
      ],
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'a setting of the call is said to be wrong, under a status that does not say so',
  },
  {
    id: 'concept.refused-parameter',
    when: {
      statuses: [400, 422],
      says: each(['param'], ['invalid'], [...NOT_OF_THE_REQUEST, ...PARTS]),
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'a parameter is said to be wrong, and no part of the prompt is spoken of',
  },
];
