/**
 * The state behind the live view: the timeline of each node, and data only for the screen: calls,
 * tokens, costs, questions, and waits that a stored run does not have.
 */
import { defaultSchedule } from '../../workflow/plan/attempt-bound.ts';
import { NodeTimelines, type NodeTimeline } from '../../history/node-timeline.ts';
import { isInside } from '../../history/run-view/steps.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { scopeIdOf } from '../../machine/state/plan-lookup.ts';
import { branchId } from '../../machine/state/scopes.ts';
import { END } from '../../workflow/plan/route-plan.ts';

/** The part of a node that the screen shows beside its timeline. */
interface LiveDetails {
  /** Calls of models so far. */
  requests: number;
  /** The model or tool that was called last. */
  target: string | undefined;
  tokens: number;
  costUsdMicros: number;
  /** The kind of the latest failure. */
  kind: string | undefined;
  /** The question to a person. */
  question: string | undefined;
  /** A wait for the next call or attempt, with its end, if known. */
  wait: { readonly untilMs: number | undefined } | undefined;
  /** Whether it has called something since the run paused. */
  isCalling: boolean;
  /** For a group: how many of its members have ended. */
  members: { readonly all: number; succeeded: number; failed: number } | undefined;
}

export interface LiveNode extends Readonly<Omit<LiveDetails, 'wait' | 'isCalling'>> {
  readonly path: string;
  readonly status: NodeTimeline['status'] | 'asking';
  /** Attempts of the node so far. */
  readonly attempts: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number | undefined;
  /** When the wait ends, where that is known. */
  readonly untilMs: number | undefined;
  /** Whether other nodes run inside it. */
  readonly isContainer: boolean;
}

type NodeEvent = Extract<RunEvent, { path: string }>;

export class LiveState {
  readonly #timelines = new NodeTimelines();
  readonly #details = new Map<string, LiveDetails>();
  /** The group of each branch, by the id of its scope. */
  readonly #branches = new Map<string, LiveDetails>();
  #title = '';
  #startedAtMs: number | undefined;
  #costUsdMicros = 0;

  get title(): string {
    return this.#title;
  }

  get startedAtMs(): number | undefined {
    return this.#startedAtMs;
  }

  get costUsdMicros(): number {
    return this.#costUsdMicros;
  }

  /** In the order in which they first started. */
  nodes(): readonly LiveNode[] {
    return this.#timelines.nodes.flatMap((timeline) => {
      // nodes that never started are not shown
      const details = this.#details.get(timeline.path);
      const isContainer = this.#timelines.isHolder(timeline.path);
      return details === undefined ? [] : [{ ...liveNode(timeline, details), isContainer }];
    });
  }

  note(event: RunEvent): void {
    const atMs = Date.parse(event.at);
    this.#startedAtMs ??= atMs;
    if (event.type === 'run:started') this.#title = `${event.workflow} (${event.run})`;
    if (event.type === 'run:resumed') {
      this.#startedAtMs = atMs;
      if (this.#title === '') this.#title = event.run;
    }
    const stopped = this.#timelines.note(event);
    if ('path' in event) this.#inNode(event, atMs);
    if (stopped !== undefined)
      for (const [path, details] of this.#details)
        if (isInside(stopped, path)) stopWaiting(details);
    if (event.type === 'run:paused')
      for (const details of this.#details.values()) details.isCalling = false;
  }

  #inNode(event: NodeEvent, atMs: number): void {
    const details = this.#details.get(event.path) ?? newDetails();
    if (event.type === 'node:started') this.#details.set(event.path, details);
    if (!this.#details.has(event.path)) return;
    if ('costUsdMicros' in event) this.#costUsdMicros += event.costUsdMicros ?? 0;
    if (event.type === 'node:started' && event.members !== undefined)
      this.#openGroup(details, event.path, event.members.keys);
    if (event.type === 'route:taken') this.#countMember(event);
    change(details, event, atMs);
  }

  #openGroup(details: LiveDetails, path: string, keys: readonly string[]): void {
    details.members = { all: keys.length, succeeded: 0, failed: 0 };
    for (const key of keys) this.#branches.set(branchId(path, key), details);
  }

  /** A branch has ended when a route of it leads to `$end`, or a failure propagates out of it. */
  #countMember({ path, node, to, move }: Extract<RunEvent, { type: 'route:taken' }>): void {
    const members = this.#branches.get(scopeIdOf(path, node))?.members;
    if (members === undefined) return;
    if (to === END) members.succeeded += 1;
    if (move === 'propagate') members.failed += 1;
  }
}

