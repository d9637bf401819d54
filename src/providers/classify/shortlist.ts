/**
 * Finds the first rule that holds, and looks only at rules that can: by status, form and sorts of evidence, which
 * are few and recur, and by codes and families, each of which brings the rules that ask for it. A set of
 * rules is a list of bits, so that all of this is a few comparisons.
 */
import type { BodyForm, Evidence } from './evidence.ts';
import {
  asksForCode,
  codeTests,
  foundFor,
  holdsAll,
  ZERO_QUOTA,
  type CompiledRule,
} from './match.ts';
import { FAMILY_COUNT, familyId, hasFamily, NO_ALLOWANCE, type Family } from './phrases.ts';
import type { Prose, RuledOut } from './prose.ts';
import { NONE, type Conditions } from './rule.ts';

/** A rule that holds, with the evidence for it. */
export interface Match {
  readonly compiled: CompiledRule;
  readonly found: string[];
}

export type FindRule = (evidence: Evidence) => Match | undefined;

/** One bit for each rule, in their order. */
type RuleSet = Int32Array;

export function createRuleFinder(rules: readonly CompiledRule[]): FindRule {
  const where = (holds: (rule: CompiledRule) => boolean): RuleSet => setOf(rules, holds);
  const possible = byMake(rules);
  const byCode = remembering(rulesByCode(rules));
  const codeless = where(({ rule }) => !asksForCode(rule.when));
  const silent = where(({ rule }) => rule.when.phrases === undefined);
  const saying = byFamily(rules, ({ phrases }) => phrases);
  const barred = byFamily(rules, ({ notPhrases }) => notPhrases);
  const words = codeless.length;
  // what the codes of one failure bring; emptied for each
  const coded = new Int32Array(words);
  const addCodes = (codes: ReadonlySet<string>): void => {
    coded.set(codeless);
    for (const code of codes) {
      const set = byCode(code);
      for (let word = 0; word < words; word++) coded[word] = at(coded, word) | at(set, word);
    }
  };
  const ruledOutBy = (ids: readonly number[]): number[] => {
    const sets: number[] = [];
    for (let word = 0; word < words; word++) {
      let said = at(silent, word);
      let refused = 0;
      for (const id of ids) {
        said |= at(saying[id], word);
        refused |= at(barred[id], word);
      }
      sets.push(~said | refused);
    }
    return sets;
  };
  const ruledOutFor = (prose: Prose): RuledOut => {
    if (prose.ruledOut?.of === rules) return prose.ruledOut;
    const byFamilies = ruledOutBy(prose.families.ids);
    prose.ruledOut = { of: rules, byFamilies, byText: [...byFamilies] };
    return prose.ruledOut;
  };
  return (evidence) => {
    const make = possible(evidence);
    const hasCodes = evidence.codes.size > 0;
    if (hasCodes) addCodes(evidence.codes);
    const meant = hasCodes ? coded : codeless;
    const { byFamilies, byText } = ruledOutFor(evidence.prose);
    // a fault has words of its own beside the text
    const isTextAlone = evidence.said === evidence.prose.said;
    const ruledOut = isTextAlone ? byText : byFamilies;
    for (let word = 0; word < words; word++) {
      let left = at(make, word) & at(meant, word) & ~(ruledOut[word] ?? 0);
      while (left !== 0) {
        const bit = left & -left;
        left &= left - 1;
        const compiled = rules[word * 32 + 31 - Math.clz32(bit)];
        if (compiled === undefined || !holdsAll(compiled.openChecks, evidence)) continue;
        if (holdsAll(compiled.textChecks, evidence))
          return { compiled, found: foundFor(compiled, evidence) };
        if (isTextAlone) byText[word] = (byText[word] ?? 0) | bit;
      }
    }
    return undefined;
  };
}

function at(set: RuleSet | undefined, word: number): number {
  return set?.[word] ?? 0;
}

function setOf(
  rules: readonly CompiledRule[],
  holds: (rule: CompiledRule, index: number) => boolean,
): RuleSet {
  const set = new Int32Array(Math.ceil(rules.length / 32));
  for (const [index, rule] of rules.entries())
    if (holds(rule, index)) set[index >> 5] = at(set, index >> 5) | (1 << (index & 31));
  return set;
}

/** For each family, the rules that list it. */
function byFamily(
  rules: readonly CompiledRule[],
  listed: (when: Conditions) => readonly Family[] | undefined,
): readonly RuleSet[] {
  return Array.from({ length: FAMILY_COUNT }, (_, id) =>
    setOf(
      rules,
      ({ rule }) => listed(rule.when)?.some((family) => familyId(family) === id) ?? false,
    ),
  );
}

/** The rules that ask for a code and may mean this one. */
function rulesByCode(rules: readonly CompiledRule[]): (code: string) => RuleSet {
  const named = rules.map(({ rule }) => new Set(rule.when.codes));
  const tests = rules.map(({ rule }) => codeTests(rule.when));
  return (code) =>
    setOf(
      rules,
      (_, index) =>
        named[index]?.has(code) === true || (tests[index]?.some((test) => test(code)) ?? false),
    );
}

