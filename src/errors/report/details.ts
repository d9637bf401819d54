/**
 * Bounds details. Those of a group hold other failures, which may not crowd each other out: its
 * counts are kept whole, and every member keeps at least its kind, message and location.
 */
import { boundText } from './bounded-text.ts';
import { MAX_MESSAGE_CHARS, MAX_WORD_CHARS } from './report-limits.ts';
import {
  isJsonObject,
  isPlainObject,
  keysOf,
  readProperty,
  toBoundedJson,
  type JsonFilter,
  type JsonObject,
  type JsonValue,
} from '../support/safe-json.ts';
import { isKindName } from '../catalog/kinds.ts';

export interface BoundedDetails {
  readonly value: JsonObject;
  readonly cut: number;
}

const BOUNDS = { maxDepth: 16, maxNodes: 4000, maxStringChars: 4000, maxChars: 40_000 };
const MEMBER_BOUNDS = {
  maxDepth: 4,
  maxNodes: 60,
  maxStringChars: MAX_MESSAGE_CHARS,
  maxChars: 8000,
};

const MAX_MEMBERS = 20;
const MAX_MEMBER_FIELDS = 100;
const MAX_COUNTED_KINDS = 200;

/** The failures of all kinds beyond those counted one by one. */
const OTHER_KINDS = 'other';

/** The fields of a member that stay when its details must be cut. */
export const MEMBER_FIELDS: ReadonlySet<string> = new Set(
  'v id kind class category domain retryable outcome message title action location at'.split(' '),
);

/** Undefined when there are no details. */
export function boundDetails(
  details: unknown,
  filter: JsonFilter,
  options: { readonly isGroup: boolean },
): BoundedDetails | undefined {
  if (details === undefined || details === null) return undefined;
  const bounded =
    options.isGroup && isPlainObject(details)
      ? groupDetails(details, filter)
      : toBoundedJson(details, BOUNDS, filter);
  const value = isJsonObject(bounded.value) ? bounded.value : { value: bounded.value };
  return Object.keys(value).length === 0 ? undefined : { value, cut: bounded.cut };
}

function groupDetails(details: Record<string, unknown>, filter: JsonFilter): BoundedDetails {
  const counts = countsOf(readProperty(details, 'counts'));
  const members = membersOf(readProperty(details, 'members'), filter);
  const names = keysOf(details).filter((key) => key !== 'counts' && key !== 'members');
  const others = toBoundedJson(pick(details, names), BOUNDS, filter);
  return {
    value: {
      ...(counts === undefined ? {} : { counts }),
      ...(members === undefined ? {} : { members: members.value }),
      ...(isJsonObject(others.value) ? others.value : {}),
    },
    cut: others.cut + (members?.cut ?? 0),
  };
}

/** The sum includes every failure: the rarest of too many kinds are counted together. */
function countsOf(counts: unknown): JsonObject | undefined {
  const all = keysOf(counts).flatMap((kind): [string, number][] => {
    const count = readProperty(counts, kind);
    const isCounted = isKindName(kind) || kind === OTHER_KINDS;
    const isCount = typeof count === 'number' && Number.isFinite(count) && count >= 0;
    // plus zero: JSON has no negative zero
    return isCounted && isCount ? [[kind, count + 0]] : [];
  });
  if (all.length === 0) return isPlainObject(counts) ? {} : undefined;
  if (all.length <= MAX_COUNTED_KINDS) return Object.fromEntries(all);

  const ranked = all.toSorted(([, a], [, b]) => b - a);
  const named = ranked.filter(([kind]) => kind !== OTHER_KINDS).slice(0, MAX_COUNTED_KINDS - 1);
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  const listed = named.reduce((sum, [, count]) => sum + count, 0);
  return Object.fromEntries([...named, [OTHER_KINDS, total - listed]]);
}

interface Member {
  readonly name: string;
  readonly summary: JsonValue;
  /** The fields that are not in the summary. */
  readonly rest: Record<string, unknown>;
}

function membersOf(members: unknown, filter: JsonFilter): BoundedDetails | undefined {
  if (!isPlainObject(members)) return undefined;
  const names = keysOf(members);
  const kept = names
    .slice(0, MAX_MEMBERS)
    .map((name) => memberOf(name, readProperty(members, name), filter));

  // all members share one room, after each has its summary
  const rich = kept.filter(({ rest }) => Object.keys(rest).length > 0);
  const rests = toBoundedJson(
    rich.map(({ rest }) => rest),
    BOUNDS,
    filter,
  );
  const restOf = (member: Member): JsonObject => {
    // a member of bounded JSON is JSON
    const rest = readProperty(rests.value, rich.indexOf(member)) as JsonValue | undefined;
    return isJsonObject(rest) ? rest : {};
  };
  const entries = kept.map((member): [string, JsonValue] => {
    const { summary } = member;
    return [member.name, isJsonObject(summary) ? { ...summary, ...restOf(member) } : summary];
  });
  const value: JsonObject = Object.fromEntries(entries);
  return { value, cut: rests.cut + names.length - Object.keys(value).length };
}

function memberOf(name: string, member: unknown, filter: JsonFilter): Member {
  const isReport = isPlainObject(member);
  const fields = keysOf(member).slice(0, MAX_MEMBER_FIELDS);
  const head = isReport ? pick(member, [...MEMBER_FIELDS]) : member;
  return {
    name: boundText(name, MAX_WORD_CHARS, filter.text).text,
    summary: toBoundedJson(head, MEMBER_BOUNDS, filter).value,
    rest: isReport
      ? pick(
          member,
          fields.filter((field) => !MEMBER_FIELDS.has(field)),
        )
      : {},
  };
}

function pick(value: object, names: readonly string[]): Record<string, unknown> {
  const entries = names.map((name) => [name, readProperty(value, name)] as const);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}
