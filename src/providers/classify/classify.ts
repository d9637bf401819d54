/**
 * Classifies a provider's failure. One pure function over one ordered table; the result names its rule
 * and the evidence for it. `disposition.ts` then adjusts it by what happened to the work, because the same
 * fault is another matter once a part of the reply was delivered.
 */
import { catalogRow, type RuntimeKind } from '../../errors/catalog/catalog.ts';
import type { Category, Outcome, Reach } from '../../errors/catalog/vocabulary.ts';
import type { ProviderFailure } from '../provider-failure.ts';
import { readFailure } from '../read-failure.ts';
import { adjustDisposition, type Disposition } from './disposition.ts';
import { gatherEvidence, type Evidence } from './evidence.ts';
import { DATE_IN_MESSAGE, findHint, MESSAGE, type RetryHint } from './hints/retry-hints.ts';
import { limitName } from './limit-name.ts';
import { compileRule } from './match.ts';
import type { Recovery, Rule } from './rule.ts';
import { lookAgain } from './second-look.ts';
import { createRuleFinder, type FindRule } from './shortlist.ts';
import { hasFamily, LONG_WINDOW, phraseOf, SHORT_WINDOW, type MatchedFamilies } from './phrases.ts';
import { RULES } from './table.ts';
import { weigh } from './weighed/weigh.ts';

export interface Classification {
  readonly kind: RuntimeKind;
  readonly category: Category;
  readonly retryable: boolean | null;
  /** Kept where the server sent one, also for failures that waiting cannot fix. */
  readonly retryAfterMs: number | null;
  readonly outcome: Outcome;
  readonly scope: Reach;
  readonly recovery: Recovery;
  readonly rule: string;
  readonly evidence: readonly string[];
  readonly confidence: 'high' | 'low';
  /** The server's own code. */
  readonly code: string | null;
  readonly type: string | null;
  /** The limit that was hit, such as `tokens per minute`, where it is known. */
  readonly limit: string | null;
}

export interface ClassifyOptions {
  /** For hints that name a moment, where the response has no date. */
  readonly nowMs?: number | undefined;
}

export type Classify = (failure: ProviderFailure, options?: ClassifyOptions) => Classification;

/** The rule of last resort: no rule recognised the failure, so nothing is claimed. */
export const NO_RULE: Rule = {
  id: 'none',
  when: {},
  means: { kind: 'provider.unknown', scope: 'request', recovery: 'human' },
  why: 'no rule recognises it',
};

/** A rule that the hint decides: a limit by the minute is not filled again after half a day. */
export const LONG_WAIT: Rule = {
  id: 'quota.long-wait',
  when: {},
  means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'window' },
  why: 'the wait is that of a window of a day or longer',
};

/** A rule that the hint decides too: a server that names a wait has a limit, where nothing else says why. */
export const STATED_WAIT: Rule = {
  id: 'rate.stated-wait',
  when: {},
  means: { kind: 'provider.rate_limited', scope: 'model', recovery: 'hint' },
  why: 'no rule recognises it, and the message says how long to wait before the next call',
};

/** And a third: an allowance that fills again within two minutes is a rate by another name. */
export const SHORT_REFILL: Rule = {
  id: 'rate.short-refill',
  when: {},
  means: { kind: 'provider.rate_limited', scope: 'model', recovery: 'hint' },
  why: 'the code is that of a rate, and the quota is said to fill again within two minutes',
};

/** From this wait on, a limit is an allowance that is used up. */
const LONG_WAIT_MS = 12 * 3_600_000;
const SHORT_REFILL_MS = 120_000;
/** A rule that reads a quota under the code of a rate. */
const RATE_CODE_SPENT = 'quota.rate-code-without-money';

/** An app's own rules are never outweighed: their author knows the service. */
const isBuiltIn = (rule: Rule): boolean => BUILT_IN.has(rule);
const BUILT_IN: ReadonlySet<Rule> = new Set(RULES);

export function createClassify(rules: readonly Rule[]): Classify {
  let findRule: FindRule | undefined;
  return (failure, options = {}) => {
    findRule ??= createRuleFinder(rules.map(compileRule));
    const evidence = gatherEvidence(readFailure(failure));
    const match = lookAgain(evidence, findRule(evidence), findRule);
    const weighed = weigh(evidence, match, isBuiltIn);
    const found = weighed?.evidence ?? match?.found ?? [];
    const confidence = weighed === undefined ? (match?.compiled.confidence ?? 'low') : 'low';
    const recognised = weighed?.rule ?? match?.compiled.rule ?? NO_RULE;
    const { isOfWaiting, isOfLimit } = conclusionOf(recognised);
    const hint = findHint(evidence, {
      nowMs: options.nowMs,
      readProse: isOfWaiting,
      readResets: isOfLimit,
    });
    const matched = isOnlyWait(recognised, evidence, hint) ? STATED_WAIT : recognised;
    const rule = ruledByWait(matched, evidence, hint) ?? matched;
    const concluded = conclusionOf(rule);
    const { kind, scope, recovery } = concluded;
    const { category, outcome } = adjustDisposition(concluded, evidence);
    return {
      kind,
      category,
      retryable: rule === NO_RULE ? null : category === 'transient',
      retryAfterMs: hint?.ms ?? null,
      outcome,
      scope,
      recovery: hint !== undefined && recovery === 'window' ? 'hint' : recovery,
      rule: rule.id,
      evidence: hint === undefined ? found : [...found, `hint=${hint.from}`],
      confidence,
      code: evidence.namedCode ?? null,
      type: evidence.namedType ?? null,
      limit: limitName(evidence),
    };
  };
}