const MAX_REMEMBERED = 4096;

/** Codes are few and recur. */
function remembering<Value>(make: (code: string) => Value): (code: string) => Value {
  const known = new Map<string, Value>();
  return (code) => {
    const remembered = known.get(code);
    if (remembered !== undefined) return remembered;
    const made = make(code);
    if (known.size < MAX_REMEMBERED) known.set(code, made);
    return made;
  };
}

/** By status, form and sorts of evidence. */
function byMake(rules: readonly CompiledRule[]): (evidence: Evidence) => RuleSet {
  const needs = rules.map(({ rule }) => needsOf(rule.when));
  const known = new Map<number, RuleSet>();
  return (evidence) => {
    const { status, form } = evidence;
    const has = sortsOf(evidence);
    // a caller may state any number, and only whole ones of three digits have a place of their own
    const isKept = status === undefined || (status > NONE && status < 1000 && status % 1 === 0);
    const make = ((status ?? NONE) * FORM_COUNT + FORM_IDS[form]) * ALL_SORTS + has;
    const remembered = isKept ? known.get(make) : undefined;
    if (remembered !== undefined) return remembered;
    const set = setOf(
      rules,
      ({ rule }, index) => ((needs[index] ?? 0) & ~has) === 0 && allows(rule.when, status, form),
    );
    if (isKept && known.size < MAX_REMEMBERED) known.set(make, set);
    return set;
  };
}

const FORM_IDS: Readonly<Record<BodyForm, number>> = {
  none: 0,
  empty: 1,
  html: 2,
  text: 3,
  cut_json: 4,
  json: 5,
  events: 6,
};
const FORM_COUNT = 8;

/** Sorts of evidence, as bits. */
const FINDING = 1;
/** A fault that was observed, or one that a text may be the print of. */
const FAULT = 2;
const OBSERVED_FAULT = 4;
const FAULT_TEXT = 8;
const STOPS = 16;
const PARAMS = 32;
const QUOTAS = 64;
const NO_QUOTA = 128;
const STREAMING = 256;
const UNFINISHED = 512;
const EMPTY_REPLY = 1024;
const ALL_SORTS = 2048;

const SORT_OF = {
  findings: FINDING,
  transportCodes: OBSERVED_FAULT,
  transportCodePrefixes: OBSERVED_FAULT,
  transportNames: FAULT,
  transportText: FAULT_TEXT,
  stops: STOPS,
  stopSays: STOPS,
  params: PARAMS,
  unfinished: UNFINISHED,
  emptyAnswer: EMPTY_REPLY,
} as const satisfies Partial<Record<keyof Conditions, number>>;

const SORT_OF_QUOTA: Readonly<Record<NonNullable<Conditions['quota']>, number>> = {
  long_window: QUOTAS,
  short_window: QUOTAS,
  zero: NO_QUOTA,
};

function needsOf(when: Conditions): number {
  const sorts = Object.entries(SORT_OF).reduce(
    // the entries of SORT_OF are keyed by names of conditions
    (bits, [name, sort]) => (when[name as keyof Conditions] === undefined ? bits : bits | sort),
    0,
  );
  const isOfStream = when.phases?.length === 1 && when.phases[0] === 'streaming';
  const ofQuota = when.quota === undefined ? 0 : SORT_OF_QUOTA[when.quota];
  return sorts | ofQuota | (isOfStream ? STREAMING : 0);
}

function sortsOf(evidence: Evidence): number {
  const { failure, faults, faultMentions, quotas, stops, params } = evidence;
  return (
    (failure.finding === undefined ? 0 : FINDING) |
    (faults.length === 0 ? 0 : FAULT) |
    (failure.transport === undefined ? 0 : OBSERVED_FAULT) |
    (faultMentions.length === 0 ? 0 : FAULT_TEXT) |
    (stops.size === 0 ? 0 : STOPS) |
    (params.length === 0 ? 0 : PARAMS) |
    (quotas.length === 0 ? 0 : QUOTAS) |
    (hasNoQuota(evidence) ? NO_QUOTA : 0) |
    (failure.phase === 'streaming' ? STREAMING : 0) |
    (evidence.isUnfinished ? UNFINISHED : 0) |
    (evidence.isEmptyReply ? EMPTY_REPLY : 0)
  );
}

function hasNoQuota({ quotas, matchedFamilies }: Evidence): boolean {
  return hasFamily(matchedFamilies, NO_ALLOWANCE) || quotas.includes(ZERO_QUOTA);
}

function allows(when: Conditions, status: number | undefined, form: BodyForm): boolean {
  const { statuses, statusRange, hasStatus, forms } = when;
  if (forms !== undefined && !forms.includes(form)) return false;
  if (hasStatus !== undefined && hasStatus !== (status !== undefined)) return false;
  if (statuses !== undefined && !statuses.includes(status ?? NONE)) return false;
  if (statusRange === undefined) return true;
  return status !== undefined && status >= statusRange[0] && status <= statusRange[1];
}
