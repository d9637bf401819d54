/**
 * Describes a classified failure for a report: a sentence that a person can act on, in our own
 * words. It quotes only codes and ids of the response; the body stays in the internal record.
 */
import type { RuntimeKind } from '../errors/catalog/catalog.ts';
import { durationWords } from '../errors/render/report-words.ts';
import type { ProviderFacts, ReportDraft, UserAction } from '../errors/report/report.ts';
import { NO_RULE, type Classification } from './classify/classify.ts';
import type { ProviderFailure } from './provider-failure.ts';
import { providerNamed } from './known-providers.ts';

export function renderFailure(failure: ProviderFailure, found: Classification): ReportDraft {
  const who = failure.provider === undefined ? NAMELESS : providerNamed(failure.provider).display;
  const what = failure.model === undefined ? 'the model' : `the model ${failure.model}`;
  const isPage = isWebPage(failure.body);
  const isUnreadable = failure.finding === 'connection_closed' && failure.phase === 'headers';
  const action = actionFor(found, who, isPage);
  return {
    kind: found.kind,
    category: found.category,
    retryable: found.retryable,
    outcome: found.outcome,
    message: sentence(found, { who, what, status: failure.status, isPage, isUnreadable }),
    ...(action === undefined ? {} : { action }),
    details: { scope: found.scope, recovery: found.recovery },
    provider: facts(failure, found),
    rule: { id: found.rule, evidence: found.evidence, confidence: found.confidence },
  };
}

/** The name for an unknown provider. */
const NAMELESS = 'the provider';

interface Words {
  readonly who: string;
  readonly what: string;
  readonly status: number | undefined;
  /** The response is a page for a browser, from a proxy or a CDN and not from the provider. */
  readonly isPage: boolean;
  /** The response was complete, and the SDK lost it. */
  readonly isUnreadable: boolean;
}

type Sentences = { readonly [K in RuntimeKind]?: (words: Words, found: Classification) => string };

/** An article at the start of a name is lower case inside a sentence. */
function inSentence(who: string): string {
  return who.replace(/^The /, 'the ');
}

/** Rules for the output of the model, as opposed to the behaviour of its server. */
const BAD_SAMPLES: ReadonlySet<string> = new Set(['stop.tool-call', 'sampling.tool-use']);

const SENTENCES: Sentences = {
  'provider.rate_limited': ({ who }, { limit, retryAfterMs }) =>
    `${who} is rate limiting${limit === null ? '' : ` (${limit})`}${retryAfterMs === null ? '' : ` and asks you to wait ${durationWords(retryAfterMs)}`}.`,
  'provider.overloaded': ({ who, what }) => `${who} has no capacity for ${what} at the moment.`,
  'provider.server_error': ({ who, status }) =>
    `${who} returned an internal error${inParentheses(status)}.`,
  'provider.timeout': ({ who, status }) =>
    `${who} did not respond in time${inParentheses(status)}.`,
  'provider.network': ({ who, isUnreadable }, { category, outcome }) => {
    if (isUnreadable) return `${who} sent a reply that its SDK cannot read.`;
    return category === 'configuration'
      ? `${who} cannot be reached as configured: the secure connection was refused.`
      : `${who} could not be reached${outcome === 'not_started' ? '; nothing was sent' : ', and it is not known whether the request arrived'}.`;
  },
  'provider.conflict': ({ who }) =>
    `${who} is still busy with another request for the same resource.`,
  'provider.stream_interrupted': ({ who }, { rule }) =>
    rule === 'sdk.stream-empty'
      ? `The stream from ${inSentence(who)} failed before any output came; its error part says why.`
      : `The reply from ${inSentence(who)} stopped in the middle.`,
  'provider.auth': ({ who }) => `${who} rejected the API key.`,
  'provider.permission': ({ who, what, isPage, status }) =>
    isPage
      ? `Something in front of ${inSentence(who)}, such as a CDN, a proxy or a firewall, refused the request${inParentheses(status)}.`
      : `${who} accepts the key but does not allow it to use ${what} in this way.`,
  'provider.not_configured': ({ who }) =>
    `No API key is set for ${inSentence(who)}; nothing was sent.`,
  'provider.model_not_found': ({ who, what }) => `${who} does not offer ${what} at this address.`,
  'provider.invalid_request': ({ who, status, isPage }, { category }) => {
    if (isPage)
      return `A web page came back instead of a reply from ${inSentence(who)}${inParentheses(status)}: the base URL is wrong, or a proxy responded.`;
    return category === 'configuration'
      ? `${who} refused the request because of its settings${inParentheses(status)}.`
      : `${who} refused the content of the request${inParentheses(status)}.`;
  },
  'provider.tool_schema': ({ who }) => `${who} refused the schema of a tool or of the output.`,
  'provider.context_length': ({ what }) => `The prompt does not fit the context window of ${what}.`,
  'provider.request_too_large': ({ who }) =>
    `The request is larger than ${inSentence(who)} ever accepts in one call.`,
  'provider.content_filter': ({ who }) => `${who} refused the content under its policies.`,
  'provider.truncated': () => 'The reply was cut off at its output limit.',
  'provider.unsupported': ({ who, what }) =>
    `${upperFirst(what)} at ${inSentence(who)} does not support a parameter or feature of the request.`,
  'provider.quota_exhausted': ({ who }, { recovery, limit }) =>
    recovery === 'window'
      ? `The quota at ${inSentence(who)}${limit === null ? '' : ` (${limit})`} is used up; it resets only when its window ends.`
      : `The quota of this account at ${inSentence(who)} is used up; waiting will not help.`,
  'provider.unknown': ({ who, status }, { rule }) => {
    if (rule === NO_RULE.id)
      return `${who} failed in a way that no rule recognises${inParentheses(status)}.`;
    return BAD_SAMPLES.has(rule)
      ? `The model at ${inSentence(who)} wrote a tool call or a reply that cannot be read${inParentheses(status)}.`
      : `${who} failed without a usable reason${inParentheses(status)}.`;
  },
  'cancelled.call': () => 'The call was cancelled by its caller.',
  'agent.output_invalid': () => 'The reply of the model does not have the requested form.',
  'tool.input_invalid': () => 'The tool was called with arguments that do not match its schema.',
  'tool.not_found': () => 'The tool that was called does not exist.',
  'mcp.tool_failed': () => 'The tool ran on the MCP server and reported an error.',
  'mcp.unreachable': () => 'The MCP server could not be reached.',
};

