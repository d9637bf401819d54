/**
 * Writes the lives of failures as the events of a run go by. A life is open at the path that it is at;
 * one that no route of its node took is rising, and waits for the fate of what is around it.
 */
import { matchesKind } from '../errors/kinds.ts';
import { forPerson } from '../errors/project.ts';
import { causesOf } from '../errors/render/words.ts';
import type { ErrorReport } from '../errors/report.ts';
import type { WorkflowPlan } from '../workflow/model.ts';
import type { RunEvent } from './events.ts';
import type { FailureLife, LifeStep } from './failure-life.ts';
import { nodeAtPath } from './node-at-path.ts';
import { isRouted, passedRoutes, type PassedRoute } from './passed-routes.ts';
import { scopeIdOf } from './plan-lookup.ts';

type NodeEvent = Extract<RunEvent, { path: string }>;
type EffectEvent = Extract<RunEvent, { type: `effect:${string}` }>;
type Source = FailureLife['source'];

/** A life as it is being written. */
export interface Life {
  readonly path: string | undefined;
  readonly node: string | undefined;
  readonly startedAt: string;
  readonly source: Source;
  readonly key: string | undefined;
  readonly ids: Set<string>;
  readonly steps: LifeStep[];
  status: FailureLife['status'];
  endedAt: string | undefined;
  joined: string | undefined;
  error: ErrorReport;
  /** The node whose failure it is now; undefined while only an effect has failed. */
  failedNode: string | undefined;
  /** Where it is kept while it is not over. */
  place: { readonly among: Map<string, Set<Life>>; readonly path: string } | undefined;
}

