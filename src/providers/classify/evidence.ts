/**
 * Everything the rules look at, dug out of one failure once: codes, statuses, stop reasons, quota
 * names and messages at whatever depth they lie, and the word stems that occur in the messages.
 * What a model wrote is never evidence; only what a server says about the call is.
 */
import type { ProviderFailure } from '../envelope.ts';
import { providerNamed } from '../names.ts';
import { addCode, dig, type Findings } from './dig.ts';
import { MAX_BODY_CHARS, parseEmbedded, parseEventStream } from './embedded.ts';
import { findFamilies, type Spoken } from './phrases.ts';

/** What the body is, before anyone looks into it. */
export type BodyForm = 'none' | 'empty' | 'html' | 'text' | 'cut_json' | 'json' | 'events';

export interface Evidence {
  readonly failure: ProviderFailure;
  readonly provider: string | undefined;
  /** The status that speaks: the inner one where the outer only says that a gateway passed it on. */
  readonly status: number | undefined;
  readonly codes: ReadonlySet<string>;
  /** As the server spells them. */
  readonly namedCode: string | undefined;
  readonly namedType: string | undefined;
  readonly params: readonly string[];
  readonly stops: ReadonlySet<string>;
  readonly quotas: readonly string[];
  readonly retryDelay: string | undefined;
  readonly text: string;
  readonly spoken: Spoken;
  readonly form: BodyForm;
  /** An answer that holds nothing at all. */
  readonly isEmptyAnswer: boolean;
  readonly delivered: boolean;
}

const MAX_TEXT_CHARS = 8192;

export function gatherEvidence(failure: ProviderFailure): Evidence {
  const { form, value } = readBody(failure.body);
  const findings = dig(value, form === 'events');
  addSingledOut(findings, failure);

  const text = findings.messages.join('\n').slice(0, MAX_TEXT_CHARS);
  const status = speakingStatus(failure.status, findings, text);
  return {
    failure,
    provider: failure.provider === undefined ? undefined : providerNamed(failure.provider).name,
    status,
    codes: findings.codes,
    namedCode: failure.code ?? findings.namedCode,
    namedType: failure.type ?? findings.namedType,
    params: findings.params,
    stops: findings.stops,
    quotas: findings.quotas,
    retryDelay: findings.retryDelay,
    text,
    spoken: findFamilies(text),
    form,
    isEmptyAnswer: !isRefusal(status) && isEmptyAnswer(form, findings),
    delivered: form === 'events' ? findings.deliveredBeforeError : failure.delivered,
  };
}

function readBody(body: unknown): { readonly form: BodyForm; readonly value: unknown } {
  if (body === undefined || body === null) return { form: 'none', value: undefined };
  if (typeof body !== 'string') return { form: 'json', value: body };
  const text = body.slice(0, MAX_BODY_CHARS).trim();
  if (text === '') return { form: 'empty', value: undefined };
  if (/^<(?:!doctype|html|head|\?xml)/i.test(text)) return { form: 'html', value: pageTitle(text) };
  const events = parseEventStream(text);
  if (events !== undefined) return { form: 'events', value: events };
  const parsed = parseEmbedded(text);
  if (parsed !== undefined) return { form: 'json', value: [parsed, withoutObject(text)] };
  return { form: /^[[{]/.test(text) ? 'cut_json' : 'text', value: text };
}

/** The prose around an embedded object is evidence too. */
function withoutObject(text: string): string {
  const start = text.indexOf('{');
  return start <= 0 ? '' : text.slice(0, Math.min(start, 1024));
}

function pageTitle(html: string): string {
  const title = /<title[^>]{0,80}>([^<]{0,200})/i.exec(html) ?? /<h1[^>]{0,80}>([^<]{0,200})/i.exec(html);
  return title?.[1] ?? '';
}

function addSingledOut(findings: Findings, failure: ProviderFailure): void {
  const { code, type, message, headers } = failure;
  // AWS names the exception in a header, of the answer or of one frame in a stream
  const named = headers['x-amzn-errortype']?.split(':')[0] ?? headers[':exception-type'];
  for (const word of [code, type, named]) {
    if (word !== undefined) addCode(word, findings);
  }
  // an SDK's own sentence repeats the body, or stands for a body that is gone
  if (findings.messages.length === 0 && message !== undefined) dig(message, false, findings);
}

function speakingStatus(
  outer: number | undefined,
  findings: Findings,
  text: string,
): number | undefined {
  const inner = findings.statuses.find((status) => status >= 400 && status <= 599);
  if (outer === undefined || outer < 400) return inner ?? leadingStatus(text) ?? outer;
  return outer >= 500 && inner !== undefined ? inner : outer;
}

/** SDKs print `429 Rate limit reached …`. */
function leadingStatus(text: string): number | undefined {
  const match = /^([45]\d\d)\b/.exec(text);
  return match === null ? undefined : Number(match[1]);
}

function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 300;
}

function isEmptyAnswer(form: BodyForm, findings: Findings): boolean {
  if (form === 'empty') return true;
  const isAnswer = findings.isAnswer && findings.codes.size === 0;
  return isAnswer && !findings.hasContent && findings.messages.length === 0;
}
