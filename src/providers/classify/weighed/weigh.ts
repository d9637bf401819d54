/**
 * Weighs all signs of a failure together, as a second opinion on what only prose or the status decided. The
 * rules name what somebody thought of; the weights are learned from all recorded failures, so a wording that
 * no rule has is judged by its likeness to those. A rule that codes, faults or findings decided stands.
 */
import { catalogRow, type RuntimeKind } from '../../../errors/catalog/catalog.ts';
import type { Category, Reach } from '../../../errors/catalog/vocabulary.ts';
import type { Evidence } from '../evidence.ts';
import type { Basis } from '../match.ts';
import type { Prose } from '../prose.ts';
import { NONE, type Recovery, type Rule } from '../rule.ts';
import type { Match } from '../shortlist.ts';
import { codeWordSign, signsOf, wordSign } from './signs.ts';
import { weightTable } from './weight-table.ts';
import { BIAS, LABELS } from './weights.ts';

/** One of the answers that the weights tell apart: a kind with its category, whatever had happened to the work. */
export function conclusionOf(kind: string, category: string): string {
  const isOfWork = category === 'ambiguous' && kind !== 'provider.stream_interrupted';
  return `${kind} ${isOfWork ? 'transient' : category}`;
}

const SCOPES: Partial<Record<RuntimeKind, readonly [Reach, Recovery]>> = {
  'provider.rate_limited': ['model', 'hint'],
  'provider.overloaded': ['model', 'window'],
  'provider.server_error': ['provider', 'now'],
  'provider.timeout': ['provider', 'now'],
  'provider.network': ['provider', 'now'],
  'provider.conflict': ['request', 'now'],
  'provider.auth': ['key', 'human'],
  'provider.not_configured': ['key', 'human'],
  'provider.permission': ['account', 'human'],
  'provider.quota_exhausted': ['account', 'human'],
  'provider.model_not_found': ['model', 'human'],
  'provider.unsupported': ['model', 'human'],
  'provider.invalid_request': ['request', 'human'],
  'provider.tool_schema': ['request', 'human'],
  'provider.context_length': ['request', 'human'],
  'provider.request_too_large': ['request', 'human'],
  'provider.content_filter': ['request', 'human'],
};

/** One for each conclusion that weights may reach; in the order of the labels. */
const CONCLUSIONS: readonly (Rule | undefined)[] = LABELS.map((label) => {
  // labels are written from the kinds and categories of the corpora
  const [kind, category] = label.split(' ') as [RuntimeKind, Category];
  const reach = SCOPES[kind];
  if (reach === undefined) return undefined;
  const [scope, recovery] = reach;
  const isUsual = catalogRow(kind)?.category === category;
  const name = kind.slice('provider.'.length);
  return {
    id: isUsual ? `weighed.${name}` : `weighed.${name}-${category}`,
    when: {},
    means: { kind, scope, recovery, ...(isUsual ? {} : { category }) },
    why: 'all signs together are most like those of failures that were recorded with this conclusion',
  };
});

/** All conclusions that weights may reach, for the documentation. */
export const WEIGHED_RULES: readonly Rule[] = CONCLUSIONS.filter((rule) => rule !== undefined);

/** How many times likelier another conclusion must be than that of the rule, by what that rests on. */
const MARGINS: Readonly<Record<Exclude<Basis, 'certain'>, number>> = {
  vague: Math.log(4),
  status: Math.log(4),
  fault: Math.log(20),
  concepts: Math.log(4),
  code_words: Math.log(10),
  phrases: Math.log(4),
};
/** The margin where only the category differs: the content of a request is at fault, or a setting. */
const SAME_KIND = Math.log(3);
/** Kinds of what says little; a rule that read something more special must be outweighed by much. */
const GENERAL: ReadonlySet<RuntimeKind> = new Set<RuntimeKind>([
  'provider.invalid_request',
  'provider.server_error',
  'provider.unknown',
]);
const GENERAL_OVER = Math.log(10);
/** Sending a refused request again must be worth more than a word that gateways use of every failure. */
const TRANSIENT = Math.log(6);
/** How likely the likeliest conclusion must be where no rule holds. */
const LEAST_LIKELY = 0.2;
/** Text alone may be no failure at all, nor may that under the status of a success. */
const LEAST_LIKELY_OF_TEXT = { once: 0.7, again: 0.8 };

