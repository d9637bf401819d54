/**
 * Reads a failure again where nothing but its status decided, or nothing at all under a good one. Gateways put the status of a fault around refusals
 * of their upstream, and that of a refusal around faults, under whatever number their framework has; a rule
 * lists only statuses that somebody thought of. So the words of a fault are read as those of a refused request,
 * which another call cannot change, and the words of a refusal as those of a server without room, where it can.
 */
import { catalogRow, type RuntimeKind } from '../../errors/catalog/catalog.ts';
import type { Evidence } from './evidence.ts';
import type { CompiledRule } from './match.ts';
import type { FindRule, Match } from './shortlist.ts';
import { isInOurWords } from './weighed/weigh.ts';

/** A second reading: under which status, and which of its conclusions count. */
interface Reading {
  readonly status: number;
  readonly counts: (compiled: CompiledRule) => boolean;
}

/** Words that mean no refusal where a server speaks of itself: a model is down, a limit of memory is hit. */
const OF_THE_SERVER: ReadonlySet<string> = new Set([
  'address.bare',
  'address.text',
  'concept.address',
  'concept.model-unavailable',
  'concept.own-limit',
  'status.400-without-reason',
]);

const AS_REFUSED: Reading = {
  status: 400,
  counts: ({ rule, basis }) => {
    if (basis === 'vague' || basis === 'status' || basis === 'fault') return false;
    const category = rule.means.category ?? catalogRow(rule.means.kind)?.category;
    return category !== 'transient' && category !== 'ambiguous' && !OF_THE_SERVER.has(rule.id);
  },
};

/** A refused request is sent again only for these: lateness and faults may be those of what it points at. */
const WITHOUT_ROOM: ReadonlySet<RuntimeKind> = new Set<RuntimeKind>([
  'provider.overloaded',
  'provider.rate_limited',
]);

const AS_CROWDED: Reading = {
  status: 200,
  counts: ({ rule, basis }) => basis !== 'certain' && WITHOUT_ROOM.has(rule.means.kind),
};

/** Vendors number their failures and send all of them under a good status: then the words are all there is. */
const AS_REFUSED_OF_GOOD: Reading = {
  status: 400,
  counts: ({ basis }) => basis !== 'vague' && basis !== 'status' && basis !== 'fault',
};

/** By the rule of the status that decided alone. */
const READINGS: ReadonlyMap<string, Reading> = new Map([
  ['status.408', AS_REFUSED],
  ['status.409', AS_REFUSED],
  ['status.424', AS_REFUSED],
  ['status.503', AS_REFUSED],
  ['status.5xx', AS_REFUSED],
  ['status.4xx', AS_CROWDED],
  ['status.404', AS_CROWDED],
  ['status.401', AS_CROWDED],
  ['status.403', AS_CROWDED],
  ['status.451', AS_CROWDED],
  ['status.address', AS_CROWDED],
]);

export function lookAgain(
  evidence: Evidence,
  match: Match | undefined,
  findRule: FindRule,
): Match | undefined {
  const reading = match === undefined ? ofGood(evidence) : READINGS.get(match.compiled.rule.id);
  if (reading === undefined) return match;
  if (evidence.text === '' && evidence.codes.size === 0) return match;
  // a request whose reply began was not refused
  if (evidence.delivered || isInOurWords(evidence)) return match;
  const again = findRule({ ...evidence, status: reading.status });
  return again !== undefined && reading.counts(again.compiled) ? again : match;
}

function ofGood({ status }: Evidence): Reading | undefined {
  return status === 200 ? AS_REFUSED_OF_GOOD : undefined;
}
