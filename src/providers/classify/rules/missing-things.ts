/**
 * Rules for something that is said not to be there, by the noun that this is said of. A server names a model so,
 * but also a project, an index or a message of the history, and a status of 404 does not tell them apart.
 */
import { NONE, type Rule } from '../rule.ts';

/** Things that somebody set up beside the request. */
const SET_UP =
  'projects?|workspaces?|organi[sz]ations?|tenants?|teams?|agents?|assistants?|bots?|apps?|applications?|index|indexes|collections?|knowledge ?bases?|vector ?stores?|datasets?|data ?stores?|namespaces?|templates?|voices?|connectors?|integrations?|guardrails?|pipelines?|workflows?|flows?|spaces?|buckets?|tables?|environments?|skills?|containers?|presets?';
/** Parts of the conversation, and things that a request points at. */
const PART =
  'items?|messages?|threads?|conversations?|interactions?|sessions?|files?|documents?|images?|attachments?|uploads?|jobs?|tasks?|batch|batches|runs?|steps?|turns?|cached ?contents?|previous responses?|checkpoints?';

/** The second half of a compound: an `agent config`, a `voice profile`. */
const HEAD =
  '(?: (?:config\\w{0,10}|profiles?|definitions?|settings?|groups?|versions?|instances?|resources?))?';

/** A name or an id between the noun and the verb: `Project 'a/b'`, `Index docs-v2`, `Item with id 'msg_1'`. */
const NAME = `(?:(?: object)?(?: (?:with|of|by|for))?(?: the)?(?: (?:id|name|uuid))?[ :=]{0,2}[\`'"(]?[\\w./:@-]{1,120}[\`'")]?)?`;
const NOT_THERE =
  "(?: (?:was|is|were|are|could|can|does|did))?(?: ?not| ?n['’]t) (?:be )?(?:found|exist\\w{0,2}|locat\\w{2,3}|available)";

/** `Workspace "acme" was not found`, `no thread found with id`, `no such File object`, `unknown project`. */
function missing(nouns: string): RegExp {
  return new RegExp(
    `(?:^|[.:;,(\\n] ?|^[45]\\d\\d |\\b(?:the|this|that|your|requested|specified|a|an|[\`'"]) ?)(?:requested |specified |given )?(?:${nouns})${HEAD}${NAME}${NOT_THERE}|\\b(?:no such|no|unknown|nonexistent) (?:${nouns})${HEAD}(?: object)?(?: (?:was |were )?(?:found|exists?|with|named|called|by)\\b|:)|\\bno such (?:${nouns})${HEAD}\\W*$`,
    'i',
  );
}

/** The same nouns in a code: `agent_config_not_found`. */
const ABSENT_CODES =
  'project workspace tenant agent assistant bot index collection knowledge_base vector_store dataset template voice connector integration guardrail pipeline workflow bucket environment skill preset'
    .split(' ')
    .flatMap((noun) =>
      ['', '_config', '_profile', '_definition'].map((head) => `${noun}${head}_not_found`),
    );

/** Behind any of these nouns a model may be meant: `Model 'a' not found in project 'b'`. */
const OF_A_MODEL = ['model'] as const;

/** Things that have it, or take it. */
const TAKER = '(?:(?:this|the|that|these|any|reasoning|thinking|\\S*\\d\\S*) )?(?:\\S+ )?models?';
/** Things that a model may have. */
const SETTING = '(?:parameter|option|field|setting|argument|property|attribute)s?';

/** `can't be used with this model`, `is not something that x takes`, `has no argument called y`. */
const NOT_TAKEN = new RegExp(
  `\\b(?:cannot|can['’]t|can not|may not|could not) be (?:used|had|set|given|passed|sent|chosen) (?:with|for|on|by|in) ${TAKER}\\b|\\b(?:is not|isn['’]t|are not|aren['’]t) (?:something|anything|one|an? ${SETTING}|(?:one|any) of the ${SETTING})(?: that| which)? (?:of (?:this|the) model|\\S{1,60} (?:takes|accepts|knows|has|understands)|(?:this|the) (?:model|endpoint) (?:takes|accepts|knows|has|understands))\\b|(?:\\b(?:model|endpoint)\\b[^.\\n]{0,24}|\\b[a-z][\\w.-]*\\d[\\w.-]*) (?:has|knows|takes|accepts) no ${SETTING} (?:called|named|like|by the name)\\b|\\bno (?:such )?${SETTING}\\b[^.\\n]{0,40}\\b(?:for|on|in|with|of) (?:this|the) model\\b`,
  'i',
);

