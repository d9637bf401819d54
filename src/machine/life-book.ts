/** Writes the lives of failures as the events of a run go by. */
import { matchesKind } from '../errors/kinds.ts';
import type { ErrorReport } from '../errors/report.ts';
import type { WorkflowPlan } from '../workflow/model.ts';
import type { RunEvent } from './events.ts';
import type { FailureLife } from './failure-life.ts';
import {
  isOf,
  isSameEffect,
  newLife,
  noteAskedAgain,
  noteEnded,
  noteFailed,
  type Ending,
  type Life,
  type Origin,
} from './life.ts';
import { nodeAtPath } from './node-at-path.ts';
import { isRouted, passedRoutes, type PassedRoute } from './passed-routes.ts';
import { scopeIdOf } from './plan-lookup.ts';
import { branchId } from './scopes.ts';
import { UnfinishedLives } from './unfinished-lives.ts';

type NodeEvent = Extract<RunEvent, { path: string }>;
type EffectEvent = Extract<RunEvent, { type: `effect:${string}` }>;

export class LifeBook {
  #plan: WorkflowPlan;
  #hasPeople = true;
  readonly lives: Life[] = [];
  readonly #unfinished = new UnfinishedLives();
  /** The group of each branch. */
  readonly #groups = new Map<string, string>();
  /** Nodes with something inside. */
  readonly #containers = new Set<string>();
  readonly #uses = new Map<string, Map<string, number>>();

  constructor(plan: WorkflowPlan) {
    this.#plan = plan;
  }