const scores = new Float64Array(LABELS.length);

/** The conclusion of the table of rules, and its ground. */
interface Ruled {
  readonly rule: Rule | undefined;
  readonly basis: Exclude<Basis, 'certain'> | undefined;
}

export interface Weighed {
  readonly rule: Rule;
  readonly evidence: string[];
}

/** Another conclusion than that of the rule, if the signs together speak for it clearly enough. */
export function weigh(
  evidence: Evidence,
  match: Match | undefined,
  isBuiltIn: (rule: Rule) => boolean,
): Weighed | undefined {
  const rule = match?.compiled.rule;
  const basis = match?.compiled.basis;
  if (basis === 'certain' || (rule !== undefined && !isBuiltIn(rule))) return undefined;
  if (evidence.text === '' && evidence.codes.size === 0) return undefined;
  if (evidence.faults.length > 0) return opinion(evidence, rule, basis);
  const { failure, status = NONE, form, codes, params, stops, prose } = evidence;
  const isThrown = failure.transport !== undefined;
  const opinions = opinionsOn(prose);
  const key = `${rule?.id ?? ''} ${status} ${isThrown} ${form} ${[...codes].join()} ${params.join()} ${[...stops].join()}`;
  const known = opinions.get(key);
  if (known !== undefined) return known ?? undefined;
  const made = opinion(evidence, rule, basis);
  if (opinions.size < MAX_OPINIONS) opinions.set(key, made ?? null);
  return made;
}

/** A gateway's words for whatever its upstream said: `Provider returned error`. */
const ANY_ERROR =
  /^(?:the |an? )?(?:upstream|provider|backend|server|api|model)(?: (?:service|request|provider|server|api))? (?:returned|responded with|gave|request|reported|replied with) ?(?:an )?(?:error|failed)(?: response)?\W{0,3}(?:error)?\W{0,3}$/i;

/** Servers repeat their sentences, so what was thought of one is kept as long as what was read in it. */
const OPINIONS = new WeakMap<Prose, Map<string, Weighed | null>>();
const MAX_OPINIONS = 16;

function opinionsOn(prose: Prose): Map<string, Weighed | null> {
  const known = OPINIONS.get(prose) ?? new Map<string, Weighed | null>();
  OPINIONS.set(prose, known);
  return known;
}

function opinion(
  evidence: Evidence,
  rule: Rule | undefined,
  basis: Exclude<Basis, 'certain'> | undefined,
): Weighed | undefined {
  if (basis === 'fault' && isInOurWords(evidence)) return undefined;
  if (basis === 'vague' && ANY_ERROR.test(evidence.text)) return undefined;
  score(evidence);
  const best = conclude(scores, evidence, { rule, basis });
  const found = best === undefined ? undefined : CONCLUSIONS[best];
  if (best === undefined || found === undefined) return undefined;
  return explained(found, best, evidence, rule?.id ?? 'none');
}

/** The label that takes the place of what the rule says, by the scores of all labels. */
export function conclude(
  scored: Float64Array,
  evidence: Evidence,
  { rule, basis }: Ruled,
): number | undefined {
  const best = likeliest(scored);
  const found = CONCLUSIONS[best];
  if (found === undefined) return undefined;
  if (rule === undefined || basis === undefined)
    return likelihood(scored, best) < leastLikely(found, evidence) ? undefined : best;
  const ours = labelOf(rule);
  if (ours < 0 || ours === best) return undefined;
  const lead = (scored[best] ?? 0) - (scored[ours] ?? 0);
  return lead < marginOf(found, rule, basis) ? undefined : best;
}