/**
 * Says which kind a provider's failure is, by which rule and on what evidence.
 * @example
 * ```ts
 * import { classify } from 'errand/classify';
 *
 * const { kind, rule } = classify({
 *   operation: 'generate',
 *   status: 429,
 *   headers: { 'retry-after': '7' },
 *   body: {},
 *   phase: 'headers',
 *   delivered: false,
 *   source: 'my client',
 * });
 * console.log(kind, typeof rule); // provider.rate_limited string
 * ```
 */
export const classify: Classify = createClassify(RULES);

/** The conclusion of a rule, with what it leaves to the catalog. */
interface Concluded extends Disposition {
  readonly scope: Reach;
  readonly recovery: Recovery;
  readonly isOfWaiting: boolean;
  readonly isOfLimit: boolean;
}

/** Rules are few and recur, so each is completed once; in one form, in which it is read fastest. */
const CONCLUDED = new WeakMap<Rule, Concluded>();

function conclusionOf(rule: Rule): Concluded {
  const known = CONCLUDED.get(rule);
  if (known !== undefined) return known;
  const { kind, scope, recovery, ...stated } = rule.means;
  const row = catalogRow(kind);
  const concluded = {
    kind,
    category: stated.category ?? row?.category ?? 'unknown',
    outcome: stated.outcome ?? row?.outcome ?? 'failed',
    scope,
    recovery,
    isOfWaiting: rule === NO_RULE || WAITS.has(kind),
    isOfLimit: LIMITED.has(kind),
  };
  CONCLUDED.set(rule, concluded);
  return concluded;
}

/** Kinds that are about waiting; in any other message a delay belongs to something else. */
const WAITS: ReadonlySet<RuntimeKind> = new Set<RuntimeKind>([
  'provider.rate_limited',
  'provider.quota_exhausted',
  'provider.overloaded',
  'provider.server_error',
  'provider.timeout',
  'provider.conflict',
  'provider.request_too_large',
]);

const LIMITED: ReadonlySet<RuntimeKind> = new Set<RuntimeKind>([
  'provider.rate_limited',
  'provider.quota_exhausted',
]);

/** `Your quota will reset after 26s.`, or a quota by its metric: the wait is that of the quota, not of the next try. */
const REFILL =
  /\b(?:quota|capacity|allowance)\b[^.\n]{0,60}\b(?:resets?|refills?|refreshes|replenish\w{0,3}|renews?)\b(?: again)? (?:in|after)\b|\b(?:it|they|which) (?:will )?(?:resets?|refills?|refreshes|renews?) (?:in|after)\b|\bquota exceeded for (?:quota )?metric\b/i;
const MONEY = /\b(?:credits?|balance|billing|pay(?:ment)?|budget|spend(?:ing)?|top[ -]up)\b/i;

/** Refusals that give no reason beside their status. */
const BARE_REFUSALS: ReadonlySet<string> = new Set(['status.403', 'status.4xx']);
/** Nothing, or the status in words: `upstream returned 403:`. */
const NO_REASON = /^(?:[\w .-]{0,60}\b[45]\d\d\W{0,3})?$/;
const NUMBERED = /^[a-z]{0,3}_?\d+$/;

/** The wait is all that is said. */
function isOnlyWait(recognised: Rule, evidence: Evidence, hint: RetryHint | undefined): boolean {
  if (recognised === NO_RULE) return hint?.from === MESSAGE;
  if (hint === undefined || hint.ms === 0 || !BARE_REFUSALS.has(recognised.id)) return false;
  return NO_REASON.test(evidence.text) && [...evidence.codes].every((code) => NUMBERED.test(code));
}

/** A rate without a length of time, as in `call rate limit`, is one of any window. */
const RATE_OF_NO_LENGTH = /^(?:call|token|request) rate$/;
const LENGTH_OF_WINDOW = /\b(?:per|a|an|each|every|\/) ?(?:sec|min|hour)|\b(?:tpm|rpm|rps)\b/i;

function hasShortWindow(matched: MatchedFamilies, text: string): boolean {
  const phrase = phraseOf(matched, SHORT_WINDOW);
  if (phrase === undefined) return false;
  return !RATE_OF_NO_LENGTH.test(phrase) || LENGTH_OF_WINDOW.test(text);
}

function ruledByWait(
  matched: Rule,
  { matchedFamilies, text }: Evidence,
  hint: RetryHint | undefined,
): Rule | undefined {
  if (hint === undefined || hint.from === DATE_IN_MESSAGE) return undefined;
  if (matched.id === RATE_CODE_SPENT) {
    const isOfDay = hint.ms > SHORT_REFILL_MS || hasFamily(matchedFamilies, LONG_WINDOW);
    return isOfDay || MONEY.test(text) || !REFILL.test(text) ? undefined : SHORT_REFILL;
  }
  const isRate = matched.means.kind === 'provider.rate_limited';
  if (!isRate || hasShortWindow(matchedFamilies, text)) return undefined;
  return hint.ms >= LONG_WAIT_MS ? LONG_WAIT : undefined;
}
