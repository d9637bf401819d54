/** Audit trail of a run: who did what, whenever a person or Errand itself changed its course. */
import { textOrJson, isPlainObject, type JsonValue } from '../errors/support/safe-json.ts';
import { durationWords } from '../errors/render/report-words.ts';
import { unknownOutcomeWords, type InDoubt } from '../machine/policy/unknown-outcome-details.ts';
import type { Resumed, RunEvent } from '../machine/state/events.ts';
import { isApproval as isGiven } from '../machine/policy/approval-grants.ts';

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
  /** As recorded: `cli:USER`, `library`, a name from an application, or `errand` itself. */
  readonly who: string;
  readonly what: (typeof AUDITED)[number];
  readonly node?: string;
  readonly path?: string;
  readonly detail: string;
  /** For an answer about an unknown outcome: the effect in question. */
  readonly inDoubt?: InDoubt;
}

const ENGINE = 'errand';
const MAX_VALUE_CHARS = 200;

export function auditTrail(events: Iterable<RunEvent>): readonly AuditEntry[] {
  const all = [...events];
  const seen: Seen = { approvals: new Set(), failed: new Set(), inDoubt: new Map() };
  return all.flatMap((event, at) => {
    if (event.type === 'gate:opened' && isApproval(event.options)) seen.approvals.add(event.gate);
    if (event.type === 'gate:opened') noteUnknownOutcome(event, seen);
    noteCall(event, seen);
    if (event.type !== 'run:resumed') return entriesOf(event, seen);
    return [...resumed(event, { withAnswer: isForAnswer(event, all, at) }), ...drifted(event)];
  });
}

interface Seen {
  /** Gates that approve tool calls. */
  readonly approvals: Set<string>;
  /** Keys of failed calls of tools and functions, until the node or the run runs again. */
  readonly failed: Set<string>;
  /** Effects with an unknown outcome, by the gate that asks about them. */
  readonly inDoubt: Map<string, InDoubt>;
}

function noteUnknownOutcome(
  { gate, inDoubt: about }: Extract<RunEvent, { type: 'gate:opened' }>,
  { inDoubt }: Seen,
): void {
  if (about === undefined) inDoubt.delete(gate);
  else inDoubt.set(gate, about);
}

/**
 * A retry of the node or a resume has its own entry, so the calls after it do not count as retries.
 */
function noteCall(event: RunEvent, { failed }: Seen): void {
  if (event.type === 'run:resumed' || event.type === 'node:retrying') failed.clear();
  if (event.type !== 'effect:failed') return;
  const { type, key } = event.effect;
  const isCall = type === 'tool' || type === 'call';
  if (isCall && !DENIALS.has(event.error.kind)) failed.add(key);
}

/** Whether a resume only brings an answer; failures of lost effects may come between the two. */
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
      return [{ at: event.at, who: event.by, what: 'cancel', detail: cancelWords(event.reason) }];
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

function cancelWords(reason: string | undefined): string {
  return reason === undefined ? 'ended the run' : `ended the run: ${reason}`;
}

function answered(
  { at, by: who, node, path, gate, value }: Extract<RunEvent, { type: 'gate:answered' }>,
  { approvals, inDoubt }: Seen,
): AuditEntry {
  const what = approvals.has(gate) ? approvalOrDenial(value) : 'answer';
  const where = gate === path ? '' : `${gate}: `;
  const about = inDoubt.get(gate);
  const aboutWords = about === undefined ? '' : `, about ${unknownOutcomeWords(about)}`;
  const detail = `${where}${valueWords(value)}${aboutWords}`;
  const entry = { at, who, what, node, path, detail } as const;
  return about === undefined ? entry : { ...entry, inDoubt: about };
}

/** A request by an earlier grant, or a retry by the tool's own policy. */
function requested(
  event: Extract<RunEvent, { type: 'effect:requested' }>,
  { isRetry }: { readonly isRetry: boolean },
): AuditEntry[] {
  const { at, node, path, effect, attempt, grant } = event;
  const entries: AuditEntry[] = [];
  if (grant !== undefined) {
    const detail = `${effect.target}: granted earlier at ${grant.gate}`;
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

/** A denied call. A denial by a person already has the entry of its answer. */
function denied(
  event: Extract<RunEvent, { type: 'effect:failed' | 'node:failed' }>,
): readonly AuditEntry[] {
  const { at, node, path, error } = event;
  // a call fails as an effect first; a forbidden write has no effect
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
  // the answer has its own entry
  if (withAnswer && changes.length === 0) return [];
  return [{ at, who, what: 'resume', detail: ['resumed the run', ...changes].join(', ') }];
}

function drifted({ at, by: who, drift }: Resumed & { readonly at: string }): AuditEntry[] {
  if (drift === undefined) return [];
  const { kept, changed, modules = [] } = drift;
  const parts = [
    ...(kept.length === 0 ? [] : [`kept the results of ${kept.join(', ')}, which have changed`]),
    ...(changed.length === 0 ? [] : [`adopted the changes of ${changed.join(', ')}`]),
    ...(modules.length === 0
      ? []
      : [`adopted the changed module${modules.length === 1 ? '' : 's'} ${modules.join(', ')}`]),
  ];
  const detail = parts.length === 0 ? 'adopted a changed file' : parts.join('; ');
  return [{ at, who, what: 'drift', detail }];
}

function isApproval(options: readonly JsonValue[]): boolean {
  return options.length === 2 && options.includes('approve') && options.includes('deny');
}

function approvalOrDenial(value: JsonValue): 'approve' | 'deny' {
  const chosen = isPlainObject(value) && 'selected' in value ? value['selected'] : value;
  return isGiven(chosen ?? null) ? 'approve' : 'deny';
}

function valueWords(value: JsonValue): string {
  const text = textOrJson(value);
  return text.length <= MAX_VALUE_CHARS ? text : `${text.slice(0, MAX_VALUE_CHARS)}…`;
}
