/**
 * Shortlists the rules that can hold for a failure, by its status and its sorts of evidence. Such
 * combinations are few and recur, so most rules are excluded once and not for each failure.
 */
import type { Evidence } from './evidence.ts';
import { codeTests, type CompiledRule } from './match.ts';
import { NONE, type Conditions } from './rule.ts';

/** Gives the rules to check, in their order. */
export type Shortlist = (evidence: Evidence) => readonly CompiledRule[];

export function createShortlist(rules: readonly CompiledRule[]): Shortlist {
  const needs = rules.map(({ rule }) => needsOf(rule.when));
  const named = new Set(rules.flatMap(({ rule }) => rule.when.codes ?? []));
  const tests = rules.flatMap(({ rule }) => codeTests(rule.when));
  const telling = remembering((code) => tests.some((test) => test(code)));
  const known = new Map<number, readonly CompiledRule[]>();
  return (evidence) => {
    const { status } = evidence;
    const has =
      sortsOf(evidence) |
      (some(evidence.codes, (code) => named.has(code)) ? KNOWN_CODES : 0) |
      (some(evidence.codes, telling) ? TELLING_CODES : 0);
    const make = (status ?? NONE) * ALL_SORTS + has;
    const remembered = known.get(make);
    if (remembered !== undefined) return remembered;
    const list = rules.filter(
      ({ rule }, index) => ((needs[index] ?? 0) & ~has) === 0 && allows(rule.when, status),
    );
    if (known.size < MAX_REMEMBERED) known.set(make, list);
    return list;
  };
}

const MAX_REMEMBERED = 4096;

type Holds = (code: string) => boolean;

function some(codes: ReadonlySet<string>, holds: Holds): boolean {
  for (const code of codes) if (holds(code)) return true;
  return false;
}

/** Codes are few and recur. */
function remembering(holds: Holds): Holds {
  const known = new Map<string, boolean>();
  return (code) => {
    const remembered = known.get(code);
    const isHeld = remembered ?? holds(code);
    if (remembered === undefined && known.size < MAX_REMEMBERED) known.set(code, isHeld);
    return isHeld;
  };
}

/** Sorts of evidence, as bits. */
const FINDING = 1;
const TRANSPORT = 2;
/** The words of a code pass a test that some rule makes. */
const TELLING_CODES = 4;
const PHRASES = 8;
const STOPS = 16;
const PARAMS = 32;
/** A rule lists the code. */
const KNOWN_CODES = 64;
const ALL_SORTS = 128;

const SORT_OF = {
  findings: FINDING,
  transportCodes: TRANSPORT,
  transportCodePrefixes: TRANSPORT,
  transportNames: TRANSPORT,
  transportText: TRANSPORT,
  codes: KNOWN_CODES,
  codeEndings: TELLING_CODES,
  codeParts: TELLING_CODES,
  codeSays: TELLING_CODES,
  phrases: PHRASES,
  phrasesToo: PHRASES,
  stops: STOPS,
  params: PARAMS,
} as const satisfies Partial<Record<keyof Conditions, number>>;

function needsOf(when: Conditions): number {
  return Object.entries(SORT_OF).reduce(
    // the entries of SORT_OF are keyed by names of conditions
    (bits, [name, sort]) => (when[name as keyof Conditions] === undefined ? bits : bits | sort),
    0,
  );
}

function sortsOf({ failure, faults, matchedFamilies, stops, params }: Evidence): number {
  return (
    (failure.finding === undefined ? 0 : FINDING) |
    (faults.length === 0 ? 0 : TRANSPORT) |
    (matchedFamilies.size === 0 ? 0 : PHRASES) |
    (stops.size === 0 ? 0 : STOPS) |
    (params.length === 0 ? 0 : PARAMS)
  );
}

function allows(when: Conditions, status: number | undefined): boolean {
  const { statuses, statusRange, hasStatus } = when;
  if (hasStatus !== undefined && hasStatus !== (status !== undefined)) return false;
  if (statuses !== undefined && !statuses.includes(status ?? NONE)) return false;
  if (statusRange === undefined) return true;
  return status !== undefined && status >= statusRange[0] && status <= statusRange[1];
}
