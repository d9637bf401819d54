/** Matches rules: compiles their conditions into checks, so that a rule costs only what it needs. */
import type { TransportFault } from '../provider-failure.ts';
import type { Evidence } from './evidence.ts';
import { readCode } from './concepts/read-concepts.ts';
import { compileSayings, type Saying } from './concepts/saying.ts';
import { saidIn } from './concepts/sentence.ts';
import { familyId, hasFamily, NO_ALLOWANCE, phraseOf, type Family } from './phrases.ts';
import { wordsOf, type Phrase } from './phrases/phrase.ts';
import { numbered } from './prose.ts';
import { printedNames } from './messages/printed-names.ts';
import { requestOverLimit } from './request-over-limit.ts';
import { NONE, type Conditions, type Rule } from './rule.ts';
import { FAULT_ALONE, STATUS_ALONE, VAGUE_RULES } from './rules/weak-rules.ts';

/** The evidence, or undefined when the condition does not hold. An empty text holds without evidence. */
type Check = (evidence: Evidence) => string | undefined;

/**
 * The ground that a rule rests on: on what was observed or a code in full, on the words of a code, on recorded phrases,
 * on concepts, on the status of a fault, on another status, or on one that says no more than that the request
 * was refused. All but the first can be outweighed, the last most easily.
 */
export type Basis =
  | 'certain'
  | 'code_words'
  | 'phrases'
  | 'concepts'
  | 'fault'
  | 'status'
  | 'vague';

export interface CompiledRule {
  readonly rule: Rule;
  /** All conditions, in the order in which their evidence is shown. */
  readonly checks: readonly Check[];
  /** Those that a short list of rules by status, form, sorts of evidence, codes and families leaves open. */
  readonly openChecks: readonly Check[];
  /** Those that are left open too and read nothing but the text, so that it fails them once and for all. */
  readonly textChecks: readonly Check[];
  readonly confidence: 'high' | 'low';
  readonly basis: Basis;
}

export function compileRule(rule: Rule): CompiledRule {
  const { when } = rule;
  // the compilers are keyed by names of conditions
  const named = (Object.keys(COMPILERS) as (keyof Conditions)[]).flatMap((name) => {
    const condition = when[name];
    if (condition === undefined) return [];
    // each compiler takes the condition of its own name
    const check = (COMPILERS[name] as (value: unknown) => Check)(condition);
    return [{ name, check }];
  });
  const open = named.filter(({ name }) => !isListed(name, when));
  const readsProse =
    when.phrases !== undefined ||
    when.says !== undefined ||
    when.transportText !== undefined ||
    when.asksMoreThanLimit === true;
  return {
    rule,
    checks: named.map(({ check }) => check),
    openChecks: open.filter(({ name }) => !OF_TEXT.has(name)).map(({ check }) => check),
    textChecks: open.filter(({ name }) => OF_TEXT.has(name)).map(({ check }) => check),
    confidence: readsProse ? 'low' : 'high',
    basis: basisOf(rule),
  };
}

/** Conditions that `shortlist.ts` settles in full. */
const LISTED: ReadonlySet<keyof Conditions> = new Set<keyof Conditions>([
  'hasStatus',
  'statuses',
  'statusRange',
  'forms',
  'unfinished',
  'emptyAnswer',
  'phrases',
  'notPhrases',
]);

const OF_CODES = ['codes', 'codeEndings', 'codeParts', 'codeSays'] as const;

/** A code is listed for a rule that any condition of codes holds for, so one that stands alone is settled too. */
function isListed(name: keyof Conditions, when: Conditions): boolean {
  if (LISTED.has(name)) return true;
  const isAlone = OF_CODES.filter((other) => when[other] !== undefined).length === 1;
  return isAlone && OF_CODES.some((other) => other === name);
}

const OF_TEXT: ReadonlySet<keyof Conditions> = new Set<keyof Conditions>([
  'phrasesToo',
  'mentions',
  'says',
]);

/** Conditions that hold or do not, whatever words a server chose. */
const CERTAIN = [
  'findings',
  'providers',
  'header',
  'quota',
  'asksMoreThanLimit',
  'transportCodes',
  'transportCodePrefixes',
  'transportNames',
  'transportText',
  'params',
  'emptyAnswer',
  'unfinished',
  'reasonless',
  'bareStatus',
] as const satisfies readonly (keyof Conditions)[];

function basisOf({ id, when }: Rule): Basis {
  if (VAGUE_RULES.has(id)) return 'vague';
  if (STATUS_ALONE.has(id)) return 'status';
  if (FAULT_ALONE.has(id)) return 'fault';
  if (CERTAIN.some((name) => when[name] !== undefined)) return 'certain';
  if (when.says !== undefined) return 'concepts';
  if (when.phrases !== undefined) return 'phrases';
  const isOfWords =
    (when.codeEndings ?? when.codeParts ?? when.codeSays ?? when.stopSays) !== undefined;
  return isOfWords && when.codes === undefined ? 'code_words' : 'certain';
}

