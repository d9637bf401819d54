/**
 * Reads a failure again where nothing but its status decided, or nothing at all under a good one. Gateways put the status of a fault around refusals
 * of their upstream, and that of a refusal around faults, under whatever number their framework has; a rule
 * lists only statuses that somebody thought of. So the words of a fault are read as those of a refused request,
 * which another call cannot change, and the words of a refusal as those of a server without room, where it can.
 */
import { catalogRow, type RuntimeKind } from '../../errors/catalog/catalog.ts';
import type { Evidence } from './evidence.ts';
import type { CompiledRule } from './match.ts';
import { normaliseCode } from './spelled-code.ts';
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

/** The rule for any fault in a stream: it rests on the fault, and the fault may say why it came. */
const ENDED_EARLY = 'stream.ended-early';

/** The word of gRPC for every service that is out of reach, also for one whose stream broke. */
const GONE = 'overload.unavailable';

/** Kinds that say no more of a stream than that it ended. */
const OF_THE_WAY: ReadonlySet<RuntimeKind> = new Set<RuntimeKind>([
  'provider.network',
  'provider.stream_interrupted',
  'provider.timeout',
  'provider.unknown',
]);

export function lookAgain(
  evidence: Evidence,
  match: Match | undefined,
  findRule: FindRule,
): Match | undefined {
  if (match?.compiled.rule.id === ENDED_EARLY) return reasonOfEnd(evidence, findRule) ?? match;
  const reading = match === undefined ? ofGood(evidence) : READINGS.get(match.compiled.rule.id);
  if (reading === undefined) return match;
  if (evidence.text === '' && evidence.codes.size === 0) return match;
  // a request whose reply began was not refused
  if (evidence.delivered || isInOurWords(evidence)) return match;
  const again = findRule({ ...evidence, status: reading.status });
  return again !== undefined && reading.counts(again.compiled) ? again : match;
}

/**
 * A server that gives up a stream sends an error in it, which clients throw as they do any fault of the way: its
 * words and its name are those of a refusal.
 */
function reasonOfEnd(evidence: Evidence, findRule: FindRule): Match | undefined {
  const { transport, ...failure } = evidence.failure;
  const codes = new Set(evidence.codes);
  for (const word of [transport?.name, transport?.code])
    if (word !== undefined && IS_CODE.test(word)) codes.add(normaliseCode(word));
  const again = findRule({
    ...evidence,
    failure: { ...failure, phase: 'headers' },
    faults: [],
    faultMentions: [],
    codes,
    status: 400,
    said: evidence.prose.said,
  });
  return again !== undefined && saysWhy(again.compiled, evidence.text) ? again : undefined;
}

function saysWhy({ rule, basis }: CompiledRule, text: string): boolean {
  const { kind } = rule.means;
  if (OF_THE_WAY.has(kind) || rule.id === GONE) return false;
  if (basis === 'certain') return true;
  // concepts are read loosely: the nouns around a break are parts of the reply, not of a request
  const isRead = basis === 'phrases' || basis === 'code_words';
  return isRead && kind !== 'provider.server_error' && !OF_A_CUT.test(text);
}

/** Words for how a reply broke off. */
const OF_A_CUT =
  /\b(?:truncated|incomplete|not completed?|(?:unexpected|premature)(?:ly)? \w+|eof|reset|half (?:an?|the|of)|cut (?:\w+ )?off|stalled|silence|missing \w+ for choice)\b/i;

/** The code of a server, after which its client names the error. */
const IS_CODE = /^[a-z]+(?:_[a-z]+)+$/;

function ofGood({ status }: Evidence): Reading | undefined {
  return status === 200 ? AS_REFUSED_OF_GOOD : undefined;
}
