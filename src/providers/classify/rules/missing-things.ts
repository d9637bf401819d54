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

export const MISSING_THING_RULES: readonly Rule[] = [
  {
    id: 'missing.of-request',
    when: {
      statuses: [400, 422],
      params: /^[a-z]\w{0,40}$/i,
      mentions: /\bmissing (?:required )?(?:field|param|parameter)(?:s|\(s\)): ?[`'"]?[a-z]/i,
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
        /\b(?:search|tools?|features?|functions?|modes?|parameters?|options?|interpreter|plugins?|retrieval)\b[^.!]{0,40}\b(?:deprecated|removed|retired|sunset|discontinued|gone|no longer)\b/i,
      notPhrases: ['model', 'spent', 'auth'],
    },
    means: { kind: 'provider.unsupported', scope: 'model', recovery: 'human' },
    why: 'a feature is said to be gone, not an address and not a model',
  },
];
