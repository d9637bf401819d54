/**
 * Spans of nodes: one for each attempt, and inside it the span of a group or of a sub-workflow. A
 * failed attempt ends when its route is known, with the time of the failure.
 */
import { isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { NodeFacts, OpenNode } from '../../history/trace-facts.ts';
import type { RouteTaken } from '../../machine/state/events.ts';
import { scopeIdOf } from '../../machine/state/plan-lookup.ts';
import { ATTRIBUTE, OPERATION, SPAN } from '../names.ts';
import { attributes } from './call-attributes.ts';
import type { OpenSpan, OpenSpans } from './open-span.ts';
import type { Attributes } from './span-sink.ts';

export interface OpenAttempt<S> {
  readonly own: OpenSpan<S>;
  readonly path: string;
  readonly seq: number;
  /** The group or the sub-workflow that runs inside. */
  inside: OpenSpan<S> | undefined;
  failed: { readonly error: ErrorReport; readonly endMs: number } | undefined;
}

interface StartedAttempt extends Pick<OpenNode, 'node' | 'path' | 'attempt'> {
  readonly facts: NodeFacts;
  readonly startMs: number;
  /** The number of the event that started it. */
  readonly seq: number;
}

interface EndedNode {
  readonly path: string;
  readonly endMs: number;
  readonly error?: ErrorReport | undefined;
  readonly output?: JsonValue | undefined;
}

export class AttemptSpans<S> {
  readonly #spans: OpenSpans<S>;
  /** The span of the leg. */
  readonly #leg: () => S | undefined;
  readonly #open = new Map<string, OpenAttempt<S>>();

  constructor(spans: OpenSpans<S>, leg: () => S | undefined) {
    this.#spans = spans;
    this.#leg = leg;
  }

  at(path: string): OpenAttempt<S> | undefined {
    return this.#open.get(path);
  }

  start({ node, path, attempt, facts, startMs, seq }: StartedAttempt): OpenAttempt<S> {
    // an attempt that failed without a route, or that a person sent back
    this.close(path, startMs);
    const isAgent = facts.type === 'agent';
    const own = this.#spans.open({
      role: isAgent ? 'agent' : 'node',
      spanName: isAgent ? SPAN.agent(node) : SPAN.node(node),
      name: node,
      workflow: facts.workflow,
      parent: this.#around(path, node),
      startMs,
      key: `node ${seq} ${path}`,
      attributes: {
        ...this.#spans.attributesIn(facts.workflow),
        ...(isAgent
          ? { [ATTRIBUTE.operation]: OPERATION.agent, [ATTRIBUTE.agent]: node }
          : { [ATTRIBUTE.nodeType]: facts.type }),
        [ATTRIBUTE.path]: path,
        [ATTRIBUTE.attempt]: attempt,
      },
    });
    const started: OpenAttempt<S> = { own, path, seq, inside: undefined, failed: undefined };
    this.#open.set(path, started);
    return started;
  }

  startGroup(
    attempt: OpenAttempt<S>,
    members: number,
    { mode, startMs }: Pick<NodeFacts, 'mode'> & Pick<StartedAttempt, 'startMs'>,
  ): void {
    const { name, workflow, span } = attempt.own;
    attempt.inside = this.#spans.open({
      role: 'group',
      spanName: SPAN.group(name),
      name,
      workflow,
      parent: span,
      startMs,
      key: `group ${attempt.seq} ${attempt.path}`,
      attributes: attributes({
        ...this.#spans.attributesIn(workflow),
        [ATTRIBUTE.path]: attempt.path,
        [ATTRIBUTE.members]: members,
        [ATTRIBUTE.groupMode]: mode,
      }),
    });
  }

  startChild(attempt: OpenAttempt<S>, workflow: string, startMs: number): void {
    attempt.inside = this.#spans.open({
      role: 'child',
      spanName: SPAN.workflow(workflow),
      name: workflow,
      workflow,
      parent: attempt.own.span,
      startMs,
      key: `child ${attempt.seq} ${attempt.path}`,
      attributes: {
        ...this.#spans.attributesIn(workflow),
        [ATTRIBUTE.operation]: OPERATION.workflow,
        [ATTRIBUTE.path]: attempt.path,
      },
    });
  }

  /** Ends the spans inside, and the attempt itself unless it failed. */
  nodeEnded({ path, endMs, error, output }: EndedNode): void {
    const attempt = this.#open.get(path);
    if (attempt === undefined) return;
    this.childEnded({ path, endMs, error, output });
    if (error === undefined) this.close(path, endMs);
    else attempt.failed = { error, endMs };
  }

  childEnded({ path, endMs, error, output }: EndedNode): void {
    const attempt = this.#open.get(path);
    const inside = attempt?.inside;
    if (attempt === undefined || inside === undefined) return;
    attempt.inside = undefined;
    const failed = inside.role === 'group' ? membersFailed(output) : undefined;
    const more = attributes({ [ATTRIBUTE.membersFailed]: failed });
    this.#spans.close(inside, { endMs, attributes: more }, error);
  }

  routed(path: string, { move, to, bucket, kind }: RouteTaken): void {
    const attempt = this.#open.get(path);
    if (attempt?.failed === undefined || kind === undefined) return;
    this.close(
      path,
      attempt.failed.endMs,
      attributes({
        [ATTRIBUTE.routeMove]: move,
        [ATTRIBUTE.routeTo]: to,
        [ATTRIBUTE.routeBucket]: bucket,
      }),
    );
  }

  close(path: string, atMs: number, route?: Attributes): void {
    const attempt = this.#open.get(path);
    if (attempt === undefined) return;
    this.#open.delete(path);
    const { own, failed, inside } = attempt;
    if (inside !== undefined) this.#spans.close(inside, { endMs: atMs });
    if (failed === undefined) return this.#spans.close(own, { endMs: atMs });
    const { error, endMs } = failed;
    this.#spans.close(
      own,
      { endMs, attributes: { ...route, [ATTRIBUTE.errorId]: error.id } },
      error,
    );
  }

  /** The attempts inside a node, or all of them, the innermost first. */
  below(path?: string): readonly string[] {
    return [...this.#open.keys()]
      .filter(
        (other) =>
          path === undefined || other.startsWith(`${path}/`) || other.startsWith(`${path}[`),
      )
      .toSorted((a, b) => b.length - a.length);
  }

  /**
   * The parent of a member is its group, and that of a child its workflow; all others belong to the
   * leg.
   */
  #around(path: string, node: string): S | undefined {
    let id = scopeIdOf(path, node);
    while (id !== '') {
      const holder = id.endsWith(']') ? id.slice(0, id.lastIndexOf('[')) : id;
      const attempt = this.#open.get(holder);
      if (attempt !== undefined) return (attempt.inside ?? attempt.own).span;
      // the file has changed, and the holder is gone: try the next one outside
      id = holder.slice(0, Math.max(0, holder.lastIndexOf('/')));
    }
    return this.#leg();
  }
}

/** A group's output separates outputs from errors, each by the key of its member. */
function membersFailed(output: JsonValue | undefined): number | undefined {
  const errors = isPlainObject(output) ? output['errors'] : undefined;
  return isPlainObject(errors) ? Object.keys(errors).length : undefined;
}