export function asksForCode(when: Conditions): boolean {
  return OF_CODES.some((name) => when[name] !== undefined);
}

export function holdsAll(checks: readonly Check[], evidence: Evidence): boolean {
  for (const check of checks) if (check(evidence) === undefined) return false;
  return true;
}

/** The evidence for a rule that holds; it is written for that one only, not for the many that fail by their last condition. */
export function foundFor({ checks }: CompiledRule, evidence: Evidence): string[] {
  return checks.map((check) => check(evidence) ?? '').filter((found) => found !== '');
}

type Compilers = {
  readonly [K in keyof Conditions]-?: (condition: NonNullable<Conditions[K]>) => Check;
};

/** In the order of cost: single comparisons first, prose last. */
const COMPILERS: Compilers = {
  findings:
    (findings) =>
    ({ failure }) =>
      failure.finding !== undefined && findings.includes(failure.finding)
        ? `finding=${failure.finding}`
        : undefined,
  hasStatus:
    (expected) =>
    ({ status }) =>
      (status !== undefined) === expected ? '' : undefined,
  hasTransport:
    (expected) =>
    ({ failure }) =>
      (failure.transport !== undefined) === expected
        ? `transport=${nameOf(failure.transport)}`
        : undefined,
  statuses: (statuses) => {
    // the evidence for each is written once, not for each failure
    const allowed = new Map(
      statuses.map((status) => [status, status === NONE ? '' : `status=${status}`]),
    );
    return ({ status }) => allowed.get(status ?? NONE);
  },
  statusRange:
    ([from, to]) =>
    ({ status }) =>
      status !== undefined && status >= from && status <= to ? `status=${status}` : undefined,
  providers:
    (providers) =>
    ({ provider }) =>
      provider !== undefined && providers.includes(provider) ? `provider=${provider}` : undefined,
  phases:
    (phases) =>
    ({ failure }) =>
      phases.includes(failure.phase) ? `phase=${failure.phase}` : undefined,
  forms:
    (forms) =>
    ({ form }) =>
      forms.includes(form) ? `body=${form}` : undefined,
  reasonless:
    () =>
    ({ codes, text, form }) =>
      form !== 'json' &&
      codes.size === 0 &&
      (text === '' || /^(?:4\d\d )?bad request\.?$/i.test(text))
        ? 'no reason'
        : undefined,
  bareStatus:
    () =>
    ({ codes, text, form }) =>
      form === 'json' && codes.size === 0 && /^(?:not found|method not allowed)\.?$/i.test(text)
        ? 'status in words'
        : undefined,
  unfinished:
    () =>
    ({ isUnfinished }) =>
      isUnfinished ? 'stream=unfinished' : undefined,
  emptyAnswer:
    () =>
    ({ isEmptyReply }) =>
      isEmptyReply ? 'answer=empty' : undefined,
  codes: (codes) => {
    const known = new Set(codes);
    return (evidence) => {
      for (const code of evidence.codes) if (known.has(code)) return `code=${code}`;
      return undefined;
    };
  },
  notCodes: (codes) => (evidence) =>
    codes.some((code) => evidence.codes.has(code)) ? undefined : '',
  codeEndings: (endings) => someCode(endsIn(endings)),
  codeParts: (parts) => someCode(hasParts(parts)),
  stops: (stops) => {
    const known = new Set(stops);
    return (evidence) => {
      for (const stop of evidence.stops) if (known.has(stop)) return `stop=${stop}`;
      return undefined;
    };
  },
  stopSays: (sayings) => {
    const holds = codeSaying(sayings);
    return (evidence) => {
      for (const stop of evidence.stops) if (holds(stop)) return `stop=${stop}`;
      return undefined;
    };
  },
  header:
    ({ name, value }) =>
    ({ failure }) => {
      const found = failure.headers[name];
      return found !== undefined && (value?.test(found) ?? true) ? `header=${name}` : undefined;
    },
  transportCodes: (codes) => {
    const known = new Set(codes);
    return ({ failure }) => {
      const code = failure.transport?.code;
      return code !== undefined && known.has(code) ? `transport=${code}` : undefined;
    };
  },
  transportCodePrefixes:
    (prefixes) =>
    ({ failure }) => {
      const code = failure.transport?.code;
      return code !== undefined && prefixes.some((prefix) => code.startsWith(prefix))
        ? `transport=${code}`
        : undefined;
    },
  transportNames:
    (names) =>
    ({ faults }) => {
      const found =
        faults.find(({ name = '' }) => names.includes(unqualified(name)))?.name ??
        printedIn(faults).find((name) => names.includes(name));
      return found === undefined ? undefined : `transport=${found}`;
    },
  quota: (window) => (evidence) => quotaOf(evidence, window),
  params:
    (pattern) =>
    ({ params }) => {
      const found = params.find((param) => param.length <= 200 && pattern.test(param));
      return found === undefined ? undefined : `param=${nameIn(found)}`;
    },
  phrases: (families) => firstPhrase(families),
  phrasesToo: (families) => firstPhrase(families),
  notPhrases: (families) => {
    const ids = families.map(familyId);
    return ({ matchedFamilies }) =>
      ids.some((id) => hasFamily(matchedFamilies, id)) ? undefined : '';
  },
  mentions: (regExp) => {
    const pattern = numbered(regExp);
    return ({ prose }) => (prose.mentions(pattern) ? '' : undefined);
  },
  codeSays: (sayings) => someCode(codeSaying(sayings)),
  says: (sayings) => {
    const find = compileSayings(sayings);
    return (evidence) => {
      const found = find(evidence.said());
      return found === undefined ? undefined : `says: ${found}`;
    };
  },
  asksMoreThanLimit: () => requestOverLimit,
  transportText: (regExp) => {
    const pattern = numbered(regExp);
    return ({ faultMentions }) =>
      faultMentions.some((mentions) => mentions(pattern)) ? 'transport=message' : undefined;
  },
};