const FORMAT = '(?:response_format|json_schema|json_object|json mode|structured outputs?)';
const NOT_KNOWN =
  "(?:(?:does not|doesn['’]t|do not|don['’]t|cannot|can['’]t|is not|isn['’]t|are not|aren['’]t) (?:be )?(?:know|known|understand|understood|used|had|offered?)|(?:is|are) unknown|(?:is|has|knows) no)";
const UNKNOWN_FORMAT = new RegExp(
  `\\b${FORMAT}\\b[^.\\n]{0,40} ${NOT_KNOWN}\\b|\\b${NOT_KNOWN} [^.\\n]{0,24}\\b${FORMAT}\\b`,
  'i',
);

const PICTURES = '(?:images?|pictures?|photos?|audio|videos?)';
const READ = '(?:read|seen|hear\\w|understood|viewed|processed)';
const TEXT_ALONE = new RegExp(
  `\\bnothing but text\\b|\\btext(?: alone| and nothing else|, not ${PICTURES})\\b|\\bonly text (?:is|can be|may be) (?:read|taken|understood|accepted|given)\\b|\\bmmproj\\b|\\bno ${PICTURES} can be ${READ}\\b|\\b${PICTURES}\\b[^.\\n]{0,12}\\b(?:cannot|can['’]t|can not) be ${READ} by (?:this|the) model\\b|\\bmodel\\b[^.\\n]{0,24}\\b(?:cannot|can['’]t|can not) (?:read|see|hear|view|process) ${PICTURES}\\b`,
  'i',
);

/** Not one that bounds something: `--max-model-len` is advice against an overflow. */
const SWITCH =
  /\b(?:start\w*|launch\w*|run|restart\w*|needs?|requires?|without|asks? for|enable)\b[^.\n]{0,60}(?<![\w-])--(?![\w-]*(?:max|limit|size|len|ctx|context|token|mem|timeout|parallel-|batch|gpu|debug|verbose|help|key|proxy|insecure))[a-z][a-z-]{2,40}\b/i;

const NO_ENDPOINT =
  /\b(?:no|(?:none|neither) of (?:the|its|these|those)) (?:\w+ ){0,2}(?:endpoints?|providers?|hosts?)\b[^.\n]{0,40}\b(?:can|could|takes?|accepts?|handles?|understands?|supports?|offers?|does|do)\b[^.\n]{0,24}\b(?:tools?|functions?|images?|pictures?|audio|videos?|structured|json|parameters?|reasoning|thinking|streaming|caching|schemas?|vision|pdfs?)\b/i;

