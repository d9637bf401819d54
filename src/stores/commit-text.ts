/**
 * The text of a commit, as every store keeps it: a list of events. It leaves out what the row says:
 * consecutive events of a run at one time are `[time, event, …]`, without number, run and time. An
 * event of one of the common shapes is `[shape, value, …]`, without its keys.
 *
 * A text that begins with an event, and not with a time, has whole events.
 */
import { isArray, type JsonObject, type JsonValue } from '../errors/support/safe-json.ts';
import { corrupt, misused } from './store-failure.ts';
import { jsonText } from './store-rules.ts';

/** Where the events of a commit are. */
export interface CommitPlace {
  readonly run: string;
  /** Number of its first event. */
  readonly seq: number;
}

/** The keys that every event begins with. */
const FIRST_KEYS = ['seq', 'run', 'at', 'type'] as const;

interface Shape {
  readonly type: string;
  /**
   * All other keys, in this order; an output is last, and left out if the event before has the
   * same.
   */
  readonly keys: readonly string[];
}

/** Stored by its index: a shape is never changed or removed, and new ones are added at the end. */
const SHAPES: readonly Shape[] = [
  { type: 'node:started', keys: ['node', 'path', 'attempt'] },
  { type: 'effect:requested', keys: ['node', 'path', 'effect', 'attempt'] },
  { type: 'effect:succeeded', keys: ['node', 'path', 'effect', 'output'] },
  { type: 'node:completed', keys: ['node', 'path', 'output'] },
  { type: 'route:taken', keys: ['node', 'path', 'move', 'rule', 'bucket', 'to'] },
  { type: 'route:taken', keys: ['node', 'path', 'move', 'bucket', 'to'] },
];

/** Stands for a path that is the name of its node. */
const SAME_AS_NODE = 0;

/** Key, type and target. */
const EFFECT_KEYS = 3;

type Fields = Readonly<Record<string, unknown>>;

/** Throws for what JSON cannot hold. */
export function commitText(place: CommitPlace, events: readonly object[]): string {
  if (events.length === 0) throw misused('A commit needs at least one event', { run: place.run });
  // the first commit names its run, because its row may be lost while the log remains
  const short = place.seq === 1 ? undefined : shortened(place, events as readonly Fields[]);
  return jsonText(short ?? events, `An event of run ${place.run}`);
}

/** Undefined if the events do not share what a row says of all of them. */
function shortened({ run, seq }: CommitPlace, events: readonly Fields[]): unknown[] | undefined {
  const at = events[0]?.['at'];
  if (typeof at !== 'string') return undefined;
  const list: unknown[] = [at];
  let before: Fields | undefined;
  for (const event of events) {
    const isNext = event['seq'] === seq + list.length - 1;
    if (!isNext || event['run'] !== run || event['at'] !== at) return undefined;
    list.push(shortEvent(event, before));
    before = event;
  }
  return list;
}

function shortEvent(event: Fields, before: Fields | undefined): unknown {
  const keys = Object.keys(event);
  const shape = shapeOf(event, keys);
  if (shape < 0) {
    const { seq: _seq, run: _run, at: _at, ...body } = event;
    return body;
  }
  // changed in place, because a growing list takes three times as much room
  const values: unknown[] = keys.slice(FIRST_KEYS.length - 1);
  values[0] = shape;
  for (let index = 1; index < values.length; index++) {
    const key = keys[FIRST_KEYS.length - 1 + index] ?? '';
    const value = event[key];
    if (key === 'path' && value === event['node']) values[index] = SAME_AS_NODE;
    else if (key === 'effect') values[index] = shortEffect(value as Fields);
    else if (key === 'output' && value === before?.['output']) values.pop();
    else values[index] = value;
  }
  return values;
}

/** -1 where it has none. */
function shapeOf(event: Fields, own: readonly string[]): number {
  for (let index = 0; index < SHAPES.length; index++) {
    const shape = SHAPES[index];
    if (shape !== undefined && shape.type === event['type'] && hasKeys(event, own, shape.keys))
      return index;
  }
  return -1;
}

function hasKeys(event: Fields, own: readonly string[], keys: readonly string[]): boolean {
  if (own.length !== FIRST_KEYS.length + keys.length) return false;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] ?? '';
    // JSON leaves it out of an object, and writes null into a list
    if (own[FIRST_KEYS.length + index] !== key || event[key] === undefined) return false;
  }
  return true;
}

function shortEffect(effect: Fields): unknown {
  const { key, type, target } = effect;
  return Object.keys(effect).length === EFFECT_KEYS ? [key, type, target] : effect;
}

/** The events of a text that `commitText` made. */
export function commitEvents(text: string, { run, seq }: CommitPlace): JsonObject[] {
  const stored = JSON.parse(text) as JsonValue[];
  const [at] = stored;
  if (typeof at !== 'string') return stored as JsonObject[];
  const events: JsonObject[] = [];
  for (let index = 1; index < stored.length; index++) {
    const short = stored[index];
    const row = { seq: seq + index - 1, run, at };
    events.push(
      isArray(short) ? lengthened(row, short, events.at(-1)) : { ...row, ...(short as JsonObject) },
    );
  }
  return events;
}

function lengthened(
  row: CommitPlace & { readonly at: string },
  [index, ...values]: readonly JsonValue[],
  before: JsonObject | undefined,
): JsonObject {
  const shape = SHAPES[Number(index)];
  if (shape === undefined)
    throw corrupt(`Event ${row.seq} of run ${row.run} has an unknown shape`, { ...row });
  const event: Record<string, JsonValue> = { ...row, type: shape.type };
  for (const [at, key] of shape.keys.entries()) {
    const value = values[at];
    if (key === 'path' && value === SAME_AS_NODE) event[key] = event['node'] ?? null;
    else if (key === 'effect' && isArray(value)) event[key] = effectOf(value);
    else event[key] = value ?? (at < values.length ? null : (before?.['output'] ?? null));
  }
  return event;
}

function effectOf([key = null, type = null, target = null]: readonly JsonValue[]): JsonObject {
  return { key, type, target };
}
