/** Who did what to a run: each time that someone, or Errand itself, changed what would have happened. */
import { isPlainObject, type JsonValue } from '../errors/json.ts';
import { durationWords } from '../errors/render/words.ts';
import { doubtWords, type InDoubt } from './doubt-details.ts';
import type { Resumed, RunEvent } from './events.ts';
import { isApproval as isGiven } from './grants.ts';

export const AUDITED = [
  'retry',
  'answer',
  'approve',
  'deny',
  'suppress',
  'drift',
  'resume',
  'cancel',
] as const;

export interface AuditEntry {
  /** ISO 8601. */
  readonly at: string;
  /** As it was recorded: `cli:USER`, `library`, a name that an application gave, or `errand` itself. */
  readonly who: string;
  readonly what: (typeof AUDITED)[number];
  readonly node?: string;
  readonly path?: string;
  readonly detail: string;
  /** Of an answer about an unknown outcome: what it was about. */
  readonly inDoubt?: InDoubt;
}

const ENGINE = 'errand';
const MAX_VALUE_CHARS = 200;

export function auditOf(events: Iterable<RunEvent>): readonly AuditEntry[] {
  const all = [...events];
  const seen: Seen = { approvals: new Set(), failed: new Set(), inDoubt: new Map() };
  return all.flatMap((event, at) => {
    if (event.type === 'gate:opened' && isApproval(event.options)) seen.approvals.add(event.gate);
    if (event.type === 'gate:opened') noteDoubt(event, seen);
    noteCall(event, seen);
    if (event.type !== 'run:resumed') return entriesOf(event, seen);
    return [...resumed(event, { withAnswer: isForAnswer(event, all, at) }), ...drifted(event)];
  });
}

interface Seen {
  /** Gates at which calls of tools are approved. */
  readonly approvals: Set<string>;
  /** Calls of tools and functions that have failed, until something else than they goes on. */
  readonly failed: Set<string>;
  /** What the gates are about that are open because nobody knows an outcome. */
  readonly inDoubt: Map<string, InDoubt>;
}

function noteDoubt(
  { gate, inDoubt: about }: Extract<RunEvent, { type: 'gate:opened' }>,
  { inDoubt }: Seen,
): void {
  if (about === undefined) inDoubt.delete(gate);
  else inDoubt.set(gate, about);
}

/** What follows a node that runs again, or a run that goes on, is told of by that. */
function noteCall(event: RunEvent, { failed }: Seen): void {
  if (event.type === 'run:resumed' || event.type === 'node:retrying') failed.clear();
  if (event.type !== 'effect:failed') return;
  const { type, key } = event.effect;
  const isCall = type === 'tool' || type === 'call';
  if (isCall && !DENIALS.has(event.error.kind)) failed.add(key);
}

/** The resumption that an answer brings with it: what was lost meanwhile may stand between them. */
function isForAnswer({ by }: Resumed, all: readonly RunEvent[], at: number): boolean {
  const next = all.find((event, index) => index > at && event.type !== 'effect:failed');
  return next?.type === 'gate:answered' && next.by === by;
}

function entriesOf(
  event: Exclude<RunEvent, { type: 'run:resumed' }>,
  seen: Seen,
): readonly AuditEntry[] {
  switch (event.type) {
    case 'node:retrying': {
      const { at, node, path, attempt, delayMs, error } = event;
      const detail = `re-run ${attempt}, ${durationWords(delayMs)} after ${error.kind}`;
      return [{ at, who: ENGINE, what: 'retry', node, path, detail }];
    }
    case 'gate:answered':
      return [answered(event, seen)];
    case 'gate:expired': {
      const { at, node, path } = event;
      const detail = 'nobody answered in time';
      return [{ at, who: ENGINE, what: 'answer', node, path, detail }];
    }
    case 'error:suppressed': {
      const { at, error, reason } = event;
      const { node, path } = error.location ?? {};
      const where = {
        ...(node === undefined ? {} : { node }),
        ...(path === undefined ? {} : { path }),
      };
      const detail = `${error.kind}: ${error.message} (${reason})`;
      return [{ at, who: ENGINE, what: 'suppress', ...where, detail }];
    }
    case 'effect:requested':
      return requested(event, { isRetry: seen.failed.delete(event.effect.key) });
    case 'effect:failed':
    case 'node:failed':
      return denied(event);
    case 'run:cancelled':
      return [{ at: event.at, who: event.by, what: 'cancel', detail: 'ended the run' }];
    case 'run:started':
    case 'run:paused':
    case 'run:completed':
    case 'run:failed':
    case 'node:started':
    case 'node:completed':
    case 'node:skipped':
    case 'route:taken':
    case 'effect:succeeded':
    case 'gate:opened':
    case 'child:started':
    case 'child:ended':
    case 'breaker:changed':
    case 'budget:warning':
    case 'budget:paused':
      return [];
  }
}

