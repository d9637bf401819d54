/**
 * Finds duplicate tool calls of a host of OpenAI's protocol, which identifies calls by id, or by
 * index if it sends no ids. The SDK invents ids for calls without one, so a call that the host sent
 * twice would run twice.
 */
import { isPlainObject, readProperty } from '../../errors/support/safe-json.ts';

/** Collected while a stream is read. */
export interface SeenCalls {
  /** Ids, each with the index of its first appearance. */
  readonly ids: Map<string, unknown>;
  readonly indexesWithId: Set<unknown>;
  readonly indexesWithoutId: Set<unknown>;
  /** Number of calls with neither id nor index. */
  bare: number;
  /** One id at two indexes. */
  hasTwins: boolean;
  /** A call in an unusual form: the SDK ignores an event that has one. */
  hasOdd: boolean;
}

export function newSeenCalls(): SeenCalls {
  return {
    ids: new Map(),
    indexesWithId: new Set(),
    indexesWithoutId: new Set(),
    bare: 0,
    hasTwins: false,
    hasOdd: false,
  };
}

/** All pieces of one call may repeat its id. */
export function noteSeenCall(seenCalls: SeenCalls, piece: unknown): void {
  const id = readProperty(piece, 'id');
  const index = readProperty(piece, 'index') ?? undefined;
  const called = readProperty(piece, 'function');
  const texts = [id, readProperty(called, 'name'), readProperty(called, 'arguments')];
  seenCalls.hasOdd ||=
    !isPlainObject(called) || texts.some((each) => typeof (each ?? '') !== 'string');
  if (isWord(id)) {
    seenCalls.hasTwins ||= seenCalls.ids.has(id) && seenCalls.ids.get(id) !== index;
    seenCalls.ids.set(id, index);
    seenCalls.indexesWithId.add(index);
  } else if (index !== undefined) {
    seenCalls.indexesWithoutId.add(index);
  } else if (isWord(readProperty(called, 'name'))) {
    seenCalls.bare++;
  }
}

/** Whether the SDK reports more calls than the host distinguished. `ids` are the SDK's. */
export function hasTwinsAmong(seenCalls: SeenCalls, ids: readonly string[]): boolean {
  if (seenCalls.hasTwins) return true;
  const places = [...seenCalls.indexesWithoutId].filter(
    (place) => !seenCalls.indexesWithId.has(place),
  ).length;
  const hasPieces = seenCalls.ids.size + seenCalls.indexesWithoutId.size + seenCalls.bare > 0;
  // other protocols have no such pieces
  return hasPieces && ids.filter((id) => !seenCalls.ids.has(id)).length > places + seenCalls.bare;
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