export class LifeBook {
  #plan: WorkflowPlan;
  #hasPeople = true;
  readonly lives: Life[] = [];
  /** Not over yet, by the path that they are at. */
  readonly #open = new Map<string, Set<Life>>();
  /** Went past every route of their node, by the path of the node around it; empty for the run. */
  readonly #rising = new Map<string, Set<Life>>();
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
        for (const key of event.members?.keys ?? []) this.#groups.set(`${path}[${key}]`, path);
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
        this.#failedAt(path)?.steps.push({
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
        this.#failedAt(path)?.steps.push({ type: 'asked', at, path, gate, options });
        return;
      }
      case 'gate:answered': {
        const { gate, value, by } = event;
        this.#failedAt(path)?.steps.push({ type: 'answered', at, path, gate, value, by });
        return;
      }
      case 'gate:expired':
        this.#failedAt(path)?.steps.push({ type: 'expired', at, path, gate: event.gate });
        return;
      case 'child:ended':
        return;
    }
  }

  #effect(event: EffectEvent): void {
    const { at, path, effect } = event;
    const open = [...(this.#open.get(path) ?? [])];
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
      this.#fail(known, event.error, { layer: 'effect', at, path, target, ...cost });
      return;
    }
    if (event.type === 'effect:requested') {
      if (effect.type === 'model') this.#toldToModel(open, at);
      if (life !== undefined) askedAgain(life, event);
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
    const ids = idsOf(error);
    const open = [...(this.#open.get(path) ?? [])];
    const rising = [...(this.#rising.get(path) ?? [])];
    const isIt = (life: Life): boolean => ids.some((id) => life.ids.has(id));
    const risen = error.class === 'group' ? undefined : rising.find(isIt);
    const life =
      open.find(isIt) ??
      open.at(-1) ??
      risen ??
      this.#begin(error, { source: { type: 'node' }, path, node, at });
    if (life === risen) this.#move(life, path);
    else if (risen !== undefined) this.#merge(risen, life);
    this.#fail(life, error, { layer: 'node', at, path });
    life.failedNode = path;
    for (const other of this.#open.get(path) ?? [])
      if (other !== life) this.#end(other, { status: 'handled', how: 'the node failed' }, at);
    const isGroup = error.class === 'group';
    for (const other of this.#rising.get(path) ?? []) {
      other.joined = isGroup ? error.id : other.joined;
      const status = isGroup ? 'joined' : 'cancelled';
      this.#end(other, { status, how: `part of the failure of ${path}` }, at);
    }
  }

  /** What went wrong inside a node that is tried again belongs to the trouble of that node. */
  #merge(inner: Life, outer: Life): void {
    outer.steps.push(...inner.steps);
    leave(inner);
    this.lives.splice(this.lives.indexOf(inner), 1);
  }

  #routed(event: Extract<RunEvent, { type: 'route:taken' }>): void {
    const { at, path, node, bucket, rule, move, to, until, kind } = event;
    if (bucket === 'success') return;
    const life = this.#failedAt(path);
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
      if (move === 'propagate') this.#move(life, this.#around(path, node), this.#rising);
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
    const last = this.#failedAt(path)?.steps.at(-1)?.type;
    const how = last === 'answered' ? 'a person settled it' : 'the next try succeeded';
    this.#endOpen(path, { status: 'handled', how }, at);
    if (!this.#containers.has(path)) return;
    for (const life of this.#rising.get(path) ?? [])
      this.#end(life, { status: 'handled', how: `${path} went on without it` }, at);
    for (const life of this.#unfinished())
      if (isInside(life.failedNode ?? life.path, path))
        this.#end(life, { status: 'cancelled', how: `${path} ended without it` }, at);
  }

  #runFailed(error: ErrorReport, at: string): void {
    const ids = idsOf(error);
    const found = this.#unfinished().find((life) => ids.some((id) => life.ids.has(id)));
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
      this.#fail(life, error, { layer: 'run', at });
    life.error = error;
    this.#end(life, { status: 'failed', how: 'the run failed' }, at);
    this.#endAll('cancelled', 'the run failed', at);
  }

  #suppressed(error: ErrorReport, reason: string, at: string): void {
    const known = this.#unfinished().find(({ ids }) => ids.has(error.id));
    const life = known ?? this.#begin(error, { source: { type: 'run' }, at, ...placeOf(error) });
    life.steps.push({ type: 'suppressed', at, reason });
    if (known === undefined) this.#end(life, { status: 'handled', how: reason }, at);
  }

  #begin(
    error: ErrorReport,
    from: {
      readonly source: Source;
      readonly at: string;
      readonly key?: string;
      readonly path?: string;
      readonly node?: string;
    },
  ): Life {
    const { source, at, key, path, node } = from;
    const life: Life = {
      path,
      node,
      startedAt: at,
      source,
      key,
      ids: new Set(idsOf(error)),
      steps: [],
      status: 'open',
      endedAt: undefined,
      joined: undefined,
      error,
      failedNode: undefined,
      place: undefined,
    };
    this.lives.push(life);
    this.#move(life, path ?? '');
    return life;
  }

  #fail(
    life: Life,
    error: ErrorReport,
    where: Pick<
      Extract<LifeStep, { type: 'failed' }>,
      'layer' | 'at' | 'path' | 'target' | 'costUsdMicros'
    >,
  ): void {
    const { id, kind, message, outcome, rule } = forPerson(error);
    life.error = error;
    life.ids.add(id);
    const why = rule === undefined ? {} : { rule };
    life.steps.push({ type: 'failed', ...where, id, kind, message, outcome, ...why });
  }

  #end(life: Life, { status, how }: Ending, at: string): void {
    life.status = status;
    life.endedAt = at;
    life.steps.push({ type: 'ended', at, how });
    leave(life);
  }

  #endOpen(path: string, ending: Ending, at: string): void {
    for (const life of this.#open.get(path) ?? []) this.#end(life, ending, at);
  }

  #endAll(status: FailureLife['status'], how: string, at: string): void {
    for (const life of this.#unfinished()) this.#end(life, { status, how }, at);
  }

  #unfinished(): readonly Life[] {
    return [...this.#open.values(), ...this.#rising.values()].flatMap((lives) => [...lives]);
  }

  #move(life: Life, path: string, among: Map<string, Set<Life>> = this.#open): void {
    leave(life);
    const there = among.get(path) ?? new Set();
    among.set(path, there.add(life));
    life.place = { among, path };
  }

  #failedAt(path: string): Life | undefined {
    return [...(this.#open.get(path) ?? [])].find(({ failedNode }) => failedNode === path);
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

function leave(life: Life): void {
  if (life.place === undefined) return;
  const { among, path } = life.place;
  const there = among.get(path);
  there?.delete(life);
  if (there?.size === 0) among.delete(path);
  life.place = undefined;
}

interface Ending {
  readonly status: FailureLife['status'];
  readonly how: string;
}

/** The models of a chain are one effort; a node that is tried again goes on with its own trouble. */
function isSameEffect({ source, key, failedNode }: Life, effect: EffectEvent['effect']): boolean {
  if (failedNode !== undefined || key === effect.key) return true;
  return effect.type === 'model' && source.type === 'model';
}

function askedAgain(life: Life, event: Extract<RunEvent, { type: 'effect:requested' }>): void {
  const last = life.steps.findLast((step) => step.type === 'failed');
  if (last?.layer !== 'effect' || life.steps.at(-1) !== last) return;
  const { at, path, effect, attempt } = event;
  life.steps.push({
    type: 'asked_again',
    at,
    path,
    target: effect.target,
    attempt,
    waitedMs: Date.parse(at) - Date.parse(last.at),
    because: effect.target === last.target ? 'schedule' : 'fallback',
  });
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

function idsOf(error: ErrorReport): readonly string[] {
  return [error, ...causesOf(error)].map(({ id }) => id);
}