type TestsCode = (code: string) => boolean;

function endsIn(endings: readonly string[]): TestsCode {
  return (code) => endings.some((ending) => code.endsWith(ending));
}

function hasParts(parts: readonly Phrase[]): TestsCode {
  return (code) => parts.some((part) => wordsOf(part).every((word) => code.includes(word)));
}

function codeSaying(sayings: readonly Saying[]): TestsCode {
  const find = compileSayings(sayings);
  return (code) => find(saidIn([readCode(code)])) !== undefined;
}

/** Tests that rules make of the words of a code; a code that passes none of them needs no such rule. */
export function codeTests({ codeEndings, codeParts, codeSays }: Conditions): readonly TestsCode[] {
  return [
    ...(codeEndings === undefined ? [] : [endsIn(codeEndings)]),
    ...(codeParts === undefined ? [] : [hasParts(codeParts)]),
    ...(codeSays === undefined ? [] : [codeSaying(codeSays)]),
  ];
}

const MAX_REMEMBERED = 4096;

/** Codes are few and recur, so each is checked once for each rule. */
function someCode(holds: (code: string) => boolean): Check {
  const known = new Map<string, boolean>();
  return ({ codes }) => {
    for (const code of codes) {
      const remembered = known.get(code);
      const isHeld = remembered ?? holds(code);
      if (remembered === undefined && known.size < MAX_REMEMBERED) known.set(code, isHeld);
      if (isHeld) return `code=${code}`;
    }
    return undefined;
  };
}

function firstPhrase(families: readonly Family[]): Check {
  const listed = families.map((family) => ({ family, id: familyId(family) }));
  return ({ matchedFamilies }) => {
    for (const { family, id } of listed) {
      const phrase = phraseOf(matchedFamilies, id);
      if (phrase !== undefined) return `${family}: “${phrase}”`;
    }
    return undefined;
  };
}

/** A quota of nothing, as it is noted among the names of quotas. */
export const ZERO_QUOTA = 'limit:0';

/** `PerDay` in the name, or `1/d/{project}` for a unit. */
const LONG_QUOTA =
  /per_?(?:day|month|week)|^1\/(?:d|day|week|month)\b|(?:^|[a-z_])(?:daily|weekly|monthly)(?![a-z])/i;
const SHORT_QUOTA = /per_?(?:minute|second|hour)|^1\/(?:s|min|minute|h)\b/i;

function quotaOf(evidence: Evidence, window: NonNullable<Conditions['quota']>): string | undefined {
  const { quotas, matchedFamilies } = evidence;
  switch (window) {
    case 'zero': {
      const phrase = phraseOf(matchedFamilies, NO_ALLOWANCE);
      if (quotas.includes(ZERO_QUOTA)) return 'quota=0';
      return phrase === undefined ? undefined : `quota=0: “${phrase}”`;
    }
    case 'long_window': {
      const quota = quotas.find((name) => LONG_QUOTA.test(name));
      return quota === undefined ? undefined : `quota=${nameIn(quota)}`;
    }
    case 'short_window': {
      const quota = quotas.find((name) => SHORT_QUOTA.test(name));
      return quota === undefined ? undefined : `quota=${nameIn(quota)}`;
    }
  }
}

/** Evidence is shown to people: it may contain a name, but never a server's sentence. */
function nameIn(text: string): string {
  return /^\S{1,100}/.exec(text)?.[0] ?? '';
}

function printedIn(faults: readonly TransportFault[]): readonly string[] {
  const [{ message = '' } = {}] = faults;
  if (faults.length === 1) return printedNames(message);
  return faults.flatMap((fault) => printedNames(fault.message ?? ''));
}

/** `httpx.ReadError` and `Net::ReadTimeout` are named with their package. */
function unqualified(name: string): string {
  return name.slice(Math.max(name.lastIndexOf('.'), name.lastIndexOf(':')) + 1);
}

function nameOf(fault: TransportFault | undefined): string {
  return fault?.code ?? fault?.name ?? 'fault';
}