function liveNode(
  { path, status: stored, attempts, startedAt, endedAt }: NodeTimeline,
  { wait, isCalling, ...details }: LiveDetails,
): Omit<LiveNode, 'isContainer'> {
  const going = stored === 'waiting' && isCalling ? 'running' : stored;
  const waiting = wait === undefined ? going : 'waiting';
  const status = details.question === undefined ? waiting : 'asking';
  const isOpen = status === 'running' || status === 'waiting' || status === 'asking';
  return {
    ...details,
    path,
    status,
    attempts,
    startedAtMs: Date.parse(startedAt),
    endedAtMs: isOpen || endedAt === undefined ? undefined : Date.parse(endedAt),
    untilMs: wait?.untilMs,
  };
}

function change(details: LiveDetails, event: NodeEvent, atMs: number): void {
  switch (event.type) {
    case 'node:started':
    case 'node:completed':
    case 'node:skipped':
    case 'gate:answered':
    case 'gate:expired':
      return stopWaiting(details);
    case 'node:failed':
      details.kind = event.error.kind;
      return stopWaiting(details);
    case 'node:retrying':
      details.kind = event.error.kind;
      details.wait = { untilMs: atMs + event.delayMs };
      return;
    case 'route:taken':
      if (event.move === 'park')
        details.wait = { untilMs: event.until === undefined ? undefined : Date.parse(event.until) };
      return;
    case 'effect:requested':
      // for a script the node's own name says enough
      if (event.effect.type === 'model' || event.effect.type === 'tool')
        details.target = event.effect.target;
      if (event.effect.type === 'model') details.requests += 1;
      details.isCalling = true;
      details.wait = undefined;
      return;
    case 'effect:succeeded':
      addUsage(details, event);
      return;
    case 'effect:failed':
      addUsage(details, event);
      details.kind = event.error.kind;
      // a failed call that will be retried emits no event until the retry
      if (event.effect.type === 'model' && event.error.retryable === true)
        details.wait = { untilMs: atMs + guessedWait(event.error, details.requests) };
      return;
    case 'gate:opened':
      details.question = event.prompt;
      details.wait = undefined;
      return;
    case 'child:started':
    case 'child:ended':
      return;
  }
}

function stopWaiting(details: LiveDetails): void {
  details.question = undefined;
  details.wait = undefined;
}

function addUsage(
  details: LiveDetails,
  { usage, costUsdMicros = 0 }: Extract<NodeEvent, { type: 'effect:succeeded' | 'effect:failed' }>,
): void {
  details.tokens += (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  details.costUsdMicros += costUsdMicros;
}

/** An estimate: scheduled waits have jitter; a server's hint is exact. */
function guessedWait(
  error: Extract<RunEvent, { type: 'effect:failed' }>['error'],
  requests: number,
): number {
  const waits = defaultSchedule(error)?.waitsMs ?? [];
  return error.provider?.retryAfterMs ?? waits[requests - 1] ?? waits.at(-1) ?? 0;
}

function newDetails(): LiveDetails {
  return {
    requests: 0,
    target: undefined,
    tokens: 0,
    costUsdMicros: 0,
    kind: undefined,
    question: undefined,
    wait: undefined,
    isCalling: false,
    members: undefined,
  };
}
