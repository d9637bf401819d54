/**
 * Checks the shape of an event from a file: the digest of the file shows damage, but anyone can make one, so
 * what is read later must have the fields that its type has.
 */
import { isPlainObject, type JsonObject, type JsonValue } from '../errors/support/safe-json.ts';
import type { RunEvent } from '../machine/state/events.ts';

type Check = (value: JsonValue | undefined) => boolean;

const text: Check = (value) => typeof value === 'string';
const number: Check = (value) => typeof value === 'number';
const object: Check = (value) => isPlainObject(value);
const list: Check = (value) => Array.isArray(value);
const present: Check = (value) => value !== undefined;
const report: Check = (value) =>
  isPlainObject(value) && typeof value['kind'] === 'string' && typeof value['message'] === 'string';
const effect: Check = (value) =>
  isPlainObject(value) && ['key', 'type', 'target'].every((key) => typeof value[key] === 'string');
const waiting: Check = (value) => isPlainObject(value) && Array.isArray(value['all']);

const amount: Check = (value) => typeof value === 'number' && value >= 0;
const amounts: Check = (value) => isPlainObject(value) && Object.values(value).every(amount);

/** Fields that any event may have, and that are summed. */
const OPTIONAL: Readonly<Record<string, Check>> = { costUsdMicros: amount, usage: amounts };

const IN_NODE = { node: text, path: text };

/** Fields that every event of the type has. */
const FIELDS: Readonly<Record<RunEvent['type'], Readonly<Record<string, Check>>>> = {
  'run:started': { workflow: text, input: object },
  'run:paused': { waiting },
  'run:resumed': { by: text },
  'run:completed': { output: present },
  'run:failed': { error: report },
  'run:cancelled': { by: text },
  'node:started': { ...IN_NODE, attempt: number },
  'node:completed': { ...IN_NODE, output: present },
  'node:failed': { ...IN_NODE, error: report },
  'node:retrying': { ...IN_NODE, attempt: number, delayMs: number, error: report },
  'node:skipped': { ...IN_NODE, reason: text },
  'route:taken': { ...IN_NODE, move: text, bucket: text },
  'effect:requested': { ...IN_NODE, effect, attempt: number },
  'effect:succeeded': { ...IN_NODE, effect },
  'effect:failed': { ...IN_NODE, effect, error: report },
  'gate:opened': { ...IN_NODE, gate: text, options: list },
  'gate:answered': { ...IN_NODE, gate: text, value: present, by: text },
  'gate:expired': { ...IN_NODE, gate: text },
  'budget:warning': { limit: number, spent: number },
  'budget:paused': { limit: number, spent: number },
  'child:started': { ...IN_NODE, workflow: text, input: object },
  'child:ended': { ...IN_NODE, workflow: text, status: text },
  'breaker:changed': { target: text },
  'error:suppressed': { error: report, reason: text },
};

/** Names the first field that is wrong; undefined for an event of the right shape. */
export function flawOfEvent(value: JsonObject, seq: number): string | undefined {
  const { type, at } = value;
  if (value['seq'] !== seq) return 'seq';
  if (typeof at !== 'string' || Number.isNaN(Date.parse(at))) return 'at';
  if (!isType(type)) return 'type';
  const there = Object.entries(OPTIONAL).filter(([name]) => Object.hasOwn(value, name));
  return [...Object.entries(FIELDS[type]), ...there].find(([name, check]) => {
    const isOwn = Object.hasOwn(value, name);
    return !check(isOwn ? value[name] : undefined);
  })?.[0];
}

function isType(type: JsonValue | undefined): type is RunEvent['type'] {
  return typeof type === 'string' && Object.hasOwn(FIELDS, type);
}
