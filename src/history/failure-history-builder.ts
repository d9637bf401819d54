/** Builds failure histories from the events of a run. */
import { matchesKind } from '../errors/catalog/kinds.ts';
import type { ErrorReport } from '../errors/report/report.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';
import type { RunEvent } from '../machine/state/events.ts';
import type { FailureHistory, FailureStep } from './failure-history.ts';
import {
  isSameFailure,
  isSameEffect,
  newHistoryEntry,
  noteAskedAgain,
  noteEnded,
  noteFailed,
  type HistoryEnd,
  type FailureHistoryEntry,
  type Origin,
} from './failure-history-entry.ts';
import { nodeAtPath } from './node-at-path.ts';
import { isInside } from './run-view/steps.ts';
import { isRouted, skippedRoutes, type SkippedRoute } from './skipped-routes.ts';
import { scopeIdOf } from '../machine/state/plan-lookup.ts';
import { branchId } from '../machine/state/scopes.ts';
import { OpenFailures } from './open-failures.ts';

type NodeEvent = Extract<RunEvent, { path: string }>;
type EffectEvent = Extract<RunEvent, { type: `effect:${string}` }>;

export class FailureHistoryBuilder {
  #plan: WorkflowPlan;
  #hasPeople = true;
  readonly entries: FailureHistoryEntry[] = [];
  readonly #openFailures = new OpenFailures();
  /** The group of each branch. */
  readonly #groups = new Map<string, string>();
  /** Nodes that contain others. */
  readonly #containers = new Set<string>();
  readonly #uses = new Map<string, Map<string, number>>();

  constructor(plan: WorkflowPlan) {
    this.#plan = plan;
  }

  add(event: RunEvent): void {
    switch (event.type) {
      case 'run:started':
        this.#hasPeople = event.gates !== false;
        return;
      case 'run:resumed':
        this.#plan = event.plan ?? this.#plan;
        this.#hasPeople = event.gates !== false;
        return;
      case 'run:failed':
        return this.#runFailed(event.error, event.at);
      case 'run:cancelled':
        return this.#endAll('cancelled', 'the run was cancelled', event.at);
      case 'run:completed':
        return this.#endAll('handled', 'the run completed without it', event.at);
      case 'error:suppressed':
        if (event.isWarning === true) return;
        return this.#suppressed(event.error, event.reason, event.at);
      case 'run:paused':
      case 'breaker:changed':
      case 'budget:warning':
      case 'budget:paused':
        return;
      default:
        this.#inNode(event);
    }
  }