function answered(
  { at, by: who, node, path, gate, value }: Extract<RunEvent, { type: 'gate:answered' }>,
  { approvals, inDoubt }: Seen,
): AuditEntry {
  const what = approvals.has(gate) ? verdict(value) : 'answer';
  const where = gate === path ? '' : `${gate}: `;
  const about = inDoubt.get(gate);
  const doubt = about === undefined ? '' : `, about ${doubtWords(about)}`;
  const detail = `${where}${valueWords(value)}${doubt}`;
  const entry = { at, who, what, node, path, detail } as const;
  return about === undefined ? entry : { ...entry, inDoubt: about };
}

/** The same call once more, by what the tool declares of itself. */
function requested(
  event: Extract<RunEvent, { type: 'effect:requested' }>,
  { isRetry }: { readonly isRetry: boolean },
): AuditEntry[] {
  const { at, node, path, effect, attempt, grant } = event;
  const entries: AuditEntry[] = [];
  if (grant !== undefined) {
    const detail = `${effect.target}: by what was granted at ${grant.gate}`;
    entries.push({ at, who: grant.by, what: 'approve', node, path, detail });
  }
  if (isRetry) {
    const detail = `attempt ${attempt + 1} of the same call, to ${effect.target}`;
    entries.push({ at, who: ENGINE, what: 'retry', node, path, detail });
  }
  return entries;
}

const DENIALS: ReadonlySet<string> = new Set([
  'tool.denied',
  'tool.forbidden',
  'agent.permission_denied',
]);

/** What was kept from happening. That a person said so is told by the answer. */
function denied(
  event: Extract<RunEvent, { type: 'effect:failed' | 'node:failed' }>,
): readonly AuditEntry[] {
  const { at, node, path, error } = event;
  // a call fails as an effect first; what a node writes by itself is refused without one
  const isOwn = event.type === 'effect:failed' || error.kind === 'agent.permission_denied';
  if (!isOwn || !DENIALS.has(error.kind) || error.details?.['by'] === 'person') return [];
  const target = event.type === 'effect:failed' ? `${event.effect.target}: ` : '';
  const { host } = error.details ?? {};
  const asked = typeof host === 'string' ? ` (${host})` : '';
  const detail = `${target}${error.kind}: ${error.message}${asked}`;
  return [{ at, who: ENGINE, what: 'deny', node, path, detail }];
}

function resumed(
  { at, by: who, from, now, input }: Resumed & { readonly at: string },
  { withAnswer }: { readonly withAnswer: boolean },
): AuditEntry[] {
  const replaced = Object.keys(input ?? {});
  const changes = [
    ...(replaced.length === 0 ? [] : [`with another ${replaced.join(', ')}`]),
    ...(now === true ? ['cutting waits short'] : []),
  ];
  if (from !== undefined) {
    const detail = ['ran it and what follows it again', ...changes].join(', ');
    return [{ at, who, what: 'retry', path: from, detail }];
  }
  // it is told by the answer
  if (withAnswer && changes.length === 0) return [];
  return [{ at, who, what: 'resume', detail: ['went on with the run', ...changes].join(', ') }];
}

function drifted({ at, by: who, drift }: Resumed & { readonly at: string }): AuditEntry[] {
  if (drift === undefined) return [];
  const { kept, changed } = drift;
  const parts = [
    ...(kept.length === 0 ? [] : [`kept the results of ${kept.join(', ')}, which have changed`]),
    ...(changed.length === 0 ? [] : [`took over ${changed.join(', ')} as changed`]),
  ];
  const detail = parts.length === 0 ? 'took over a changed file' : parts.join('; ');
  return [{ at, who, what: 'drift', detail }];
}

function isApproval(options: readonly JsonValue[]): boolean {
  return options.length === 2 && options.includes('approve') && options.includes('deny');
}

function verdict(value: JsonValue): 'approve' | 'deny' {
  const chosen = isPlainObject(value) && 'selected' in value ? value['selected'] : value;
  return isGiven(chosen ?? null) ? 'approve' : 'deny';
}

function valueWords(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= MAX_VALUE_CHARS ? text : `${text.slice(0, MAX_VALUE_CHARS)}…`;
}