  note(event: RunEvent): void {
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
        this.#unfinished.failedAt(path)?.steps.push({
          type: 'retrying',
          at,
          path,
          attempt: event.attempt,
          delayMs: event.delayMs,
        });
        return;
      case 'route:taken':
        return this.#routed(event);
      case 'node:completed':
        return this.#completed(path, at);
      case 'node:skipped':
        return this.#endOpen(path, { status: 'handled', how: `skipped: ${event.reason}` }, at);
      case 'gate:opened': {
        const { gate, options } = event;
        this.#unfinished.failedAt(path)?.steps.push({ type: 'asked', at, path, gate, options });
        return;
      }
      case 'gate:answered': {
        const { gate, value, by } = event;
        this.#unfinished
          .failedAt(path)
          ?.steps.push({ type: 'answered', at, path, gate, value, by });
        return;
      }
      case 'gate:expired':
        this.#unfinished
          .failedAt(path)
          ?.steps.push({ type: 'expired', at, path, gate: event.gate });
        return;
      case 'child:ended':
        return;
    }
  }

  #effect(event: EffectEvent): void {
    const { at, path, effect } = event;
    const open = this.#unfinished.openAt(path);
    const life = open.find((each) => isSameEffect(each, effect));
    if (event.type === 'effect:failed') {
      // what was stopped from outside is no trouble of its own
      if (matchesKind(event.error.kind, 'cancelled.*')) return;
      const { type, target } = effect;
      const { costUsdMicros } = event;
      const { provider } = event.error;
      const source = { type, target, ...(provider === undefined ? {} : { provider }) };
      const known = life ?? this.#begin(event.error, { source, key: effect.key, ...event });
      const cost = costUsdMicros === undefined ? {} : { costUsdMicros };
      noteFailed(known, event.error, { layer: 'effect', at, path, target, ...cost });
      return;
    }
    if (event.type === 'effect:requested') {
      if (effect.type === 'model') this.#toldToModel(open, at);
      if (life !== undefined) noteAskedAgain(life, event);
      return;
    }
    if (life !== undefined && life.failedNode === undefined)
      this.#end(life, { status: 'handled', how: `${effect.target} answered` }, at);
  }

  /** The tools that failed for an agent are shown to its model, which goes on. */
  #toldToModel(open: readonly Life[], at: string): void {
    const told = open.filter(
      ({ source, failedNode }) => source.type === 'tool' && failedNode === undefined,
    );
    for (const life of told)
      this.#end(life, { status: 'handled', how: 'shown to the model, which went on' }, at);
  }

  #nodeFailed(error: ErrorReport, { at, path, node }: NodeEvent): void {
    const open = this.#unfinished.openAt(path);
    const rising = this.#unfinished.risingTo(path);
    const isIt = (life: Life): boolean => isOf(life, error);
    const risen = error.class === 'group' ? undefined : rising.find(isIt);
    const life =
      open.find(isIt) ??
      open.at(-1) ??
      risen ??
      this.#begin(error, { source: { type: 'node' }, path, node, at });
    if (life === risen) this.#unfinished.open(life, path);
    else if (risen !== undefined) this.#merge(risen, life);
    noteFailed(life, error, { layer: 'node', at, path });
    life.failedNode = path;
    for (const other of this.#unfinished.openAt(path))
      if (other !== life) this.#end(other, { status: 'handled', how: 'the node failed' }, at);
    const isGroup = error.class === 'group';
    for (const other of this.#unfinished.risingTo(path)) {
      other.joined = isGroup ? error.id : other.joined;
      const status = isGroup ? 'joined' : 'cancelled';
      this.#end(other, { status, how: `part of the failure of ${path}` }, at);
    }
  }

  /** What went wrong inside a node that is tried again belongs to the trouble of that node. */
  #merge(inner: Life, outer: Life): void {
    outer.steps.push(...inner.steps);
    this.#unfinished.leave(inner);
    this.lives.splice(this.lives.indexOf(inner), 1);
  }

  #routed(event: Extract<RunEvent, { type: 'route:taken' }>): void {
    const { at, path, node, bucket, rule, move, to, until, kind } = event;
    if (bucket === 'success') return;
    const life = this.#unfinished.failedAt(path);
    if (life !== undefined) {
      const taken = { kind: kind ?? life.error.kind, bucket, move };
      life.steps.push({
        type: 'route',
        at,
        path,
        bucket,
        move,
        ...(rule === undefined ? {} : { rule }),
        ...(to === undefined ? {} : { to }),
        ...(until === undefined ? {} : { until }),
        passed: this.#passed(life, path, rule === undefined ? taken : { ...taken, rule }),
      });
      if (move === 'to') this.#end(life, { status: 'handled', how: `went on at ${to ?? ''}` }, at);
      if (move === 'propagate') this.#unfinished.rise(life, this.#around(path, node));
    }
    if (rule !== undefined) this.#count(path, `${bucket}:${rule}`);
  }

  #passed(
    { error, steps }: Life,
    path: string,
    taken: Parameters<typeof passedRoutes>[1],
  ): readonly PassedRoute[] {
    const place = nodeAtPath(this.#plan, path);
    if (place === undefined || !isRouted(error)) return [];
    const uses = this.#uses.get(path);
    const last = steps.findLast(({ type }) => type === 'answered' || type === 'failed');
    return passedRoutes(place, taken, {
      isAborted: last?.type === 'answered' && last.value === 'abort',
      hasPeople: this.#hasPeople,
      uses: (bucket, rule) => uses?.get(`${bucket}:${rule}`) ?? 0,
    });
  }

  #completed(path: string, at: string): void {
    const last = this.#unfinished.failedAt(path)?.steps.at(-1)?.type;
    const how = last === 'answered' ? 'a person settled it' : 'the next try succeeded';
    this.#endOpen(path, { status: 'handled', how }, at);
    if (!this.#containers.has(path)) return;
    for (const life of this.#unfinished.risingTo(path))
      this.#end(life, { status: 'handled', how: `${path} went on without it` }, at);
    for (const life of this.#unfinished.all())
      if (isInside(life.failedNode ?? life.path, path))
        this.#end(life, { status: 'cancelled', how: `${path} ended without it` }, at);
  }

  #runFailed(error: ErrorReport, at: string): void {
    const found = this.#unfinished.all().find((life) => isOf(life, error));
    const life = found ?? this.#begin(error, { source: { type: 'run' }, at, ...placeOf(error) });
    const last = life.steps.at(-1);
    // at the top there is no event for the default: the run simply fails; a limit asks no route
    const isSame = life.error.id === error.id;
    if (life.failedNode !== undefined && last?.type === 'failed' && isSame) {
      const taken = { kind: life.error.kind, bucket: 'default', move: 'propagate' } as const;
      const passed = this.#passed(life, life.failedNode, taken);
      life.steps.push({ type: 'route', at, path: life.failedNode, ...taken, passed });
    }
    if (!life.ids.has(error.id) || last === undefined)
      noteFailed(life, error, { layer: 'run', at });
    life.error = error;
    this.#end(life, { status: 'failed', how: 'the run failed' }, at);
    this.#endAll('cancelled', 'the run failed', at);
  }

  #suppressed(error: ErrorReport, reason: string, at: string): void {
    const known = this.#unfinished.all().find(({ ids }) => ids.has(error.id));
    const life = known ?? this.#begin(error, { source: { type: 'run' }, at, ...placeOf(error) });
    life.steps.push({ type: 'suppressed', at, reason });
    if (known === undefined) this.#end(life, { status: 'handled', how: reason }, at);
  }

  #begin(error: ErrorReport, origin: Origin): Life {
    const life = newLife(error, origin);
    this.lives.push(life);
    this.#unfinished.open(life, origin.path ?? '');
    return life;
  }

  #end(life: Life, ending: Ending, at: string): void {
    noteEnded(life, ending, at);
    this.#unfinished.leave(life);
  }

  #endOpen(path: string, ending: Ending, at: string): void {
    for (const life of this.#unfinished.openAt(path)) this.#end(life, ending, at);
  }

  #endAll(status: FailureLife['status'], how: string, at: string): void {
    for (const life of this.#unfinished.all()) this.#end(life, { status, how }, at);
  }

  /** The node that runs what this one is in; empty for the run. */
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

function isInside(path: string | undefined, around: string): boolean {
  return path !== undefined && (path.startsWith(`${around}[`) || path.startsWith(`${around}/`));
}

function placeOf({ location = {} }: ErrorReport): {
  readonly node?: string;
  readonly path?: string;
} {
  const { node, path } = location;
  return { ...(node === undefined ? {} : { node }), ...(path === undefined ? {} : { path }) };
}
