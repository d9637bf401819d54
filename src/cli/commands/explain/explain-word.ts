/**
 * Explains a word from a log: a provider's code, an HTTP status, a system code or the name of an SDK's
 * error. It classifies a failure that consists of nothing but that word.
 */
import { classify, type Classification } from '../../../providers/classify/classify.ts';
import type { ProviderFailure, Finding } from '../../../providers/provider-failure.ts';
import { extractFailure } from '../../../providers/extract/extract.ts';

export interface MeantWord {
  readonly kind: string;
  readonly rule: string;
  /** How the word was read. */
  readonly as: 'status' | 'code' | 'error';
}

/** Statuses to try with a code; some rules need one beside the code. */
const USUAL_STATUSES = [undefined, 429, 400, 401, 403, 404, 500, 503] as const;
/** Rules that add nothing to the status, that mean "unknown", or that match only part of the word. */
const UNSPECIFIC = /^(?:status\.|none$|answer\.|sdk\.no-output)|-part$/;

/** Judged by likeness: a rule that contains the word itself is better. */
const LIKELY = /^weighed\./;

export function meantByWord(word: string): MeantWord | undefined {
  const status = /^(?:HTTP[ /]?)?([1-5]\d\d)$/i.exec(word.trim())?.[1];
  if (status !== undefined) return byStatus(Number(status));
  if (!/^[A-Za-z][\w.:/-]{2,79}$/.test(word)) return undefined;
  return bySystemCode(word) ?? byErrorName(word) ?? byCode(word);
}

function byStatus(status: number): MeantWord | undefined {
  if (status < 400) return undefined;
  return meant(failure({ status, phase: 'headers' }), 'status');
}

function bySystemCode(word: string): MeantWord | undefined {
  if (!/^(?:E[A-Z]{3,14}|EAI_[A-Z]+|UND_ERR_[A-Z_]+|ERR_[A-Z_]+|[A-Z_]*CERT[A-Z_]*)$/.test(word))
    return undefined;
  return meant(failure({ transport: { code: word }, phase: 'sent' }), 'code');
}

/** As an SDK throws it, without a response. */
function byErrorName(word: string): MeantWord | undefined {
  if (!/(?:Error|Exception)$/.test(word)) return undefined;
  const finding = CLIENT_FINDINGS[word];
  if (finding !== undefined) return meant(failure({ finding, phase: 'sent' }), 'error');
  for (const name of [word, `AI_${word}`]) {
    const extracted = extractFailure({ name, message: '' });
    const found = extracted === undefined ? undefined : meant(extracted, 'error');
    if (found !== undefined && !UNSPECIFIC.test(found.rule)) return found;
  }
  return undefined;
}

/** Errors of clients that are identified by their class alone. */
const CLIENT_FINDINGS: Readonly<Record<string, Finding>> = {
  APIConnectionTimeoutError: 'timed_out',
  APIUserAbortError: 'aborted',
  AbortError: 'aborted',
};

function byCode(word: string): MeantWord | undefined {
  let likely: MeantWord | undefined;
  for (const status of USUAL_STATUSES) {
    const given = status === undefined ? {} : { status };
    const found = meant(
      failure({ ...given, body: { error: { code: word } }, phase: 'headers' }),
      'code',
    );
    if (found === undefined || UNSPECIFIC.test(found.rule)) continue;
    if (!LIKELY.test(found.rule)) return found;
    likely ??= found;
  }
  // the finish reason of a reply
  const ended = failure({ status: 200, body: { finish_reason: word } });
  const found = meant(ended, 'code');
  return found?.rule.startsWith('stop.') === true ? found : likely;
}

function failure(known: Partial<ProviderFailure>): ProviderFailure {
  return {
    operation: 'generate',
    headers: {},
    phase: 'headers',
    delivered: false,
    source: 'word',
    ...known,
  };
}

function meant(from: ProviderFailure, as: MeantWord['as']): MeantWord | undefined {
  const { kind, rule }: Classification = classify(from, { nowMs: 0 });
  const isKnown = rule !== 'none' && kind !== 'provider.unknown';
  return isKnown ? { kind, rule, as } : undefined;
}
