/** What is going on in a run right now, from its events: the state behind the live view. */
import { catalogRow } from '../../errors/catalog.ts';
import type { RunEvent } from '../../machine/events.ts';
import { scopeIdOf } from '../../machine/plan-lookup.ts';
import { branchId } from '../../machine/scopes.ts';
import { END } from '../../workflow/route.ts';

export interface LiveNode {
  readonly path: string;
  status: 'running' | 'waiting' | 'asking' | 'completed' | 'failed' | 'skipped' | 'cancelled';
  /** Tries of the node so far. */
  tries: number;
  /** Requests to models so far. */
  requests: number;
  startedAtMs: number;
  endedAtMs: number | undefined;
  /** The model or tool that was asked last. */
  target: string | undefined;
  tokens: number;
  costUsdMicros: number;
  /** When a wait ends, as far as it is known. */
  untilMs: number | undefined;
  /** The kind of the latest failure. */
  kind: string | undefined;
  /** What is asked of a person. */
  question: string | undefined;
  /** Of a group: how many of its members are through. */
  members: { readonly all: number; succeeded: number; failed: number } | undefined;
  /** Whether something runs inside it. */
  isContainer: boolean;
}

type NodeEvent = Extract<RunEvent, { path: string }>;

export class LiveState {
  readonly nodes = new Map<string, LiveNode>();
  /** The group of each branch. */
  readonly #branches = new Map<string, LiveNode>();
  title = '';
  startedAtMs: number | undefined;
  costUsdMicros = 0;

  note(event: RunEvent): void {
    const atMs = Date.parse(event.at);
    this.startedAtMs ??= atMs;
    if (event.type === 'run:started') this.title = `${event.workflow} (${event.run})`;
    if (event.type === 'run:resumed') {
      this.startedAtMs = atMs;
      if (this.title === '') this.title = event.run;
    }
    if (isEnd(event.type)) this.#cancelInside('', atMs);
    if ('path' in event) this.#inNode(event, atMs);
  }

  #inNode(event: NodeEvent, atMs: number): void {
    const known = this.nodes.get(event.path);
    if (known === undefined && event.type !== 'node:started') return;
    const node = known ?? newNode(event.path, atMs);
    this.nodes.set(event.path, node);
    if ('costUsdMicros' in event) this.costUsdMicros += event.costUsdMicros ?? 0;
    if (event.type === 'child:started') node.isContainer = true;
    if (event.type === 'node:started' && event.members !== undefined)
      this.#openGroup(node, event.members.keys);
    if (event.type === 'route:taken') this.#countMember(event);
    change(node, event, atMs);
    if (node.endedAtMs !== undefined && node.isContainer) this.#cancelInside(event.path, atMs);
  }

  #openGroup(node: LiveNode, keys: readonly string[]): void {
    node.isContainer = true;
    node.members = { all: keys.length, succeeded: 0, failed: 0 };
    for (const key of keys) this.#branches.set(branchId(node.path, key), node);
  }

  /** A branch is over when a node in it leads to its end, or its failure out of it. */
  #countMember({ path, node, to, move }: Extract<RunEvent, { type: 'route:taken' }>): void {
    const members = this.#branches.get(scopeIdOf(path, node))?.members;
    if (members === undefined) return;
    if (to === END) members.succeeded += 1;
    if (move === 'propagate') members.failed += 1;
  }

  /** What still runs inside something that has ended was stopped with it. */
  #cancelInside(path: string, atMs: number): void {
    for (const node of this.nodes.values()) {
      const isInside =
        path === '' || node.path.startsWith(`${path}[`) || node.path.startsWith(`${path}/`);
      if (!isInside || node.endedAtMs !== undefined) continue;
      node.status = 'cancelled';
      node.endedAtMs = atMs;
    }
  }
}

function change(node: LiveNode, event: NodeEvent, atMs: number): void {
  switch (event.type) {
    case 'node:started':
      node.status = 'running';
      node.tries += 1;
      node.endedAtMs = undefined;
      node.untilMs = undefined;
      return;
    case 'node:completed':
      return end(node, node.status === 'skipped' ? 'skipped' : 'completed', atMs);
    case 'node:failed':
      node.kind = event.error.kind;
      return end(node, 'failed', atMs);
    case 'node:skipped':
      return end(node, 'skipped', atMs);
    case 'node:retrying':
      node.kind = event.error.kind;
      return wait(node, atMs + event.delayMs);
    case 'route:taken':
      if (event.move === 'park')
        wait(node, event.until === undefined ? undefined : Date.parse(event.until));
      return;
    case 'effect:requested':
      // which program a script is says its name
      if (event.effect.type === 'model' || event.effect.type === 'tool')
        node.target = event.effect.target;
      if (event.effect.type === 'model') node.requests += 1;
      node.status = 'running';
      node.untilMs = undefined;
      return;
    case 'effect:succeeded':
      addUsage(node, event);
      return;
    case 'effect:failed':
      addUsage(node, event);
      node.kind = event.error.kind;
      // a call of a model that is made again says nothing until then
      if (event.effect.type === 'model' && event.error.retryable === true)
        wait(node, atMs + guessedWait(event.error, node.requests));
      return;
    case 'gate:opened':
      node.status = 'asking';
      node.question = event.prompt;
      node.untilMs = event.deadline === undefined ? undefined : Date.parse(event.deadline);
      return;
    case 'gate:answered':
    case 'gate:expired':
      node.status = 'running';
      node.question = undefined;
      node.untilMs = undefined;
      return;
    case 'child:started':
    case 'child:ended':
      return;
  }
}

function end(node: LiveNode, status: LiveNode['status'], atMs: number): void {
  node.status = status;
  node.endedAtMs = atMs;
  node.untilMs = undefined;
  node.question = undefined;
}

function wait(node: LiveNode, untilMs: number | undefined): void {
  node.status = 'waiting';
  node.endedAtMs = undefined;
  node.untilMs = untilMs;
}

function addUsage(
  node: LiveNode,
  { usage, costUsdMicros = 0 }: Extract<NodeEvent, { type: 'effect:succeeded' | 'effect:failed' }>,
): void {
  node.tokens += (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  node.costUsdMicros += costUsdMicros;
}

/** The wait that a schedule takes is spread a little; a server's hint is kept. */
function guessedWait(
  error: Extract<RunEvent, { type: 'effect:failed' }>['error'],
  requests: number,
): number {
  const waits = catalogRow(error.kind)?.schedule?.waitsMs ?? [];
  return error.provider?.retryAfterMs ?? waits[requests - 1] ?? waits.at(-1) ?? 0;
}

function newNode(path: string, atMs: number): LiveNode {
  return {
    path,
    status: 'running',
    tries: 0,
    requests: 0,
    startedAtMs: atMs,
    endedAtMs: undefined,
    target: undefined,
    tokens: 0,
    costUsdMicros: 0,
    untilMs: undefined,
    kind: undefined,
    question: undefined,
    members: undefined,
    isContainer: false,
  };
}

function isEnd(type: RunEvent['type']): boolean {
  return type === 'run:completed' || type === 'run:failed' || type === 'run:cancelled';
}