function sentence(found: Classification, words: Words): string {
  const write = SENTENCES[found.kind];
  const text = write === undefined ? `${words.who} failed.` : write(words, found);
  // a provider's name keeps its spelling at the start of a sentence
  return text.startsWith(NAMELESS) ? upperFirst(text) : text;
}

/**
 * Advice, if the classification knows more than the catalog row; undefined keeps the row's advice.
 */
function actionFor(found: Classification, who: string, isPage: boolean): UserAction | undefined {
  const { kind, category, retryAfterMs } = found;
  // a reply that broke off needs no lookup: the received part is known
  if (category === 'ambiguous' && kind !== 'provider.stream_interrupted') {
    return {
      kind: 'find_out',
      detail: `Find out at ${inSentence(who)} whether the work was done before you repeat it.`,
    };
  }
  if (kind === 'provider.rate_limited' && retryAfterMs !== null) {
    return {
      kind: 'wait_and_retry',
      detail: `Wait ${durationWords(retryAfterMs)}, or add a fallback model.`,
    };
  }
  if (kind === 'provider.quota_exhausted' && found.recovery === 'human') {
    return {
      kind: 'check_billing',
      detail: `Check billing at ${inSentence(who)}, or add a fallback model.`,
    };
  }
  if (kind === 'provider.network' && category === 'configuration') {
    return { kind: 'fix_setup', detail: 'Check the base URL, the proxy and the certificates.' };
  }
  if (kind === 'provider.permission' && isPage) {
    const detail =
      'Check the network, the proxy and the region that the request comes from; the key was not checked.';
    return { kind: 'fix_setup', detail };
  }
  if (kind === 'provider.invalid_request' && category === 'configuration') {
    return { kind: 'fix_setup', detail: 'Check the settings of the call and the base URL.' };
  }
  return undefined;
}

function facts(failure: ProviderFailure, found: Classification): ProviderFacts {
  const facts: { -readonly [K in keyof ProviderFacts]: ProviderFacts[K] } = {};
  const { provider, model, status, headers } = failure;
  if (provider !== undefined) facts.name = providerNamed(provider).name;
  if (model !== undefined) facts.model = model;
  if (status !== undefined) facts.status = status;
  if (found.code !== null) facts.code = found.code;
  if (found.type !== null) facts.type = found.type;
  const idHeader = REQUEST_ID_HEADERS.find((name) => headers[name] !== undefined);
  const requestId = idHeader === undefined ? undefined : headers[idHeader];
  if (requestId !== undefined) facts.requestId = requestId;
  if (found.retryAfterMs !== null) facts.retryAfterMs = found.retryAfterMs;
  if (found.limit !== null) facts.limit = found.limit;
  return facts;
}

const REQUEST_ID_HEADERS = [
  'x-request-id',
  'request-id',
  'apim-request-id',
  'x-ms-request-id',
  'x-amzn-requestid',
  'x-goog-request-id',
  'x-fal-request-id',
  'cf-ray',
];

/** A page for a browser; some clients put their own text before it. */
function isWebPage(body: unknown): boolean {
  return typeof body === 'string' && /<(?:!doctype\s+html|html|head)\b/i.test(body.slice(0, 500));
}

function inParentheses(status: number | undefined): string {
  return status === undefined || status < 400 ? '' : ` (HTTP ${status})`;
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