export const MISSING_THING_RULES: readonly Rule[] = [
  {
    id: 'missing.provider',
    when: {
      statuses: [NONE, 400, 404, 422],
      mentions:
        /(?:^|[.:;(] ?)(?:no such|unknown|unregistered) (?:model )?provider\b|\bprovider (?:\S{1,40} )?(?:is |was )?(?:not registered|none of)\b|\bprovider ["'`]?[\w.-]{1,40}["'`]? (?:is |was )?(?:not registered|none of)\b/i,
    },
    means: { kind: 'provider.not_configured', scope: 'provider', recovery: 'human' },
    why: 'the name of a provider is in no list of our side, so no call was made',
  },
  {
    id: 'missing.of-request',
    when: {
      statuses: [400, 422],
      params: /^[a-z]\w{0,40}$/i,
      mentions:
        /\bmissing (?:required )?(?:field|param|parameter)(?:s|\(s\)): ?[`'"]?[a-z]|\bmissing json field [a-z]/i,
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'a list of fields that every request must have and this one does not',
  },
  {
    id: 'missing.not-loaded',
    when: {
      statuses: [NONE, 200, 400, 404, 409, 422],
      mentions:
        /\bno (?:[\w-]{1,20} ){0,3}models? (?:is |are |was |has been )?(?:currently )?loaded\b/i,
    },
    means: { kind: 'provider.model_not_found', scope: 'model', recovery: 'human' },
    why: 'no model of the kind that the request needs is loaded',
  },
  {
    id: 'missing.look-at-list',
    when: {
      statuses: [404],
      mentions:
        /\bListModels\b|\b(?:slug|variant)\b[^\n]{0,120}\binstead\b|\binstead\b[^\n]{0,20}\b(?:slug|variant)\b/,
    },
    means: { kind: 'provider.model_not_found', scope: 'model', recovery: 'human' },
    why: 'another name is advised, or a list of the models that are there',
  },
  {
    id: 'missing.of-set-up',
    when: { statuses: [404], mentions: missing(SET_UP), notPhrases: OF_A_MODEL },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'a part of the set-up is missing, not the model',
  },
  {
    id: 'missing.code-of-set-up',
    when: { statuses: [404], codeEndings: ABSENT_CODES, notPhrases: OF_A_MODEL },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'the code names a missing part of the set-up',
  },
  {
    id: 'missing.of-history',
    when: { statuses: [404, 410], mentions: missing(PART), notPhrases: OF_A_MODEL },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'a part of the conversation or a file is missing, not the model',
  },
  {
    id: 'feature.gone',
    when: {
      statuses: [410],
      mentions:
        /\b(?:search|tools?|features?|functions?|modes?|parameters?|options?|interpreter|plugins?|retrieval)\b[^.!]{0,40}\b(?:deprecated|removed|retired|sunset|discontinued|gone|no longer|withdrawn|thing of the past|(?:taken|switched|turned|shut) (?:away|out|off|down))\b/i,
      notPhrases: ['model', 'spent', 'auth'],
    },
    means: { kind: 'provider.unsupported', scope: 'model', recovery: 'human' },
    why: 'a feature is said to be gone, not an address and not a model',
  },
  {
    id: 'feature.gone-from-model',
    when: {
      statuses: [400, 404, 410, 422],
      mentions:
        /\b(?:gone|dropped|removed|retired|withdrawn|deprecated|taken (?:out|away)|no longer (?:there|available|exists?|part))\b[^.\n]{0,12}\b(?:from|for|in|on|with|of) (?:this|the|these|that) models?\b(?! (?:list|catalog))/i,
      notPhrases: ['auth', 'spent'],
    },
    means: { kind: 'provider.unsupported', scope: 'model', recovery: 'human' },
    why: 'something is said to be gone from the model, which is there',
  },
  {
    id: 'feature.none-of-model',
    when: {
      statuses: [NONE, 400, 404, 422],
      phrasesToo: ['about_lack'],
      mentions: NOT_TAKEN,
      notPhrases: ['auth', 'spent'],
    },
    means: { kind: 'provider.unsupported', scope: 'model', recovery: 'human' },
    why: 'a parameter is said not to be one that the model has or takes',
  },
  {
    id: 'feature.unknown-format',
    when: {
      statuses: [400, 422, 500, 501],
      phrasesToo: ['about_format'],
      mentions: UNKNOWN_FORMAT,
    },
    means: { kind: 'provider.unsupported', scope: 'model', recovery: 'human' },
    why: 'a format of the reply is said to be unknown; its schema is not spoken of',
  },
  {
    id: 'feature.text-alone',
    when: {
      statuses: [NONE, 200, 400, 415, 422, 500, 501],
      phrasesToo: ['about_lack'],
      mentions: TEXT_ALONE,
    },
    means: { kind: 'provider.unsupported', scope: 'model', recovery: 'human' },
    why: 'the model reads text and nothing else, or was loaded without what reads pictures',
  },
  {
    id: 'feature.switch-of-server',
    when: {
      statuses: [400, 404, 422, 500, 501],
      mentions: SWITCH,
      notPhrases: ['context', 'window', 'oversize', 'auth', 'no_key', 'spent'],
    },
    means: { kind: 'provider.unsupported', scope: 'provider', recovery: 'human' },
    why: 'the server was started without a switch of its command line',
  },
  {
    id: 'feature.no-endpoint',
    when: { statuses: [400, 404], mentions: NO_ENDPOINT },
    means: { kind: 'provider.unsupported', scope: 'model', recovery: 'human' },
    why: 'the model is there; none of those who serve it can do what was asked',
  },
];
