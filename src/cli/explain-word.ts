/**
 * What a word from a log means: a provider's code, an HTTP status, a code of the system or the name of
 * an SDK's error. The classifier is asked, as if a failure had come with nothing but that word.
 */
import { classify, type Classification } from '../providers/classify/classify.ts';
import type { ProviderFailure, Verdict } from '../providers/envelope.ts';
import { extractFailure } from '../providers/extract/extract.ts';

export interface MeantWord {
  readonly kind: string;
  readonly rule: string;
  /** How the word was read. */
  readonly as: 'status' | 'code' | 'error';
}

/** Statuses that codes come with; some rules want one beside the code. */
const USUAL_STATUSES = [undefined, 429, 400, 401, 403, 404, 500, 503] as const;
/** Rules that say no more than the status would, that nothing is known, or that go by a part of the word. */
const SAYS_NOTHING = /^(?:status\.|none$|answer\.|sdk\.no-output)|-part$/;

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

/** As an SDK throws it, without an answer to look at. */
function byErrorName(word: string): MeantWord | undefined {
  if (!/(?:Error|Exception)$/.test(word)) return undefined;
  const verdict = CLIENT_VERDICTS[word];
  if (verdict !== undefined) return meant(failure({ verdict, phase: 'sent' }), 'error');
  for (const name of [word, `AI_${word}`]) {
    const extracted = extractFailure({ name, message: '' });
    const found = extracted === undefined ? undefined : meant(extracted, 'error');
    if (found !== undefined && !SAYS_NOTHING.test(found.rule)) return found;
  }
  return undefined;
}

/** Errors that clients raise themselves and tell apart by their class alone. */
const CLIENT_VERDICTS: Readonly<Record<string, Verdict>> = {
  APIConnectionTimeoutError: 'timed_out',
  APIUserAbortError: 'aborted',
  AbortError: 'aborted',
};

function byCode(word: string): MeantWord | undefined {
  for (const status of USUAL_STATUSES) {
    const given = status === undefined ? {} : { status };
    const found = meant(
      failure({ ...given, body: { error: { code: word } }, phase: 'headers' }),
      'code',
    );
    if (found !== undefined && !SAYS_NOTHING.test(found.rule)) return found;
  }
  // the reason for which an answer ended
  const ended = failure({ status: 200, body: { finish_reason: word } });
  const found = meant(ended, 'code');
  return found?.rule.startsWith('stop.') === true ? found : undefined;
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