function leastLikely(found: Rule, { failure, status, codes }: Evidence): number {
  const isRefused = failure.transport !== undefined || (status !== undefined && status >= 300);
  const isTextAlone = !isRefused && codes.size === 0;
  if (!isTextAlone) return LEAST_LIKELY;
  return isTransient(found) ? LEAST_LIKELY_OF_TEXT.again : LEAST_LIKELY_OF_TEXT.once;
}

function marginOf(found: Rule, rule: Rule, basis: Exclude<Basis, 'certain'>): number {
  if (found.means.kind === rule.means.kind) return SAME_KIND;
  if (GENERAL.has(found.means.kind) && !GENERAL.has(rule.means.kind))
    return Math.max(GENERAL_OVER, MARGINS[basis]);
  const isRefused = rule.means.kind === 'provider.invalid_request';
  return basis === 'vague' && isRefused && isTransient(found) ? TRANSIENT : MARGINS[basis];
}

function isTransient({ means: { kind, category } }: Rule): boolean {
  return (category ?? catalogRow(kind)?.category) === 'transient';
}

/** Anyone can imitate our problem documents; one that we do not believe is no sign of anything. */
export function isInOurWords({ codes }: Evidence): boolean {
  for (const code of codes)
    if (code.startsWith('provider_') || code.startsWith('urn_errand_')) return true;
  return false;
}

const MAX_SHOWN = 3;
const WORDS = /[a-z]{3,}|[\u0400-\u04ff]{3,}/gi;

/** The words that spoke loudest for it; they were learned from many failures, so they are nobody's own. */
function explained(rule: Rule, label: number, { text, codes }: Evidence, over: string): Weighed {
  const words = new Set(
    `${text.slice(0, 1200)} ${[...codes].join(' ')}`.toLowerCase().match(WORDS),
  );
  const loudest = [...words]
    .map((word) => ({
      word,
      weight: Math.max(weightOf(wordSign(word), label), weightOf(codeWordSign(word), label)),
    }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_SHOWN)
    .map(({ word }) => word);
  return {
    rule,
    evidence: [`over=${over}`, ...(loudest.length === 0 ? [] : [`signs: ${loudest.join(', ')}`])],
  };
}

function weightOf(sign: number, label: number): number {
  const { find, weigh: weightFor } = weightTable();
  const row = find(sign);
  return row < 0 ? 0 : weightFor(row, label);
}

const LABEL_OF = new WeakMap<Rule, number>();

function labelOf(rule: Rule): number {
  const known = LABEL_OF.get(rule);
  if (known !== undefined) return known;
  const { kind, category = catalogRow(kind)?.category ?? 'unknown' } = rule.means;
  const label = LABELS.indexOf(conclusionOf(kind, category));
  LABEL_OF.set(rule, label);
  return label;
}

function likeliest(scored: Float64Array): number {
  let best = 0;
  for (let label = 1; label < scored.length; label++)
    if ((scored[label] ?? 0) > (scored[best] ?? 0)) best = label;
  return best;
}

function likelihood(scored: Float64Array, best: number): number {
  const top = scored[best] ?? 0;
  return 1 / scored.reduce((sum, value) => sum + Math.exp(value - top), 0);
}

function score(evidence: Evidence): void {
  const { find, add } = weightTable();
  const { list, size } = signsOf(evidence);
  scores.fill(0);
  let known = 0;
  for (let at = 0; at < size; at++) {
    const row = find(list[at] ?? 0);
    if (row < 0) continue;
    known++;
    add(row, scores);
  }
  const scale = 1 / Math.sqrt(Math.max(1, known));
  for (let label = 0; label < scores.length; label++)
    scores[label] = (scores[label] ?? 0) * scale + (BIAS[label] ?? 0);
}