  #inNode(event: NodeEvent): void {
    const { at, path } = event;
    switch (event.type) {
      case 'node:started':
        if (event.attempt === 0) this.#uses.delete(path);
        if (event.members !== undefined) this.#containers.add(path);
        for (const key of event.members?.keys ?? []) this.#groups.set(branchId(path, key), path);
        return;
      case 'child:started':
        this.#containers.add(path);
        return;
      case 'effect:failed':
      case 'effect:requested':
      case 'effect:succeeded':
        return this.#effect(event);
      case 'node:failed':
        return this.#nodeFailed(event.error, event);
      case 'node:retrying':
        return this.#note({
          type: 'retrying',
          at,
          path,
          attempt: event.attempt,
          delayMs: event.delayMs,
        });
      case 'route:taken':
        return this.#routed(event);
      case 'node:completed':
        return this.#completed(path, at);
      case 'node:skipped':
        return this.#endOpen(path, { status: 'handled', how: `skipped: ${event.reason}` }, at);
      case 'gate:opened': {
        const { gate, options } = event;
        return this.#note({ type: 'asked', at, path, gate, options });
      }
      case 'gate:answered': {
        const { gate, value, by } = event;
        return this.#note({ type: 'answered', at, path, gate, value, by });
      }
      case 'gate:expired':
        return this.#note({ type: 'expired', at, path, gate: event.gate });
      case 'child:ended':
        return;
    }
  }

  /** Adds a step to the failure that the node at its path waits with. */
  #note(step: FailureStep & { readonly path: string }): void {
    this.#openFailures.failedAt(step.path)?.steps.push(step);
  }

  #effect(event: EffectEvent): void {
    const { at, path, effect } = event;
    const open = this.#openFailures.openAt(path);
    const entry = open.find((each) => isSameEffect(each, effect));
    if (event.type === 'effect:failed') {
      // an effect that was stopped from outside is not a failure of its own
      if (matchesKind(event.error.kind, 'cancelled.*')) return;
      const { type, target } = effect;
      const { costUsdMicros } = event;
      const { provider } = event.error;
      const source = { type, target, ...(provider === undefined ? {} : { provider }) };
      const known = entry ?? this.#begin(event.error, { source, key: effect.key, ...event });
      const cost = costUsdMicros === undefined ? {} : { costUsdMicros };
      noteFailed(known, event.error, { layer: 'effect', at, path, target, ...cost });
      return;
    }
    if (event.type === 'effect:requested') {
      if (effect.type === 'model') this.#shownToModel(open, at);
      if (entry !== undefined) noteAskedAgain(entry, event);
      return;
    }
    if (entry !== undefined && entry.failedNode === undefined)
      this.#end(entry, { status: 'handled', how: `${effect.target} answered` }, at);
  }

  /** Failed tools of an agent are handled once its model sees them. */
  #shownToModel(open: readonly FailureHistoryEntry[], at: string): void {
    const shown = open.filter(
      ({ source, failedNode }) => source.type === 'tool' && failedNode === undefined,
    );
    for (const entry of shown)
      this.#end(entry, { status: 'handled', how: 'shown to the model, which continued' }, at);
  }

  #nodeFailed(error: ErrorReport, { at, path, node }: NodeEvent): void {
    const open = this.#openFailures.openAt(path);
    const propagating = this.#openFailures.propagatingTo(path);
    const isThis = (entry: FailureHistoryEntry): boolean => isSameFailure(entry, error);
    const propagated = error.class === 'group' ? undefined : propagating.find(isThis);
    const entry =
      open.find(isThis) ??
      open.at(-1) ??
      propagated ??
      this.#begin(error, { source: { type: 'node' }, path, node, at });
    if (entry === propagated) this.#openFailures.open(entry, path);
    else if (propagated !== undefined) this.#merge(propagated, entry);
    noteFailed(entry, error, { layer: 'node', at, path });
    entry.failedNode = path;
    for (const other of this.#openFailures.openAt(path))
      if (other !== entry) this.#end(other, { status: 'handled', how: 'the node failed' }, at);
    const isGroup = error.class === 'group';
    for (const other of this.#openFailures.propagatingTo(path)) {
      other.joined = isGroup ? error.id : other.joined;
      const status = isGroup ? 'joined' : 'cancelled';
      this.#end(other, { status, how: `part of the failure of ${path}` }, at);
    }
  }

  /** A failure inside a node that is retried belongs to the history of that node's failure. */
  #merge(inner: FailureHistoryEntry, outer: FailureHistoryEntry): void {
    outer.steps.push(...inner.steps);
    this.#openFailures.close(inner);
    this.entries.splice(this.entries.indexOf(inner), 1);
  }

  #routed(event: Extract<RunEvent, { type: 'route:taken' }>): void {
    const { at, path, node, bucket, rule, move, to, until, kind } = event;
    if (bucket === 'success') return;
    const entry = this.#openFailures.failedAt(path);
    if (entry !== undefined) {
      const taken = { kind: kind ?? entry.error.kind, bucket, move };
      entry.steps.push({
        type: 'route',
        at,
        path,
        bucket,
        move,
        ...(rule === undefined ? {} : { rule }),
        ...(to === undefined ? {} : { to }),
        ...(until === undefined ? {} : { until }),
        passed: this.#passed(entry, path, rule === undefined ? taken : { ...taken, rule }),
      });
      if (move === 'to')
        this.#end(entry, { status: 'handled', how: `continued at ${to ?? ''}` }, at);
      if (move === 'propagate') this.#openFailures.propagate(entry, this.#around(path, node));
    }
    if (rule !== undefined) this.#count(path, `${bucket}:${rule}`);
  }

  #passed(
    { error, steps }: FailureHistoryEntry,
    path: string,
    taken: Parameters<typeof skippedRoutes>[1],
  ): readonly SkippedRoute[] {
    const found = nodeAtPath(this.#plan, path);
    if (found === undefined || !isRouted(error)) return [];
    const uses = this.#uses.get(path);
    const last = steps.findLast(({ type }) => type === 'answered' || type === 'failed');
    return skippedRoutes(found, taken, {
      isAborted: last?.type === 'answered' && last.value === 'abort',
      hasPeople: this.#hasPeople,
      uses: (bucket, rule) => uses?.get(`${bucket}:${rule}`) ?? 0,
    });
  }

  #completed(path: string, at: string): void {
    const last = this.#openFailures.failedAt(path)?.steps.at(-1)?.type;
    const how = last === 'answered' ? 'a person settled it' : 'the next attempt succeeded';
    this.#endOpen(path, { status: 'handled', how }, at);
    if (!this.#containers.has(path)) return;
    for (const entry of this.#openFailures.propagatingTo(path))
      this.#end(entry, { status: 'handled', how: `${path} continued without it` }, at);
    for (const entry of this.#openFailures.all()) {
      const inner = entry.failedNode ?? entry.path;
      if (inner !== undefined && isInside(path, inner))
        this.#end(entry, { status: 'cancelled', how: `${path} ended without it` }, at);
    }
  }

  #runFailed(error: ErrorReport, at: string): void {
    const found = this.#openFailures.all().find((entry) => isSameFailure(entry, error));
    const entry =
      found ?? this.#begin(error, { source: { type: 'run' }, at, ...locationOf(error) });
    const last = entry.steps.at(-1);
    // the default at the top has no event of its own: the run just fails; a limit uses no route
    const isSame = entry.error.id === error.id;
    if (entry.failedNode !== undefined && last?.type === 'failed' && isSame) {
      const taken = { kind: entry.error.kind, bucket: 'default', move: 'propagate' } as const;
      const passed = this.#passed(entry, entry.failedNode, taken);
      entry.steps.push({ type: 'route', at, path: entry.failedNode, ...taken, passed });
    }
    if (!entry.ids.has(error.id) || last === undefined)
      noteFailed(entry, error, { layer: 'run', at });
    entry.error = error;
    this.#end(entry, { status: 'failed', how: 'the run failed' }, at);
    this.#endAll('cancelled', 'the run failed', at);
  }

  #suppressed(error: ErrorReport, reason: string, at: string): void {
    const known = this.#openFailures.all().find(({ ids }) => ids.has(error.id));
    const entry =
      known ?? this.#begin(error, { source: { type: 'run' }, at, ...locationOf(error) });
    entry.steps.push({ type: 'suppressed', at, reason });
    if (known === undefined) this.#end(entry, { status: 'handled', how: reason }, at);
  }

  #begin(error: ErrorReport, origin: Origin): FailureHistoryEntry {
    const entry = newHistoryEntry(error, origin);
    this.entries.push(entry);
    this.#openFailures.open(entry, origin.path ?? '');
    return entry;
  }

  #end(entry: FailureHistoryEntry, ending: HistoryEnd, at: string): void {
    noteEnded(entry, ending, at);
    this.#openFailures.close(entry);
  }

  #endOpen(path: string, ending: HistoryEnd, at: string): void {
    for (const entry of this.#openFailures.openAt(path)) this.#end(entry, ending, at);
  }

  #endAll(status: FailureHistory['status'], how: string, at: string): void {
    for (const entry of this.#openFailures.all()) this.#end(entry, { status, how }, at);
  }

  /** The node that contains this one; empty for the run. */
  #around(path: string, node: string): string {
    const scope = scopeIdOf(path, node);
    return this.#groups.get(scope) ?? scope;
  }

  #count(path: string, route: string): void {
    const uses = this.#uses.get(path) ?? new Map<string, number>();
    uses.set(route, (uses.get(route) ?? 0) + 1);
    this.#uses.set(path, uses);
  }
}

function locationOf({ location = {} }: ErrorReport): {
  readonly node?: string;
  readonly path?: string;
} {
  const { node, path } = location;
  return { ...(node === undefined ? {} : { node }), ...(path === undefined ? {} : { path }) };
}
